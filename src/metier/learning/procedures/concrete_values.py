"""Which words of requests are values: what one run was about and another not, such as a name or a branch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.text.terms import stem, stems_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.types import Run

COMMON = 0.75
"""A word that so many of the requests have is their subject."""
USED = 0.6
"""A value is used in so many of the runs whose request names it."""
ELSEWHERE = 0.25
"""And in at most so many of the others."""
LONG = 1_500
"""Characters of what was done in a run that are looked at."""
_WORD = re.compile(r"[^\W\d_]{2,}")


def values_in(runs: Sequence[tuple[str, str]]) -> frozenset[str] | None:
    """Stems that stand in what was done just where they stand in what was asked: they are handed through.

    Each run is what was asked and what was done, as `deeds_of` gives it; None: nothing was done, so nobody can tell.
    """
    asked = [stems_of(message) for message, deeds in runs if deeds]
    done = [frozenset(map(stem, _WORD.findall(deeds.casefold()))) for _, deeds in runs if deeds]
    if not done:
        return None
    return frozenset(word for word in frozenset[str]().union(*asked) if _is_handed_through(word, asked, done))


def deeds_of(run: Run) -> str:
    """What was done in a run, as far as it is looked at here."""
    return " ".join(call.input[:LONG] for call in run.tools)[:LONG]


def _is_handed_through(word: str, asked: Sequence[frozenset[str]], done: Sequence[frozenset[str]]) -> bool:
    with_it = [word in acts for said, acts in zip(asked, done, strict=True) if word in said]
    without = [word in acts for said, acts in zip(asked, done, strict=True) if word not in said]
    if len(with_it) >= COMMON * len(asked) or not without:
        return False
    return sum(with_it) >= USED * len(with_it) and sum(without) <= ELSEWHERE * len(without)
