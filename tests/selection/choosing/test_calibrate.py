from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection_world import BY_HAND, scored, skill

from metier.selection.choosing.calibration import Calibration, confident_places, interpolate, logistic
from metier.selection.choosing.features import Features, features
from metier.selection.types import ScoredSkill
from selection.fitting import Example, TooFew, fit, isotonic, reliability, weighted

UNIT = st.floats(0, 1)
SEEN = st.builds(Features, score=UNIT, gap=st.floats(-1, 1), coverage=UNIT, evidence=UNIT, named=UNIT, alone=UNIT)


def examples(count: int, seed: int = 7) -> list[Example]:
    """Candidates whose label follows their score, gap and coverage, with noise; the rest says nothing."""
    dice = random.Random(seed)
    made: list[Example] = []
    for _ in range(count):
        seen = Features(
            dice.random(), dice.uniform(-1, 1), dice.random(), 0.5, float(dice.random() < 0.2), dice.random()
        )
        chance = logistic(-4 + 4 * seen.score + 1.5 * seen.gap + 3 * seen.coverage)
        made.append(Example(features=seen, right=dice.random() < chance))
    return made


@pytest.fixture(scope="module")
def fitted() -> Calibration:
    found = fit(examples(1_000), "test-1")
    assert isinstance(found, Calibration)
    return found


# ---- features ---------------------------------------------------------------------------------------------------


def test_features_say_how_far_ahead_and_how_alone_a_candidate_is() -> None:
    first, second, third = features("ship the shop", scored(0.8, 0.5, 0.5))
    assert (first.gap, first.alone) == (pytest.approx(0.3), 1.0)
    assert (second.gap, second.alone) == (pytest.approx(-0.3), 0.5)
    assert third == second


def test_coverage_counts_long_words_more_and_takes_retrievals_own_where_there_is_one() -> None:
    one = ScoredSkill(skill=skill("x", description="", body="kubernetes"), score=0.5)
    assert features("kubernetes is on", [one])[0].coverage == 1.0
    assert 0.5 < features("kubernetes rollback", [one])[0].coverage < 0.7
    assert features("kubernetes", [replace(one, parts=(("coverage", 0.25),))])[0].coverage == 0.25
    assert features("", [one])[0].coverage == 0.0


def test_a_task_that_names_the_skill_is_noticed() -> None:
    one = ScoredSkill(skill=skill("deploy-shop"), score=0.5)
    assert features("please deploy the Shop", [one])[0].named == 1.0
    assert features("please deploy", [one])[0].named == 0.0


# ---- the map ----------------------------------------------------------------------------------------------------


@given(SEEN, SEEN)
@settings(deadline=None)
def test_more_of_everything_is_never_less_likely(one: Features, other: Features) -> None:
    better = Features(*(max(pair) for pair in zip(one, other, strict=True)))
    known = replace(BY_HAND, knots=((0.1, 0.05), (0.5, 0.3), (0.9, 0.95)))
    for calibration in (BY_HAND, known):
        assert 0 <= calibration.probability(one) <= calibration.probability(better) <= 1


def test_the_line_through_the_knots_is_flat_outside_and_straight_between() -> None:
    knots = ((0.2, 0.1), (0.4, 0.5))
    assert [interpolate(knots, at) for at in (0.0, 0.2, 0.3, 0.4, 1.0)] == pytest.approx([0.1, 0.1, 0.3, 0.5, 0.5])


def test_confidence_takes_the_likeliest_first_and_abstains_below_the_threshold() -> None:
    assert confident_places((0.7, 0.2, 0.9, 0.7), (0.6,) * 4, 5) == (2, 0, 3)
    assert confident_places((0.7, 0.2, 0.9, 0.7), (0.6,) * 4, 1) == (2,)
    assert confident_places((0.59, 0.35), (0.6, 0.3), 5) == (1,)
    assert confident_places((0.59, 0.1), (0.6, 0.6), 5) == ()


@pytest.mark.parametrize("value", [-1e308, -800.0, 0.0, 800.0, 1e308])
def test_the_logistic_function_takes_any_number(value: float) -> None:
    assert 0 <= logistic(value) <= 1


# ---- the fit ----------------------------------------------------------------------------------------------------


def test_a_fit_finds_what_matters_and_leaves_the_rest(fitted: Calibration) -> None:
    weights = fitted.weights
    assert weights.score == pytest.approx(4, abs=0.8)
    assert weights.gap == pytest.approx(1.5, abs=0.4)
    assert weights.coverage == pytest.approx(3, abs=0.8)
    assert max(weights.named, weights.alone) < 0.6
    assert min(weights) >= 0


