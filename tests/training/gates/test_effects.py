"""Many edits at once: the halves are balanced, and every edit's effect comes out of them."""

from __future__ import annotations

from itertools import combinations
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.training.gates.effects import EffectEstimate, estimates, evidence_groups, halves, shrunken_effects


@pytest.mark.parametrize("edits", [1, 2, 3, 7, 8, 15, 16])
def test_every_edit_is_in_as_often_as_out_and_with_any_other_as_often_as_without(edits: int) -> None:
    made = [half for pair in halves(edits, seed=3) for half in pair]
    for one in range(edits):
        assert sum(half[one] for half in made) * 2 == len(made)
    for one, other in combinations(range(edits), 2):
        assert sum(half[one] and half[other] for half in made) * 4 == len(made)


def test_the_two_halves_of_a_pair_make_a_whole() -> None:
    for one, other in halves(15, seed=1):
        assert all(x is not y for x, y in zip(one, other, strict=True))


def test_the_seed_alone_decides_the_halves() -> None:
    assert halves(9, seed=4) == halves(9, seed=4) != halves(9, seed=5)


@given(st.integers(2, 15), st.data())
def test_edits_in_conflict_are_never_together(edits: int, data: st.DataObject) -> None:
    among = st.sampled_from(list(combinations(range(edits), 2)))
    conflicts = data.draw(st.sets(among, max_size=4))
    for pair in halves(edits, conflicts, seed=data.draw(st.integers(0, 9))):
        for half in pair:
            assert not any(half[one] and half[other] for one, other in conflicts)


def test_each_of_two_edits_in_conflict_has_its_turn() -> None:
    made = [half for pair in halves(7, [(2, 5)], seed=2) for half in pair]
    assert sum(half[2] for half in made) >= len(made) // 4
    assert sum(half[5] for half in made) >= len(made) // 4


def test_effects_that_add_up_are_found_exactly() -> None:
    truth = [0.1, -0.05, 0.0, 0.2, 0.03]
    pairs = halves(5, [(0, 3)], seed=1)
    worth = [
        tuple(sum(effect for effect, there in zip(truth, half, strict=True) if there) for half in pair)
        for pair in pairs
    ]
    found = estimates(pairs, [one - other for one, other in worth])
    assert [one.effect for one in found] == pytest.approx(truth)


def test_an_edit_that_was_never_tried_has_no_effect_and_no_certainty() -> None:
    (never, always) = estimates([((False, True), (False, False))] * 40, [1.0] * 40)
    assert (never.effect, never.error) == (0.0, 1.0)
    assert always.z > 5


def test_intervals_hold_the_truth_as_often_as_they_state() -> None:
    random, truth, held = Random(5), [0.08, 0.0, -0.04, 0.0, 0.03, 0.0, 0.0], list[bool]()
    for round_ in range(120):
        pairs = halves(7, seed=round_) * 12
        differences: list[float] = []
        for pair in pairs:
            one, other = (
                random.random() < 0.4 + sum(effect for effect, there in zip(truth, half, strict=True) if there)
                for half in pair
            )
            differences.append(float(one) - other)
        found = estimates(pairs, differences)
        held += [one.interval.holds(effect) for one, effect in zip(found, truth, strict=True)]
    assert 0.93 < fmean(held) < 0.98


def test_effects_no_further_apart_than_luck_makes_them_shrink_to_nothing() -> None:
    luck = [EffectEstimate(effect=effect, error=0.05) for effect in (0.03, -0.04, 0.02, 0.0)]
    assert shrunken_effects(luck) == (0.0, 0.0, 0.0, 0.0)
    real = [EffectEstimate(effect=effect, error=0.05) for effect in (0.3, -0.4, 0.02, 0.0)]
    assert 0.28 < shrunken_effects(real)[0] < 0.3


def test_two_estimates_together_are_surer_than_either() -> None:
    one, other = EffectEstimate(effect=0.1, error=0.1), EffectEstimate(effect=0.2, error=0.1)
    both = one.with_(other)
    assert both.effect == pytest.approx(0.15)
    assert both.error == pytest.approx(0.1 / 2**0.5)
    assert EffectEstimate().with_(one) == EffectEstimate(effect=pytest.approx(0.1), error=pytest.approx(0.1))


def test_an_agent_that_repeats_itself_says_nothing_new() -> None:
    cases = ["a", "b", "a", "b", "a", "b"]
    assert evidence_groups(cases, [0, 1, 0, 1, 0, 1]) == [[0, 2, 4], [1, 3, 5]]
    assert evidence_groups(cases, [0, 1, 1, 1, 0, 0]) == [[at] for at in range(6)]
    assert evidence_groups([], []) == []
    assert evidence_groups(["a", "b"], [0, 1]) == [[0], [1]]
