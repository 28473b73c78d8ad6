"""How a skill's profile changes when a run used it: pure arithmetic, the same whatever the batch size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.types import Profile

GAIN = 0.10
"""Retention a successful use adds."""
LOSS = 0.05
"""Retention a failed use takes."""


def used(profile: Profile, success: bool | None, when: str) -> Profile:  # noqa: FBT001
    """The profile after one more run that met the skill."""
    return _counted(replace(profile, uses=profile.uses + 1, last_used=max(profile.last_used, when)), success, 1)


def corrected(profile: Profile, before: bool | None, after: bool | None) -> Profile:  # noqa: FBT001
    """The profile after a run it was counted for turned out otherwise."""
    return profile if before == after else _counted(_counted(profile, before, -1), after, 1)


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
