"""How long a trial takes, said before it starts: the test itself is simulated at this workspace's own rate."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING

from metier.statistics.two_arms import runs_needed

if TYPE_CHECKING:
    from metier.proof.trials.due import DueRate

GAINS = (0.1, 0.2, 0.3)
"""Gains in success that a plan is made for."""
MOST_DAYS = 90
"""Days after which a trial is not worth starting."""
FAR = 36_500
"""Days after which no date is named."""

PRECISE = 2_500
"""Runs, times the variance of success, after which the error of the gain is .04. Keeping what did better then costs at
most .01 of success on average, whatever the true gain, and with a tenth of the verdicts wrong:
`benchmarks/proof/trials.py`.
"""
LEAST_VARIANCE = 0.16
"""Of success in the time to come, which may be less regular than the past: that of 20 or 80 % success."""


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
    return tuple(_planned(gain, rate, now) for gain in GAINS)


def most_runs(plan: PlannedTrial, rate: DueRate) -> int:
    """After how many runs a trial ends at the latest: those that its gain takes, and never before keeping what did
    better is wrong by at most a hundredth of success on average. Where that takes long, a person may end it sooner."""
    variance = max(LEAST_VARIANCE, rate.success * (1 - rate.success))
    return max(plan.runs or 0, ceil(PRECISE * variance))


def latest_end(runs: int, rate: DueRate, now: str) -> str:
    """The day on which so many runs are there at this rate; empty: never."""
    if not rate.sessions or runs / rate.a_day >= FAR:
        return ""
    return (datetime.fromisoformat(now) + timedelta(days=ceil(runs / rate.a_day))).date().isoformat()


def _planned(gain: float, rate: DueRate, now: str) -> PlannedTrial:
    base = round(rate.success, 2)
    runs = runs_needed(base, gain) if base + gain <= 1 else None
    if runs is None or not rate.sessions:
        return PlannedTrial(gain=gain, runs=runs, days=None)
    return PlannedTrial(gain=gain, runs=runs, days=runs / rate.a_day, ends=latest_end(runs, rate, now))
