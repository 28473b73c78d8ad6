"""How long a trial takes, said before it starts: the test itself is simulated at this workspace's own rate."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, floor
from typing import TYPE_CHECKING

from metier.statistics.two_arms import runs_needed

if TYPE_CHECKING:
    from metier.proof.trials.due import DueRate

GAINS = (0.1, 0.2, 0.3)
"""Gains in success that a plan is made for."""
MOST_DAYS = 90
"""Days after which a trial is not worth starting."""

PRECISE = 1_400
"""Runs, times the variance of success, after which the error of the gain is .053; about a sixth of it is lost."""
LONGEST = 1_000
"""Runs of a trial that was forced although no number is worth naming."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTrial:
    """What it takes to find a gain."""

    gain: float
    runs: int | None
    """Runs of both arms, one a session; None: no number that is worth naming."""
    days: float | None
    ends: str = ""
    """The day on which it should be found; empty: never."""


def plan_trial(rate: DueRate, now: str) -> tuple[PlannedTrial, ...]:
    """What each gain takes here."""
    return tuple(_planned(gain, rate, datetime.fromisoformat(now)) for gain in GAINS)


def most_runs(plan: PlannedTrial, rate: DueRate) -> int:
    """After how many runs a trial ends at the latest: those that its gain takes, or, if the days allow it, those after
    which keeping what did better is wrong by at most a hundredth of success on average, whatever the true gain."""
    precise = ceil(PRECISE * rate.success * (1 - rate.success))
    return max(plan.runs or LONGEST, min(precise, floor(MOST_DAYS * rate.a_day)))


def _planned(gain: float, rate: DueRate, now: datetime) -> PlannedTrial:
    base = round(rate.success, 2)
    runs = runs_needed(base, gain) if base + gain <= 1 else None
    if runs is None or not rate.sessions:
        return PlannedTrial(gain=gain, runs=runs, days=None)
    days = runs / rate.a_day
    ends = (now + timedelta(days=ceil(days))).date().isoformat() if days < 36_500 else ""
    return PlannedTrial(gain=gain, runs=runs, days=days, ends=ends)
