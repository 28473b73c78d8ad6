"""How a skill's profile changes with use and with time: pure arithmetic, the same whatever the batch size."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.types.skills import Profile

GAIN = 0.10
"""Retention a successful use adds."""
LOSS = 0.05
"""Retention a failed use takes."""
HALF_LIFE = 90.0
"""Idle days in which retention halves."""
DAY = 86_400.0


def count_use(profile: Profile, success: bool | None, when: str) -> Profile:  # noqa: FBT001
    """The profile after one more run that met the skill; one that had gone cold or was archived is active again."""
    awake = "active" if profile.status in ("cold", "archived") else profile.status
    now = replace(
        profile,
        status=awake,
        uses=profile.uses + 1,
        retention=retention(profile, when),
        last_used=max(profile.last_used, when),
    )
    return _counted(now, success, 1)


def correct_use(profile: Profile, before: bool | None, after: bool | None) -> Profile:  # noqa: FBT001
    """The profile after a run it was counted for turned out otherwise."""
    return profile if before == after else _counted(_counted(profile, before, -1), after, 1)


def idle_days(profile: Profile, when: str) -> float:
    """Days since the last use, else since the last version; 0 when neither is known or both lie ahead."""
    since = profile.last_used or profile.changed
    if not since or not when:
        return 0.0
    try:
        return max(0.0, (_moment(when) - _moment(since)).total_seconds() / DAY)
    except (ValueError, OverflowError):  # a source may write its times in any way
        return 0.0


def retention(profile: Profile, when: str) -> float:
    """How much a skill is kept in mind at a moment: what it was, halved for every 90 idle days."""
    idle = idle_days(profile, when)
    return round(profile.retention * 0.5 ** (idle / HALF_LIFE), 6) if idle else profile.retention


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _counted(profile: Profile, success: bool | None, by: int) -> Profile:  # noqa: FBT001
    if success is None:
        return profile
    step = by * (GAIN if success else -LOSS)
    return replace(
        profile,
        successes=max(0, profile.successes + by * success),
        failures=max(0, profile.failures + by * (not success)),
        retention=round(min(1.0, max(0.0, profile.retention + step)), 6),
    )
