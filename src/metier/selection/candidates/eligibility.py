"""Which skills may be selected for a task at all, and why the others may not."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from metier.selection.types import SelectionStage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from metier.selection.candidates.catalogue import Catalogue
    from metier.selection.types import Selectable, Task

    Key = tuple[tuple[str, ...], frozenset[str]]
    """Why each skill with a scope is not for a task, and who is excluded."""

SHOWN = 10
"""Skills of either kind that are named in the record."""
EXCLUDED = "it is excluded here"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A skill that may not be selected, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EligibleSkills:
    """The skills that may be selected, pinned ones first, and those that may not."""

    skills: tuple[Selectable, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def pinned(self) -> tuple[Selectable, ...]:
        """Those wanted in every run."""
        return tuple(skill for skill in self.skills if skill.pinned)

    def without(self, excluded: Collection[str]) -> EligibleSkills:
        """The same with some more skills left out, by name."""
        left = tuple(LeftOut(name=one.name, reason=EXCLUDED) for one in self.skills if one.name in excluded)
        kept = tuple(one for one in self.skills if one.name not in excluded)
        return EligibleSkills(skills=kept, left_out=(*left, *self.left_out))

    def stage(self, refused: Sequence[LeftOut] = ()) -> SelectionStage:
        """The record of this step, without those that were refused later; it names the first few."""
        left, gone = (*refused, *self.left_out), {one.name for one in refused}
        shown = "; ".join(f"{one.name}: {one.reason}" for one in left[:SHOWN])
        more = len(left) - SHOWN
        note = f"left out: {shown}" + (f"; and {more} more" if more > 0 else "") if left else ""
        kept = tuple(islice((skill.name for skill in self.skills if skill.name not in gone), SHOWN))
        count, passed = len(self.skills) + len(self.left_out), len(self.skills) - len(refused)
        return SelectionStage(stage="candidates", by="rule", considered=count, kept=kept, note=note, passed=passed)


def eligible_skills(skills: Iterable[Selectable], task: Task, excluded: Collection[str] = ()) -> EligibleSkills:
    """Every skill with its answer: it may be selected for this task, or the first reason why not."""
    kept: dict[str, Selectable] = {}
    left: list[LeftOut] = []
    for skill in skills:
        reason = _reason(skill, task, excluded) or ("another of its name comes first" if skill.name in kept else "")
        if reason:
            left.append(LeftOut(name=skill.name, reason=reason))
        else:
            kept[skill.name] = skill
    return EligibleSkills(skills=tuple(sorted(kept.values(), key=lambda one: not one.pinned)), left_out=tuple(left))


def _reason(skill: Selectable, task: Task, excluded: Collection[str]) -> str:
    if skill.status in ("archived", "deleted"):
        return f"it is {skill.status}"
    if skill.shadowed:
        return "another of its name comes first"
    if not skill.name.strip():
        return "it has no name"
    if skill.name in excluded:
        return EXCLUDED
    return scope_problem(skill, task)


def is_scoped(skill: Selectable) -> bool:
    """Whether a skill is for some agents, workspaces or paths only."""
    return bool(skill.agents or skill.workspaces or skill.paths)


def scope_problem(skill: Selectable, task: Task) -> str:
    """For whom and for what a skill is meant, if that is not this task."""
    if skill.agents and task.agent.casefold() not in {agent.casefold() for agent in skill.agents}:
        return f"it is for {', '.join(skill.agents)}"
    if skill.workspaces and task.workspace not in skill.workspaces:
        return "it is for other workspaces"
    if skill.paths and not any(covers(pattern, task.path) for pattern in skill.paths):
        return f"it is for {', '.join(skill.paths)}"
    return ""


REMEMBERED = 16
"""Kinds of task that are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligibility:
    """The skills that may be selected, in the forms in which they are asked for."""

    skills: EligibleSkills
    """With those that cannot be read among the ones left out."""
    pinned: tuple[Selectable, ...]
    names: frozenset[str]
    left_out_count: int
    """How many of the skills in use may not be selected."""
    mark: str
    """Stands for the names."""


class EligibilityCache:
    """Who may be selected in one state of the library; tasks differ only in who is left out for them."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._scoped = [one.skill for one in catalogue.in_use.values() if is_scoped(one.skill)]
        self._known: dict[Key, Eligibility] = {}

    def get(self, task: Task, excluded: frozenset[str]) -> Eligibility:
        """The answer for a task."""
        scopes = tuple(scope_problem(one, task) for one in self._scoped)
        everyone = self._cached((scopes, frozenset()), lambda: self._compute(task))
        excluded &= everyone.names
        if not excluded:
            return everyone
        return self._cached((scopes, excluded), lambda: _without(everyone, excluded))

    def _cached(self, key: Key, make: Callable[[], Eligibility]) -> Eligibility:
        """The answer under a key, in the place of the one that was not asked for longest."""
        found = self._known.pop(key, None) or make()
        if len(self._known) >= REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[key] = found
        return found

    def _compute(self, task: Task) -> Eligibility:
        found = eligible_skills(self.catalogue.skills, task)
        names = frozenset(one.name for one in found.skills)
        return Eligibility(
            skills=replace(found, left_out=(*found.left_out, *self.catalogue.unread)),
            pinned=found.pinned,
            names=names,
            left_out_count=len(self.catalogue.in_use) - len(names),
            mark=_mark(names),
        )


def _without(may: Eligibility, excluded: frozenset[str]) -> Eligibility:
    return Eligibility(
        skills=may.skills.without(excluded),
        pinned=tuple(one for one in may.pinned if one.name not in excluded),
        names=may.names - excluded,
        left_out_count=may.left_out_count + len(excluded),
        mark=f"{may.mark} {_mark(excluded)}",
    )


def _mark(names: frozenset[str]) -> str:
    return sha256("\n".join(sorted(names)).encode("utf-8", "surrogatepass")).hexdigest()


PATH_PARTS = 64
"""Parts of a path or pattern that are looked at."""


def covers(pattern: str, path: str) -> bool:
    """Whether the pattern is true of the path or of a folder it lies in; `**` stands for any number of folders."""
    wanted, given = _parts(pattern), _parts(path)
    if not wanted or not given:
        return not wanted and bool(pattern.strip())
    reached = {0}
    for part in given:
        reached = {after for at in _opened(wanted, reached) for after in _steps(wanted, at, part)}
        if len(wanted) in _opened(wanted, reached):
            return True
    return False


def _parts(path: str) -> tuple[str, ...]:
    """The names of a path; `.` says nothing, and `..` leads nowhere a pattern could mean."""
    return tuple(part for part in path.strip().replace("\\", "/").split("/") if part not in ("", "."))[:PATH_PARTS]


def _opened(wanted: tuple[str, ...], reached: set[int]) -> set[int]:
    """The places in the pattern that are reached when `**` stands for nothing."""
    places = set(reached)
    for at in range(len(wanted)):
        if at in places and wanted[at] == "**":
            places.add(at + 1)
    return places


def _steps(wanted: tuple[str, ...], at: int, part: str) -> tuple[int, ...]:
    if at == len(wanted):
        return ()
    if wanted[at] == "**":
        return (at,)
    return (at + 1,) if _compiled(wanted[at]).match(part) else ()


@lru_cache(maxsize=1_024)
def _compiled(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))
