from __future__ import annotations

import pytest

from metier.runs.skill_usage import correct_use, count_use
from metier.types.skills import Profile

NEW = Profile(skill="s", workspace="w")


def test_a_use_counts_and_moves_retention_by_its_outcome() -> None:
    good, bad, unknown = (count_use(NEW, success, "2026") for success in (True, False, None))
    assert (good.uses, good.successes, good.failures, good.retention) == (1, 1, 0, pytest.approx(0.3))
    assert (bad.uses, bad.successes, bad.failures, bad.retention) == (1, 0, 1, pytest.approx(0.15))
    assert (unknown.uses, unknown.successes, unknown.failures, unknown.retention) == (1, 0, 0, 0.2)


def test_retention_stays_between_nothing_and_one() -> None:
    high, low = NEW, NEW
    for _ in range(20):
        high, low = count_use(high, True, ""), count_use(low, False, "")
    assert (high.retention, low.retention) == (1.0, 0.0)


def test_last_used_never_goes_back() -> None:
    assert count_use(count_use(NEW, True, "2026-02-01"), True, "2026-01-01").last_used == "2026-02-01"


def test_a_corrected_outcome_moves_the_counts_but_not_the_uses() -> None:
    profile = correct_use(count_use(NEW, True, ""), True, False)
    assert (profile.uses, profile.successes, profile.failures, profile.retention) == (1, 0, 1, pytest.approx(0.15))
    assert correct_use(profile, False, False) == profile
