"""The lifecycle of skills nobody uses: which of them goes one step towards oblivion now, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from metier.runs.skill_usage import idle_days, retention

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.types.skills import Profile, SkillStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """When a skill takes its next step: idle for longer, and kept in mind less, than this."""

    to: SkillStatus
    days: int
    retention: float


_COOLING = Stage(to="cold", days=90, retention=0.3)
STAGES: dict[SkillStatus, Stage] = {
    "provisional": _COOLING,
    "active": _COOLING,
    "cold": Stage(to="archived", days=180, retention=0.2),
    "archived": Stage(to="deleted", days=365, retention=0.1),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One skill's next step."""

    profile: Profile
    to: SkillStatus
    reason: str


def next_status(profile: Profile, now: str) -> SkillStatus:
    """The status a skill should have now, at most one step away; manual and pinned skills keep theirs."""
    stage = STAGES.get(profile.status)
    if stage is None or profile.origin == "manual" or profile.pinned or not (_moment(now) and _is_dated(profile)):
        return profile.status
    idles = idle_days(profile, now) > stage.days and retention(profile, now) < stage.retention
    return stage.to if idles else profile.status


def due(profiles: Iterable[Profile], now: str, newest: str = "") -> list[Step]:
    """Every step that is due, one per skill; none in a pass dated before the newest record or version."""
    if newest and not _is_before_or_at(newest, now):
        return []
    steps: list[Step] = []
    for profile in profiles:
        to = next_status(profile, now)
        if to != profile.status:
            steps.append(Step(profile=profile, to=to, reason=_reason(profile, now)))
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
