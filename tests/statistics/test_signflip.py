"""The sign-flip test: exact where it can be, never too small, the same at every call."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metier.statistics.signflip import sign_flip, smallest_p


def brute(differences: list[float]) -> float:
    seen = sum(differences) - 1e-9
    flips = list(product((1, -1), repeat=len(differences)))
    return sum(sum(s * d for s, d in zip(signs, differences, strict=True)) >= seen for signs in flips) / len(flips)


@pytest.mark.parametrize(("better", "worse"), [(5, 0), (9, 3), (1, 4), (60, 41), (0, 1), (150, 110), (4_900, 4_700)])
def test_for_0_and_1_it_is_the_exact_sign_test(better: int, worse: int) -> None:
    differences = [1.0] * better + [-1.0] * worse + [0.0] * 30
    exact = stats.binomtest(better, better + worse, alternative="greater").pvalue
    assert sign_flip(differences) == pytest.approx(exact, rel=1e-9)


@given(st.lists(st.integers(-6, 6).map(lambda n: n / 6), max_size=9))
@settings(max_examples=40, deadline=None)
def test_differences_on_a_grid_are_counted_exactly(differences: list[float]) -> None:
    assert sign_flip(differences) == pytest.approx(brute(differences))


@given(st.lists(st.floats(-1, 1).filter(lambda d: abs(d) > 1e-6), min_size=1, max_size=9))
@settings(max_examples=40, deadline=None)
def test_few_differences_of_any_size_are_counted_exactly(differences: list[float]) -> None:
    assert sign_flip(differences) == pytest.approx(brute(differences))


def test_it_agrees_with_scipys_paired_permutation_test() -> None:
    random = Random(3)
    differences = [random.gauss(0.1, 0.4) for _ in range(11)]
    theirs = stats.permutation_test(
        (np.array(differences), np.zeros(11)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert sign_flip(differences) == pytest.approx(theirs.pvalue)


def test_many_differences_of_any_size_are_drawn_near_the_truth() -> None:
    random = Random(5)
    differences = [max(-1.0, min(1.0, random.gauss(0.06, 0.3))) for _ in range(120)]
    assert sign_flip(differences) == pytest.approx(
        stats.ttest_1samp(differences, 0, alternative="greater").pvalue, abs=0.01
    )


def test_a_drawn_p_value_is_never_zero_and_the_same_for_the_same_seed() -> None:
    differences = [0.5 + n * 0.001234567 for n in range(60)]
    assert sign_flip(differences) == 1 / 10_000
    mixed = [one * (-1) ** n for n, one in enumerate(differences)]
    assert sign_flip(mixed, seed=4) == sign_flip(mixed, seed=4)


def test_more_differences_than_fit_at_once_are_drawn_with_the_same_signs() -> None:
    random, count = Random(8), 900
    differences = np.array([random.gauss(0.02, 0.3) for _ in range(count)])
    bits = np.frombuffer(Random(2).randbytes(9_999 * 113), dtype=np.uint8).reshape(9_999, 113)
    signs = np.where(np.unpackbits(bits, axis=1, count=count), 1.0, -1.0)
    as_good = int((signs @ differences >= differences.sum()).sum())
    assert sign_flip(differences.tolist(), seed=2) == (1 + as_good) / 10_000


def test_without_any_difference_there_is_no_evidence() -> None:
    assert sign_flip([]) == sign_flip([0.0] * 50) == 1.0


@pytest.mark.parametrize("kind", ["hard", "three samples", "soft"])
def test_under_symmetric_noise_it_passes_no_more_often_than_stated(kind: str) -> None:
    random = Random(7)
    draws = {
        "hard": lambda: float(random.choice((-1, 0, 0, 1))),
        "three samples": lambda: sum(random.choice((-1, 0, 1)) for _ in range(3)) / 3,
        "soft": lambda: random.uniform(-0.3, 0.3),
    }
    passed = sum(sign_flip([draws[kind]() for _ in range(9)]) <= 0.05 for _ in range(400))
    assert stats.binomtest(passed, 400, 0.05, alternative="greater").pvalue > 0.001


def test_the_smallest_p_value_is_that_of_a_gain_in_every_case() -> None:
    assert all(sign_flip([1.0] * cases) == smallest_p(cases) for cases in range(30))
