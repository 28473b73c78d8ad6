"""The best skills for a task but those that are left out: the index is searched as seldom as can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import numpy as np
    from numpy.typing import NDArray

    from metier.selection.candidates.eligibility_cache import May
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.index.index import Hit

SPARE = 3
"""How many times as many skills as are wanted are searched, as some of them may be of no use."""
FEW = 50
"""Skills up to which it is quicker to drop those that are left out than to tell the index of all others."""


@dataclass(kw_only=True)
class Search:
    """What the index says of one task."""

    pool: SkillPool
    task: str
    vector: NDArray[np.float32] | None
    """Of the task, by a remote embedder."""
    may: May
    wanted: int
    _hits: tuple[Hit, ...] | None = None
    _all: bool = False
    """Whether these are all there are."""

    def best(self, refused: Collection[str]) -> tuple[Hit, ...]:
        """The best skills that may be selected and are not refused."""
        if self._hits is None and self.may.left_out <= FEW:
            self._ask(None, SPARE * self.wanted + self.may.left_out)
        good = self._but(lambda name: name in self.may.names and name not in refused)
        if good is None:
            self._ask(self.may.names.difference(refused), SPARE * self.wanted)
            good = self._hits or ()
        self._hits = good
        return good

    def _ask(self, within: Collection[str] | None, count: int) -> None:
        self._hits = self.pool.search(self.task, count, within, self.vector) if self.may.names else ()
        self._all = len(self._hits) < count

    def _but(self, is_good: Callable[[str], bool]) -> tuple[Hit, ...] | None:
        """The good ones of what was found; None if they would be scored otherwise without the others.

        Scores are relative to the skill that holds most of the task's words: that must be one of the good.
        """
        if self._hits is None:
            return None
        good = tuple(hit for hit in self._hits if is_good(hit.name))
        if len(good) == len(self._hits) and not self.may.left_out:
            return good
        enough = self._all or len(good) >= self.wanted
        return good if enough and any(("words", 1.0) in hit.parts for hit in good) else None
