"""The candidates for a task: found in the index, and only those that may be handed out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.selection.candidates.activate import review_key
from metier.selection.candidates.ranking import ranked
from metier.selection.candidates.reviewed import fit
from metier.selection.candidates.select_search import Search
from metier.selection.choosing.choose import choose
from metier.selection.index.entries import EMBEDDER
from metier.selection.index.remote_vectors import Meaning, meaning
from metier.selection.types import Scored
from metier.store.tables.models import memo

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.selection.candidates.catalogue import Catalogue
    from metier.selection.candidates.eligibility import LeftOut
    from metier.selection.candidates.eligibility_cache import May
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.choosing.choose import Basis
    from metier.selection.index.index import Hit
    from metier.selection.types import Selectable, Task

ROUNDS = 5
"""How often others are searched in the place of skills that may not be handed out."""
RIVALS = 2
"""Candidates that must be fit, too, if the score does not choose the first: either of them can keep the other back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What came of the search."""

    scored: tuple[Scored, ...] = ()
    """With the texts of those that were looked at: all a model could be shown, and all that the score chooses."""
    pinned: tuple[Selectable, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """May not be handed out, with the reason."""
    embedder: str = EMBEDDER.name
    notes: tuple[str, ...] = ()
    changed: bool = False
    """Whether the library is not any more as the catalogue has it."""
    lasting: bool = True
    """Whether the same would come of it the next time."""


class _Checked:
    """Skills that were looked at before they are shown to anybody, each once."""

    def __init__(self, pool: SkillPool, catalogue: Catalogue, pins: Sequence[str]) -> None:
        self._pool, self._listed, self._pins = pool, catalogue.listed, pins
        self._fit: dict[str, Selectable] = {}
        self.left_out: dict[str, LeftOut] = {}
        self.changed = self.busy = False
        self.look(pins)

    @property
    def pinned(self) -> tuple[Selectable, ...]:
        """Those wanted in every run that may be handed out."""
        return tuple(self._fit[name] for name in self._pins if name in self._fit)

    def look(self, names: Iterable[str]) -> bool:
        """Look at those not looked at yet; whether all of these are fit."""
        fresh = [self._listed[name] for name in names if name not in self._fit and name not in self.left_out]
        found = fit(self._pool, fresh)
        self._fit |= found.skills
        self.left_out |= {one.name: one for one in found.left_out}
        self.changed |= found.changed
        self.busy |= found.busy
        return not found.left_out

    def settles(self, task: Task, scored: Sequence[Scored], basis: Basis) -> bool:
        """Look at all that a model could be shown, or at all that the score chooses; whether nobody is refused."""
        names = [one.skill.name for one in scored]
        if basis.adviser:
            return self.look(names)
        if not self.look(self._suspects(names)):
            return False
        choice = choose(task, self.shown(scored), basis, self.pinned)
        chosen = [*(one.skill.name for one in choice.chosen), *choice.withheld]
        return self.look(chosen if set(names[:1]) <= set(chosen) else [*names[:RIVALS], *chosen])

    def shown(self, scored: Iterable[Scored], *, only_fit: bool = False) -> tuple[Scored, ...]:
        """What was found but for what may not be handed out, with the texts of what may."""
        return tuple(
            Scored(skill=self._fit.get(one.skill.name, one.skill), score=one.score, parts=one.parts)
            for one in scored
            if one.skill.name in self._fit or not (only_fit or one.skill.name in self.left_out)
        )

    def _suspects(self, names: Iterable[str]) -> list[str]:
        """Those of whose bytes a review said no before; they must not keep others back."""
        with self._pool.ctx.store.read() as transaction:
            return [name for name in names if memo.get(transaction, review_key(self._listed[name].content.hash))]


def retrieved(pool: SkillPool, task: Task, may: May, catalogue: Catalogue, basis: Basis) -> Found:
    """The best skills for a task among those that may be selected, and those wanted in every run."""
    checked = _Checked(pool, catalogue, [one.name for one in may.pinned])
    by = meaning(pool, task.text) if may.names else Meaning()
    search = Search(pool=pool, task=task.text, vector=by.vector, may=may, wanted=basis.settings.top_k)
    scored: list[Scored] = []
    settled = False
    for _ in range(ROUNDS):
        scored = _candidates(search.best(checked.left_out), catalogue, basis)
        settled = checked.settles(task, scored, basis)
        if settled or checked.busy:
            break
    return Found(
        scored=checked.shown(scored, only_fit=not settled or basis.adviser is not None),
        pinned=checked.pinned,
        left_out=tuple(checked.left_out.values()),
        embedder=by.embedder,
        notes=(by.note,) if by.note else (),
        changed=checked.changed,
        lasting=settled and not by.note,
    )


def _candidates(hits: Iterable[Hit], catalogue: Catalogue, basis: Basis) -> list[Scored]:
    """Those of the skills that were found that come into question, the best first, as they were scored."""
    found = {hit.name: Scored(skill=catalogue.listed[hit.name].skill, score=hit.score, parts=hit.parts) for hit in hits}
    return [found[one.skill.name] for one in ranked(found.values(), basis.settings, basis.records)]
