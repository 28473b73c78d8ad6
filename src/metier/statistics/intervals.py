"""Intervals: how far a rate or a paired gain may be from what was seen."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Where the truth lies, in the stated share of such intervals."""

    low: float
    high: float
    level: float

    def holds(self, value: float) -> bool:
        """Whether a value is inside."""
        return self.low <= value <= self.high


def wilson(successes: float, trials: float, level: float = 0.95) -> Interval:
    """A success rate's interval (Wilson's score interval); without trials it is everything."""
    if not trials:
        return Interval(low=0.0, high=1.0, level=level)
    z2 = _normal(level) ** 2
    rate, shrunk = successes / trials, 1 / (1 + z2 / trials)
    middle = (rate + z2 / (2 * trials)) * shrunk
    half = sqrt(z2 * (rate * (1 - rate) / trials + z2 / (4 * trials**2))) * shrunk
    low = 0.0 if not successes else max(0.0, middle - half)
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return Interval(low=low, high=high, level=level)


def paired_interval(differences: Sequence[float], level: float = 0.9) -> Interval:
    """The interval of a mean difference between -1 and 1, wide enough for few cases too.

    One case that gained everything and one that lost everything are added to those seen, and half a case on either
    side: so a handful of cases that did not differ proves nothing, and for 0/1 scores the truth is inside at least as
    often as stated for any number of cases from 4 to 400, unless all of them differ (enumerated in the tests).
    """
    count = len(differences) + 2
    mean = sum(differences) / count
    spread = (sum(one * one for one in differences) + 2 - count * mean * mean) / (count - 1)
    half = student(level, count - 1) * sqrt(spread / count) + 0.5 / count
    return Interval(low=max(-1.0, mean - half), high=min(1.0, mean + half), level=level)


def _normal(level: float) -> float:
    """Standard deviations on either side that hold a share of the normal distribution."""
    return NormalDist().inv_cdf(0.5 + level / 2)


def student(level: float, freedom: int) -> float:
    """The same for Student's t, by the first terms of its expansion around the normal one."""
    z = _normal(level)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160
    return z + first / freedom + second / freedom**2 + third / freedom**3 + fourth / freedom**4
