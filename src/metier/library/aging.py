"""Ageing: what nobody uses goes cold, then out of sight, then off the disk; one step at a time, and back on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.errors import NotFoundError
from metier.library.changes import archive, restore, turn
from metier.library.lifecycle import due
from metier.store.tables.recording import runs
from metier.store.tables.shipping import profiles

if TYPE_CHECKING:
    from metier.context.context import Workspace
    from metier.library.lifecycle import Step
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


def age(ws: Workspace, *, dry_run: bool = False) -> Pass:
    """Take every skill that is due one step further; skills a person made or pinned are left alone."""
    there = {one.name.casefold() for one in ws.skills() if one.status not in ("archived", "deleted")}
    with ws.engine.read() as transaction:
        known = profiles.listed(transaction)
        newest = runs.newest(transaction)
    newest = max([newest, *(one.changed for one in known)])
    steps = tuple(step for step in due(known, ws.now(), newest) if _last(ws, step.profile.skill))
    away = [one.skill for one in known if one.status == "active" and one.skill.casefold() not in there]
    woken = tuple(skill for skill in away if _is_archived(ws, skill))
    if not dry_run:
        for step in steps:
            _take(ws, step.profile.skill, step.to, step.reason)
        for skill in woken:
            restore(ws, skill, "used while it was archived")
    return Pass(evaluated=len(known), steps=steps, woken=woken)


def _take(ws: Workspace, skill: str, to: SkillStatus, why: str) -> None:
    last = _last(ws, skill)
    if last is None or (last.out and to != "deleted"):
        return
    if to == "archived":
        archive(ws, skill, why)
    else:
        turn(ws, ws.library.find(skill), last, "cool" if to == "cold" else "delete", status=to, why=why)


def _last(ws: Workspace, skill: str) -> Version | None:
    try:
        return ws.library.find(skill).last()
    except NotFoundError:
        return None


def _is_archived(ws: Workspace, skill: str) -> bool:
    last = _last(ws, skill)
    return last is not None and last.status == "archived"
