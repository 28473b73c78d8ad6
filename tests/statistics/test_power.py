"""What a number of cases can tell, against simulation and scipy."""

from __future__ import annotations

from random import Random

import pytest
from scipy import stats

from metier.statistics.power import Plan, cases_needed, detectable_gain, power, sentence
from metier.statistics.signflip import sign_flip


@pytest.mark.parametrize(("cases", "gain", "share"), [(24, 0.25, 0.4), (80, 0.12, 0.3)])
def test_power_is_what_the_test_itself_reaches(cases: int, gain: float, share: float) -> None:
    random = Random(cases)
    plan, games = Plan(differing=share), 600
    better = (share + gain) / 2
    found = 0
    for _ in range(games):
        drawn = [random.random() for _ in range(cases)]
        found += sign_flip([1.0 if one < better else -1.0 if one < share else 0.0 for one in drawn]) <= plan.alpha
    assert stats.binomtest(found, games, power(cases, gain, plan)).pvalue > 0.001


def test_beyond_exact_sums_the_normal_approximation_goes_on_where_they_end() -> None:
    for gain in (0.03, 0.06, 0.1):
        assert power(241, gain) == pytest.approx(power(240, gain), abs=0.05)


def test_more_cases_detect_smaller_gains() -> None:
    gains = [detectable_gain(cases) or 1.0 for cases in (5, 10, 24, 40, 80, 200, 400, 2000)]
    assert gains == sorted(gains, reverse=True)


@pytest.mark.parametrize("gain", [0.03, 0.08, 0.2, 0.4])
def test_so_many_cases_are_needed_and_no_fewer(gain: float) -> None:
    needed = cases_needed(gain)
    assert needed is not None
    assert power(needed, gain) >= 0.8 > power(needed - 1, gain)


def test_stronger_evidence_needs_more_cases() -> None:
    loose, strict = cases_needed(0.1, Plan(alpha=0.05)), cases_needed(0.1, Plan(alpha=0.01))
    assert loose
    assert strict
    assert strict > loose


def test_no_number_of_cases_shows_what_is_not_there() -> None:
    assert cases_needed(0.0) is None
    assert power(100, 0.0) == power(100, -0.1) == 0.0


def test_four_cases_can_tell_nothing_at_five_percent() -> None:
    assert detectable_gain(4) is None
    assert sentence(4) == "With 4 cases no gain at all can be told from luck (5% error, found 80% of the time)."


def test_the_sentence_says_what_is_assumed() -> None:
    gain = detectable_gain(24)
    assert gain is not None
    assert sentence(24) == (
        f"With 24 cases a gain under {gain * 100:.0f} points cannot be told from luck"
        f" (5% error, found 80% of the time, if {max(0.2, gain):.0%} of cases differ)."
    )