def test_fitted_probabilities_hold_on_examples_not_seen(fitted: Calibration) -> None:
    found = reliability(fitted, examples(3_000, seed=8))
    assert found.error < 0.05
    assert found.brier < 0.8 * found.base * (1 - found.base)
    by_hand = reliability(BY_HAND, examples(3_000, seed=8))
    assert found.brier < by_hand.brier


def test_the_threshold_keeps_the_wanted_precision_on_examples_not_seen(fitted: Calibration) -> None:
    acted = [one for one in examples(3_000, seed=9) if fitted.probability(one.features) >= fitted.threshold]
    assert len(acted) > 200
    assert sum(one.right for one in acted) / len(acted) > 0.74


def test_labels_that_follow_nothing_give_a_map_that_never_acts() -> None:
    dice = random.Random(3)
    noise = [replace(one, right=dice.random() < 0.2) for one in examples(600)]
    found = fit(noise, "noise")
    assert isinstance(found, Calibration)
    acted = [one for one in examples(500, seed=4) if found.probability(one.features) >= found.threshold]
    assert len(acted) <= 5


def test_a_fit_to_little_and_to_noise_claims_less_than_one_that_grades_itself() -> None:
    """What the weights mean is learned from examples that the weights have not seen."""

    def noise(count: int, seed: int) -> list[Example]:
        dice = random.Random(seed)
        return [replace(one, right=dice.random() < 0.3) for one in examples(count, seed)]

    fresh, honest, graded = noise(600, 999), 0.0, 0.0
    for seed in range(15):
        few = noise(40, seed)
        found, own = fit(few, "x"), weighted(few, "x")
        assert isinstance(found, Calibration)
        honest += reliability(found, fresh).brier
        own = replace(own, knots=isotonic([(own.raw(one.features), one.right) for one in few]))
        graded += reliability(own, fresh).brier
    assert honest / 15 < 0.235 < graded / 15


def test_few_examples_or_one_kind_alone_are_not_fitted_to() -> None:
    assert isinstance(fit(examples(10), "x"), TooFew)
    assert isinstance(fit([replace(one, right=True) for one in examples(50)], "x"), TooFew)
    assert isinstance(fit([], "x"), TooFew)


def test_candidates_of_one_task_stay_together() -> None:
    """Here each task has its own verdict on all its candidates: seen in one fold, it would give away the others."""
    dice = random.Random(1)
    grouped: list[Example] = []
    for task in range(30):
        seen, right = examples(1, seed=task)[0].features, dice.random() < 0.4
        grouped += [Example(features=seen, right=right, query=f"task {task}") for _ in range(5)]
    apart = fit(grouped, "x")
    mixed = fit([replace(one, query="") for one in grouped], "x")
    assert isinstance(apart, Calibration)
    assert isinstance(mixed, Calibration)
    fresh = [replace(one, right=dice.random() < 0.4) for one in examples(600, seed=77)]
    assert reliability(apart, fresh).brier < reliability(mixed, fresh).brier


def test_a_weight_that_would_be_negative_is_none() -> None:
    upside_down = [replace(one, right=not one.right) for one in examples(400)]
    assert weighted(upside_down, "x").weights.score == 0.0


def test_the_same_examples_give_the_same_fit_in_bounded_time() -> None:
    began = time.perf_counter()
    assert fit(examples(200), "x") == fit(examples(200), "x")
    assert time.perf_counter() - began < 5


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
@settings(deadline=None)
def test_isotonic_regression_rises_and_keeps_the_mean_of_ties(pairs: list[tuple[float, bool]]) -> None:
    knots = isotonic(pairs)
    places, heights = zip(*knots, strict=True)
    assert list(places) == sorted(set(places))
    assert list(heights) == sorted(heights)
    assert all(0 < height < 1 for height in heights)


def test_isotonic_regression_pools_what_violates_the_order() -> None:
    pairs = [(0.1, False), (0.2, True), (0.3, False), (0.9, True), (0.9, True)]
    assert isotonic(pairs) == (
        (0.1, pytest.approx(0.25)),
        (pytest.approx(0.25), pytest.approx(0.5)),
        (0.9, pytest.approx(2.5 / 3)),
    )


def test_all_examples_alike_are_one_knot() -> None:
    assert isotonic([(0.5, True)] * 3 + [(0.5, False)]) == ((0.5, pytest.approx(0.7)),)
