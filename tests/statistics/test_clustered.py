"""Rates of clustered observations: sessions are the witnesses, not their calls."""

from __future__ import annotations

import numpy as np
import pytest

from metier.statistics.clustered import Cluster, likeness, rate_change


def side(dice: np.random.Generator, sessions: int, rate: float, alike: float) -> list[Cluster]:
    """Sessions of about six calls whose own rates differ."""
    found: list[Cluster] = []
    for _ in range(sessions):
        own = dice.beta(rate * (1 - alike) / alike, (1 - rate) * (1 - alike) / alike) if alike else rate
        calls = 1 + int(dice.poisson(5))
        found.append((int(dice.binomial(calls, own)), calls))
    return found


@pytest.mark.parametrize("alike", [0.0, 0.1, 0.3, 0.6])
@pytest.mark.parametrize(("sessions", "rates"), [((3, 3), (0.4, 0.4)), ((6, 4), (0.4, 0.1)), ((30, 20), (0.1, 0.02))])
def test_the_interval_holds_the_true_change_as_often_as_stated(
    sessions: tuple[int, int], rates: tuple[float, float], alike: float
) -> None:
    dice = np.random.default_rng(4)
    held = [
        rate_change(side(dice, sessions[0], rates[0], alike), side(dice, sessions[1], rates[1], alike)).interval
        for _ in range(200)
    ]
    assert sum(one.holds(rates[1] - rates[0]) for one in held) >= 0.92 * 200


def test_calls_of_one_session_prove_less_than_calls_of_many() -> None:
    one = rate_change([(20, 40)], [(0, 40)]).interval
    many = rate_change([(1, 2)] * 20, [(0, 2)] * 20).interval
    assert one.high - one.low > 1.5 * (many.high - many.low)
    assert many.high < 0 < one.high


def test_alike_sessions_are_told_from_mixed_ones_and_few_say_little() -> None:
    assert likeness(([(10, 10), (0, 10)] * 20, ())) > 0.9
    assert likeness(([(5, 10)] * 40, ())) < 0.1
    assert likeness(([(3, 5)], [(0, 9)])) == 0.5


def test_a_change_is_the_difference_of_the_two_rates() -> None:
    found = rate_change([(2, 4), (2, 4)], [(1, 10), (1, 10)])
    assert (found.before, found.after, round(found.change, 3)) == (0.5, 0.1, -0.4)
    assert found.interval.low <= found.change <= found.interval.high
