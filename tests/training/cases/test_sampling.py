"""Batches: every train case once an epoch, the same for the same seed."""

from __future__ import annotations

import pytest
from training_toys import case

from metier.errors import InputError
from metier.training.cases.batches import batches, check_splits, comparison_cases, steps_in
from metier.training.cases.splits import Splits
from metier.training.spec import Spec

CASES = tuple(case(number) for number in range(25))


def test_every_case_has_its_turn_once_an_epoch_and_the_last_batch_is_short() -> None:
    made = batches(CASES, Spec.of(batch=10), 1)
    assert [len(batch) for batch in made] == [10, 10, 5]
    assert sorted(one.id for batch in made for one in batch) == sorted(one.id for one in CASES)
    assert steps_in(25, Spec.of(batch=10)) == 3


def test_another_epoch_or_seed_has_another_order_and_the_same_one_the_same() -> None:
    spec = Spec.of(batch=10)
    assert batches(CASES, spec, 1) == batches(CASES, spec, 1)
    assert batches(CASES, spec, 1) != batches(CASES, spec, 2)
    assert batches(CASES, spec, 1) != batches(CASES, Spec.of(batch=10, seed=7), 1)


def test_epochs_are_compared_on_some_cases_in_their_own_order() -> None:
    made = comparison_cases(CASES, Spec.of(slow_cases=5), 2)
    assert len(made) == 5
    assert list(made) == sorted(made, key=CASES.index)
    assert comparison_cases(CASES, Spec.of(slow_cases=99), 2) == CASES


def test_a_run_needs_cases_to_learn_from_and_to_decide_with_each_under_its_own_id() -> None:
    with pytest.raises(InputError, match="val cases"):
        check_splits(Splits(train=CASES, val=()))
    with pytest.raises(InputError, match="'c0'"):
        check_splits(Splits(train=CASES, val=CASES[:1]))
    with pytest.raises(InputError, match="'c0'"):
        check_splits(Splits(train=CASES[1:], val=CASES[:1], confirm=CASES[:1]))
