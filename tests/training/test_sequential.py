"""Evidence that may be looked at at any time, and the error rate that several looks share."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metier.statistics.error_spending import Spending
from metier.statistics.sequential import BETS, SequentialEvidence
from metier.statistics.signflip import sign_flip


def stopped(random: Random, gain: float, alpha: float, most: int) -> bool:
    """Whether a game that is looked at after every case ever passes."""
    evidence = SequentialEvidence()
    for _ in range(most):
        drawn = random.random()
        evidence = evidence.after([1.0 if drawn < 0.2 + gain / 2 else -1.0 if drawn < 0.4 else 0.0])
        if evidence.enough(alpha):
            return True
    return False


def test_looking_after_every_case_keeps_the_error_rate() -> None:
    random = Random(1)
    passed = sum(stopped(random, 0.0, 0.05, 100) for _ in range(200))
    assert stats.binomtest(passed, 200, 0.05, alternative="greater").pvalue > 0.001


def test_the_plain_test_looked_at_so_often_would_not() -> None:
    random = Random(1)
    passed = 0
    for _ in range(150):
        drawn = [random.choice((1.0, -1.0, 0.0, 0.0, 0.0)) for _ in range(60)]
        passed += any(sign_flip(drawn[:seen]) <= 0.05 for seen in range(5, 61))
    assert passed / 150 > 0.1


def test_a_real_gain_is_found() -> None:
    random = Random(2)
    assert sum(stopped(random, 0.3, 0.05, 300) for _ in range(40)) >= 36


def test_the_bet_is_fair_when_better_and_worse_are_equally_likely() -> None:
    one, other = SequentialEvidence().after([1.0]), SequentialEvidence().after([-1.0])
    assert (one.value + other.value) / 2 == pytest.approx(1.0)
    assert one.value > 1 > other.value


@given(st.lists(st.floats(-1, 1), max_size=12), st.integers(0, 12))
def test_it_is_the_same_whether_differences_come_at_once_or_one_by_one(differences: list[float], cut: int) -> None:
    whole = SequentialEvidence().after(differences)
    assert SequentialEvidence().after(differences[:cut]).after(differences[cut:]) == whole
    assert whole.seen == len(differences)
    assert 0 < whole.p <= 1
    assert len(whole.wealth) == len(BETS)


def test_a_difference_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="between -1 and 1"):
        SequentialEvidence().after([1.5])


def test_the_best_it_has_been_stays() -> None:
    evidence = SequentialEvidence().after([1.0] * 12)
    assert evidence.enough(0.05)
    later = evidence.after([-1.0] * 40)
    assert later.enough(0.05)
    assert later.value < 1


@given(st.integers(1, 60))
def test_shares_of_an_unknown_number_of_looks_fall_and_never_pass_the_whole(looks: int) -> None:
    spending = Spending(alpha=0.05)
    assert spending.share(looks) > spending.share(looks + 1) > 0
    assert spending.spent(looks) <= 0.05


def test_planned_looks_share_evenly_and_what_was_not_planned_gets_nothing() -> None:
    spending = Spending(alpha=0.06, planned=3)
    assert [spending.share(look) for look in (1, 2, 3, 4)] == pytest.approx([0.02, 0.02, 0.02, 0.0])
    assert spending.spent(9) == pytest.approx(0.06)


def test_looks_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="from 1"):
        Spending().share(0)
