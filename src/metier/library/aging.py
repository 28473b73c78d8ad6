"""Ageing: what nobody uses goes cold, then out of sight, then off the disk; one step at a time, and back on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.errors import NotFoundError
from metier.library.changes import archive, restore, turn
from metier.library.hand_edits import record_hand_edits
from metier.library.lifecycle import due
from metier.library.listing import GONE, list_skills, result_of
from metier.store.tables.library import profiles
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from metier.library.lifecycle import Step
    from metier.library.skills import Library
    from metier.types.skills import SkillStatus, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """What one pass over all profiles did, or would do."""

    evaluated: int
    steps: tuple[Step, ...] = ()
    woken: tuple[str, ...] = ()
    """Archived skills that were used all the same, so they are back."""

    @property
    def deleted(self) -> int:
        """How many left the disk."""
        return sum(step.to == "deleted" for step in self.steps)


def age(library: Library, *, dry_run: bool = False) -> Pass:
    """Take every skill that is due one step further; skills a person made or pinned are left alone."""
    skills = list_skills(library) if dry_run else result_of(record_hand_edits(library))
    there = {one.name.casefold() for one in skills if one.status not in GONE}
    with library.ctx.store.read() as transaction:
        known = profiles.list_all(transaction)
        newest = runs.newest(transaction)
    newest = max([newest, *(one.changed for one in known)])
    steps = tuple(step for step in due(known, library.ctx.now(), newest) if _last(library, step.profile.skill))
    away = [one.skill for one in known if one.status == "active" and one.skill.casefold() not in there]
    woken = tuple(skill for skill in away if _is_archived(library, skill))
    if not dry_run:
        for step in steps:
            _take(library, step.profile.skill, step.to, step.reason)
        for skill in woken:
            restore(library, skill, "used while it was archived")
    return Pass(evaluated=len(known), steps=steps, woken=woken)


def _take(library: Library, skill: str, to: SkillStatus, why: str) -> None:
    last = _last(library, skill)
    if last is None or (last.out and to != "deleted"):
        return
    if to == "archived":
        archive(library, skill, why)
    else:
        turn(library.ctx, library.find(skill), last, "cool" if to == "cold" else "delete", status=to, why=why)


def _last(library: Library, skill: str) -> Version | None:
    try:
        return library.find(skill).last()
    except NotFoundError:
        return None


def _is_archived(library: Library, skill: str) -> bool:
    last = _last(library, skill)
    return last is not None and last.status == "archived"
