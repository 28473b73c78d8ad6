"""Ageing: what nobody uses goes cold, then out of sight, then off the disk; one step at a time, and back on demand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from metier.errors import NotFoundError
from metier.library.hand_edits import record_hand_edits
from metier.library.listing import GONE, list_skills, result_of
from metier.runs.skill_usage import idle_days, retention
from metier.store.tables.library import profiles as profile_rows
from metier.store.tables.runs import runs
from metier.types.skills import AgingPass, AgingStep

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from metier.library.skills import Library
    from metier.types.skills import Profile, SkillStatus, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class AgingStage:
    """When a skill takes its next step: idle for longer, and kept in mind less, than this."""

    to: SkillStatus
    days: int
    retention: float


_COOLING = AgingStage(to="cold", days=90, retention=0.3)
STAGES: dict[SkillStatus, AgingStage] = {
    "provisional": _COOLING,
    "active": _COOLING,
    "cold": AgingStage(to="archived", days=180, retention=0.2),
    "archived": AgingStage(to="deleted", days=365, retention=0.1),
}


def age_skills(library: Library, *, dry_run: bool = False) -> AgingPass:
    """Take every skill that is due one step further; skills a person made or pinned are left alone."""
    skills = list_skills(library) if dry_run else result_of(record_hand_edits(library))
    there = {one.name.casefold() for one in skills if one.status not in GONE}
    with library.ctx.store.read() as transaction:
        known = profile_rows.list_all(transaction)
        newest = runs.newest(transaction)
    newest = max([newest, *(one.changed for one in known)])
    steps = tuple(step for step in due_steps(known, library.ctx.now(), newest) if _last(library, step.profile.skill))
    woken = _woken(library, known, there)
    if not dry_run and (steps or woken):
        from metier.library.changes import restore_skill

        for step in steps:
            _take(library, step.profile.skill, step.to, step.reason)
        for skill in woken:
            restore_skill(library, skill, "used while it was archived")
    return AgingPass(evaluated=len(known), steps=steps, woken=woken)


def _woken(library: Library, known: Sequence[Profile], there: Container[str]) -> tuple[str, ...]:
    """Skills that were used while they were archived."""
    away = [one.skill for one in known if one.status == "active" and one.skill.casefold() not in there]
    return tuple(skill for skill in away if _is_archived(library, skill))


def _take(library: Library, skill: str, to: SkillStatus, why: str) -> None:
    from metier.library.changes import archive_skill, change_status

    last = _last(library, skill)
    if last is None or (last.out and to != "deleted"):
        return
    if to == "archived":
        archive_skill(library, skill, why)
    else:
        change_status(library.ctx, library.find(skill), last, "cool" if to == "cold" else "delete", status=to, why=why)


def _last(library: Library, skill: str) -> Version | None:
    try:
        return library.find(skill).last()
    except NotFoundError:
        return None


def _is_archived(library: Library, skill: str) -> bool:
    last = _last(library, skill)
    return last is not None and last.status == "archived"


def next_status(profile: Profile, now: str) -> SkillStatus:
    """The status a skill should have now, at most one step away; manual and pinned skills keep theirs."""
    stage = STAGES.get(profile.status)
    if stage is None or profile.origin == "manual" or profile.pinned or not (_moment(now) and _is_dated(profile)):
        return profile.status
    idles = idle_days(profile, now) > stage.days and retention(profile, now) < stage.retention
    return stage.to if idles else profile.status


def due_steps(profiles: Iterable[Profile], now: str, newest: str = "") -> list[AgingStep]:
    """Every step that is due, one per skill; none in a pass dated before the newest record or version."""
    if newest and not _is_before_or_at(newest, now):
        return []
    steps: list[AgingStep] = []
    for profile in profiles:
        to = next_status(profile, now)
        if to != profile.status:
            steps.append(AgingStep(profile=profile, to=to, reason=_reason(profile, now)))
    return steps


def _reason(profile: Profile, now: str) -> str:
    stage = STAGES[profile.status]
    days = f"{math.floor(idle_days(profile, now)):,} days"
    idle = f"not used for {days}" if profile.last_used else f"never used, and not changed for {days}"
    kept = math.floor(retention(profile, now) * 1000) / 1000
    return f"{idle} (limit {stage.days}); retention {kept:g} (limit {stage.retention:g})"


def _is_before_or_at(first: str, second: str) -> bool:
    """Whether a moment is not after another; one that cannot be read is."""
    one, other = _moment(first), _moment(second)
    return one is not None and other is not None and one <= other


def _is_dated(profile: Profile) -> bool:
    return _moment(profile.last_used or profile.changed) is not None


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
