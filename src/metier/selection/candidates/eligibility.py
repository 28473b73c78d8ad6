"""Which skills may be selected for a task at all, and why the others may not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from metier.selection.candidates.scopes import covers
from metier.selection.types import Stage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from metier.selection.types import Selectable, Task

SHOWN = 10
"""Skills of either kind that are named in the record."""
EXCLUDED = "it is excluded here"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A skill that may not be selected, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligible:
    """The skills that may be selected, pinned ones first, and those that may not."""

    skills: tuple[Selectable, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def pinned(self) -> tuple[Selectable, ...]:
        """Those wanted in every run."""
        return tuple(skill for skill in self.skills if skill.pinned)

    def without(self, excluded: Collection[str]) -> Eligible:
        """The same with some more skills left out, by name."""
        left = tuple(LeftOut(name=one.name, reason=EXCLUDED) for one in self.skills if one.name in excluded)
        kept = tuple(one for one in self.skills if one.name not in excluded)
        return Eligible(skills=kept, left_out=(*left, *self.left_out))

    def stage(self, refused: Sequence[LeftOut] = ()) -> Stage:
        """The record of this step, without those that were refused later; it names the first few."""
        left, gone = (*refused, *self.left_out), {one.name for one in refused}
        shown = "; ".join(f"{one.name}: {one.reason}" for one in left[:SHOWN])
        more = len(left) - SHOWN
        note = f"left out: {shown}" + (f"; and {more} more" if more > 0 else "") if left else ""
        kept = tuple(islice((skill.name for skill in self.skills if skill.name not in gone), SHOWN))
        count, passed = len(self.skills) + len(self.left_out), len(self.skills) - len(refused)
        return Stage(stage="candidates", by="rule", considered=count, kept=kept, note=note, passed=passed)


def eligible(skills: Iterable[Selectable], task: Task, excluded: Collection[str] = ()) -> Eligible:
    """Every skill with its answer: it may be selected for this task, or the first reason why not."""
    kept: dict[str, Selectable] = {}
    left: list[LeftOut] = []
    for skill in skills:
        reason = _reason(skill, task, excluded) or ("another of its name comes first" if skill.name in kept else "")
        if reason:
            left.append(LeftOut(name=skill.name, reason=reason))
        else:
            kept[skill.name] = skill
    return Eligible(skills=tuple(sorted(kept.values(), key=lambda one: not one.pinned)), left_out=tuple(left))


def _reason(skill: Selectable, task: Task, excluded: Collection[str]) -> str:
    if skill.status in ("archived", "deleted"):
        return f"it is {skill.status}"
    if skill.shadowed:
        return "another of its name comes first"
    if not skill.name.strip():
        return "it has no name"
    if skill.name in excluded:
        return EXCLUDED
    return scope(skill, task)


def is_scoped(skill: Selectable) -> bool:
    """Whether a skill is for some agents, workspaces or paths only."""
    return bool(skill.agents or skill.workspaces or skill.paths)


def scope(skill: Selectable, task: Task) -> str:
    """For whom and for what a skill is meant, if that is not this task."""
    if skill.agents and task.agent.casefold() not in {agent.casefold() for agent in skill.agents}:
        return f"it is for {', '.join(skill.agents)}"
    if skill.workspaces and task.workspace not in skill.workspaces:
        return "it is for other workspaces"
    if skill.paths and not any(covers(pattern, task.path) for pattern in skill.paths):
        return f"it is for {', '.join(skill.paths)}"
    return ""
