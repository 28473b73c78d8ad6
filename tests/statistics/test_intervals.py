"""Intervals: Wilson's as scipy has it, the paired one with at least the coverage it states."""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma
from random import Random

import numpy as np
import pytest
from scipy import stats

from metier.statistics.intervals import paired_interval, student, wilson


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (55, 1000), (1, 1)])
def test_wilsons_interval_is_scipys(successes: int, trials: int) -> None:
    theirs = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    ours = wilson(successes, trials, 0.95)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_without_trials_every_rate_is_possible() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


@pytest.mark.parametrize("freedom", [4, 5, 10, 18, 100])
@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99, 0.999])
def test_students_t_is_near_enough(freedom: int, level: float) -> None:
    assert student(level, freedom) == pytest.approx(stats.t.ppf(0.5 + level / 2, freedom), rel=0.015)


def coverage(cases: int, level: float, better: float, worse: float) -> float:
    """How often the interval of 0/1 scores holds the truth, by enumeration of all outcomes."""
    bounds = {
        (gained, lost): paired_interval([1.0] * gained + [-1.0] * lost + [0.0] * (cases - gained - lost), level)
        for gained in range(cases + 1)
        for lost in range(cases + 1 - gained)
    }
    logs = [lgamma(n + 1) for n in range(cases + 1)]
    inside = 0.0
    for (gained, lost), interval in bounds.items():
        if interval.holds(better - worse):
            rest = cases - gained - lost
            log = logs[cases] - logs[gained] - logs[lost] - logs[rest]
            inside += np.exp(log) * better**gained * worse**lost * (1 - better - worse) ** rest
    return float(inside)


@pytest.mark.parametrize("cases", [4, 7, 12, 17, 25])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.6, 0.95])
def test_for_0_and_1_the_truth_is_inside_as_often_as_stated(cases: int, share: float) -> None:
    for tilt in (0.0, 0.25, 0.5, 0.8, 1.0):
        assert coverage(cases, 0.9, share * tilt, share * (1 - tilt)) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("cases", [40, 80, 150])
def test_for_many_0_and_1_too(cases: int) -> None:
    for share in (0.02, 0.3, 0.95):
        for tilt in (0.0, 0.5, 0.9, 1.0):
            assert coverage(cases, 0.9, share * tilt, share * (1 - tilt)) >= 0.9


Draw = Callable[[Random], float]


def gaining_little(random: Random) -> float:
    return 0.05 if random.random() < 18 / 19 else -0.9


def uniform(random: Random) -> float:
    return random.random() - random.random()


@pytest.mark.parametrize("cases", [8, 17, 40])
@pytest.mark.parametrize("draw", [gaining_little, uniform])
def test_for_soft_scores_too_even_with_a_rare_great_loss(cases: int, draw: Draw) -> None:
    random = Random(cases)
    held = sum(paired_interval([draw(random) for _ in range(cases)], 0.9).holds(0.0) for _ in range(400))
    assert wilson(held, 400).high >= 0.9


def test_cases_that_did_not_differ_prove_little_when_they_are_few() -> None:
    assert paired_interval([0.0] * 10).high > 0.15
    assert paired_interval([0.0] * 400).high < 0.02


def test_no_cases_say_nothing() -> None:
    assert (paired_interval([]).low, paired_interval([]).high) == (-1.0, 1.0)
