"""Two arms by a fair coin: right as often as stated, however often one looks, and as soon as the plan says."""

from __future__ import annotations

import numpy as np
import pytest

from metier.statistics.sequential import SequentialEvidence, e_values
from metier.statistics.two_arms import ALPHA, POWER, compare_arms, first_found, runs_needed


def outcomes(runs: int, base: float, gain: float, seed: int, drift: float = 0.0) -> list[tuple[bool, bool]]:
    """The outcomes of a trial; with drift the work gets easier from its beginning to its end."""
    dice = np.random.default_rng(seed)
    arms = dice.random(runs) < 0.5
    rates = np.clip(base + drift * np.linspace(0, 1, runs) + gain * arms, 0, 1)
    return list(zip(arms.tolist(), (dice.random(runs) < rates).tolist(), strict=True))


def test_many_games_at_once_are_the_same_bets_as_one_by_one() -> None:
    differences = np.random.default_rng(3).uniform(-1, 1, (4, 60))
    for row, values in zip(differences, e_values(differences), strict=True):
        evidence = SequentialEvidence()
        for difference, value in zip(row.tolist(), values.tolist(), strict=True):
            evidence = evidence.after([difference])
            assert evidence.value == pytest.approx(value)


def trials(count: int, runs: int, base: float, gain: float, drift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Many trials, a row each: the arms and the outcomes."""
    dice = np.random.default_rng(11)
    arms = dice.random((count, runs)) < 0.5
    rates = np.clip(base + drift * np.linspace(0, 1, runs) + gain * arms, 0, 1)
    return arms, dice.random((count, runs)) < rates


@pytest.mark.parametrize(("base", "drift"), [(0.5, 0.0), (0.9, 0.0), (0.3, 0.6), (0.8, -0.6)])
def test_a_skill_without_effect_is_called_anything_at_most_at_the_stated_rate(base: float, drift: float) -> None:
    arms, good = trials(1_000, 500, base, 0.0, drift)
    assert (first_found(arms, good) <= 500).mean() <= ALPHA
    assert (first_found(~arms, good) <= 500).mean() <= ALPHA


def test_a_harmful_skill_is_hardly_ever_called_helpful() -> None:
    assert (first_found(*trials(1_000, 500, 0.6, -0.1)) <= 500).mean() <= 0.01


@pytest.mark.parametrize(("gain", "drift"), [(0.0, 0.0), (0.2, 0.0), (-0.3, 0.0), (0.2, 0.3)])
def test_the_interval_holds_the_true_gain_as_often_as_stated(gain: float, drift: float) -> None:
    found = [compare_arms(outcomes(250, 0.45, gain, seed, drift)).interval for seed in range(60)]
    assert sum(one.holds(gain) for one in found) >= 0.9 * 60
    assert all(one.low > -1 and one.high < 1 for one in found)


@pytest.mark.parametrize(("base", "gain"), [(0.3, 0.3), (0.5, 0.2), (0.6, 0.3), (0.8, 0.1)])
def test_the_planned_number_of_runs_finds_the_gain_with_at_least_the_stated_power(base: float, gain: float) -> None:
    needed = runs_needed(base, gain)
    assert needed
    first = first_found(*trials(2_000, needed, base, gain))
    assert POWER <= (first <= needed).mean() < POWER + 0.06
    assert (first <= needed // 2).mean() < POWER - 0.2


def test_small_gains_take_longer_and_hopeless_ones_have_no_number() -> None:
    needed = [runs_needed(0.6, gain) for gain in (0.1, 0.2, 0.3)]
    assert all(needed)
    assert needed == sorted(needed, key=lambda one: -(one or 0))
    assert runs_needed(0.5, 0.01) is None


def test_nothing_seen_shows_nothing() -> None:
    found = compare_arms([])
    assert (found.runs, found.gain, found.helps, found.hurts) == (0, 0.0, 1.0, 1.0)
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)
    assert compare_arms([(True, True)] * 3).gain == 0.0, "an empty arm compares with nothing"
