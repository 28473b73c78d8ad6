"""Retrieve the candidates for a task from the index; only skills that passed review are candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.selection.candidates.reviewed import check_skills, review_key
from metier.selection.choosing.choose import choose, rank
from metier.selection.index.entries import EMBEDDER_NAME
from metier.selection.index.remote_vectors import Meaning, task_meaning
from metier.selection.types import ScoredSkill
from metier.store.tables.models import memo

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from metier.selection.candidates.catalogue import Catalogue
    from metier.selection.candidates.eligibility import Eligibility, LeftOut
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.choosing.choose import Basis
    from metier.selection.index.index import SearchHit
    from metier.selection.types import Selectable, Task

ROUNDS = 5
"""How often the search is repeated to replace skills that may not be handed out."""
SPARE = 3
"""The search asks for this many times more skills than needed, because some may be refused."""
FEW = 50
"""Up to this many ineligible skills it is faster to drop them from the hits than to name all others to the index."""
RIVALS = 2
"""Candidates that are reviewed, too, if the score does not choose the first: each of the two can block the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedSkills:
    """The candidates for a task."""

    scored: tuple[ScoredSkill, ...] = ()
    """Reviewed skills have their texts: all that a model could see, and all that the score chooses."""
    pinned: tuple[Selectable, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """Skills that may not be handed out, with the reason."""
    embedder: str = EMBEDDER_NAME
    notes: tuple[str, ...] = ()
    changed: bool = False
    """Whether the library differs from the catalogue by now."""
    lasting: bool = True
    """Whether the same search would give the same result next time."""

    @property
    def note(self) -> str:
        """What compared meanings, if that was not the built-in embedder as usual."""
        return "; ".join(self.notes) or ("" if self.embedder == EMBEDDER_NAME else f"compared by {self.embedder}")


class _CheckedOnce:
    """Reviews skills before anybody sees them, each one once."""

    def __init__(self, pool: SkillPool, catalogue: Catalogue, pins: Sequence[str]) -> None:
        self._pool, self._listed, self._pins = pool, catalogue.in_use, pins
        self._fit: dict[str, Selectable] = {}
        self.left_out: dict[str, LeftOut] = {}
        self.changed = self.busy = False
        self.check(pins)

    @property
    def pinned(self) -> tuple[Selectable, ...]:
        """The pinned skills that may be handed out."""
        return tuple(self._fit[name] for name in self._pins if name in self._fit)

    def check(self, names: Iterable[str]) -> bool:
        """Review the skills that were not reviewed yet; returns whether all of these may be handed out."""
        fresh = [self._listed[name] for name in names if name not in self._fit and name not in self.left_out]
        found = check_skills(self._pool, fresh)
        self._fit |= found.skills
        self.left_out |= {one.name: one for one in found.left_out}
        self.changed |= found.changed
        self.busy |= found.busy
        return not found.left_out

    def check_for(self, task: Task, scored: Sequence[ScoredSkill], basis: Basis) -> bool:
        """Review all that a model could see, or all that the score chooses; returns whether none is refused."""
        names = [one.skill.name for one in scored]
        if basis.adviser:
            return self.check(names)
        if not self.check(self._suspects(names)):
            return False
        choice = choose(task, self.without_refused(scored), basis, self.pinned)
        chosen = [one.skill.name for one in choice.chosen]
        return self.check(chosen if set(names[:1]) <= set(chosen) else [*names[:RIVALS], *chosen])

    def without_refused(self, scored: Iterable[ScoredSkill], *, only_fit: bool = False) -> tuple[ScoredSkill, ...]:
        """The candidates without the refused ones; reviewed skills with their texts."""
        return tuple(
            ScoredSkill(skill=self._fit.get(one.skill.name, one.skill), score=one.score, parts=one.parts)
            for one in scored
            if one.skill.name in self._fit or not (only_fit or one.skill.name in self.left_out)
        )

    def _suspects(self, names: Iterable[str]) -> list[str]:
        """The skills whose bytes were refused before; they must not block others."""
        with self._pool.ctx.store.read() as transaction:
            return [name for name in names if memo.get(transaction, review_key(self._listed[name].content.hash))]


def retrieve(
    pool: SkillPool, task: Task, eligibility: Eligibility, catalogue: Catalogue, basis: Basis
) -> RetrievedSkills:
    """Find the best eligible skills for a task, and the pinned ones."""
    checked = _CheckedOnce(pool, catalogue, [one.name for one in eligibility.pinned])
    by = task_meaning(pool, task.text) if eligibility.names and not basis.is_local else Meaning()
    search = Search(pool=pool, task=task.text, near=by.near, eligibility=eligibility, wanted=basis.settings.top_k)
    scored: list[ScoredSkill] = []
    settled = False
    for _ in range(ROUNDS):
        scored = _candidates(search.best(checked.left_out), catalogue, basis)
        settled = checked.check_for(task, scored, basis)
        if settled or checked.busy:
            break
    return RetrievedSkills(
        scored=checked.without_refused(scored, only_fit=not settled or basis.adviser is not None),
        pinned=checked.pinned,
        left_out=tuple(checked.left_out.values()),
        embedder=by.embedder,
        notes=(by.note,) if by.note else (),
        changed=checked.changed,
        lasting=settled and not by.note,
    )


def _candidates(hits: Iterable[SearchHit], catalogue: Catalogue, basis: Basis) -> list[ScoredSkill]:
    """The best of the skills that were found, best first, with the scores of the index."""
    found = {
        hit.name: ScoredSkill(skill=catalogue.in_use[hit.name].skill, score=hit.score, parts=hit.parts) for hit in hits
    }
    return [found[one.skill.name] for one in rank(found.values(), basis.settings, basis.records)]


@dataclass(kw_only=True)
class Search:
    """The search for one task; it asks the index as rarely as possible."""

    pool: SkillPool
    task: str
    near: Mapping[str, float] | None
    """How near each skill is by a remote embedder; None: the built-in one compares."""
    eligibility: Eligibility
    wanted: int
    _hits: tuple[SearchHit, ...] | None = None
    _all: bool = False
    """Whether the index has no more hits."""

    def best(self, refused: Collection[str]) -> tuple[SearchHit, ...]:
        """The best eligible skills that are not refused."""
        if self._hits is None and self.eligibility.left_out_count <= FEW:
            self._search(None, SPARE * self.wanted + self.eligibility.left_out_count)
        good = self._only(lambda name: name in self.eligibility.names and name not in refused)
        if good is None:
            self._search(self.eligibility.names.difference(refused), SPARE * self.wanted)
            good = self._hits or ()
        self._hits = good
        return good

    def _search(self, within: Collection[str] | None, count: int) -> None:
        self._hits = self.pool.search(self.task, count, within, self.near) if self.eligibility.names else ()
        self._all = len(self._hits) < count

    def _only(self, is_good: Callable[[str], bool]) -> tuple[SearchHit, ...] | None:
        """The good hits, or None if a search without the other skills would score them differently.

        Scores are relative to the skill that holds most of the task's words: it must be one of the good ones.
        """
        if self._hits is None:
            return None
        good = tuple(hit for hit in self._hits if is_good(hit.name))
        if len(good) == len(self._hits) and not self.eligibility.left_out_count:
            return good
        enough = self._all or len(good) >= self.wanted
        return good if enough and any(("words", 1.0) in hit.parts for hit in good) else None
