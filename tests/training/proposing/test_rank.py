"""Ranking: only when there are too many, and never without an end."""

from __future__ import annotations

import pytest
from training_toys import bundle, contents, desk, setting

from metier.models.failures import OverBudget
from metier.models.scripted import Scripted, fails
from metier.training.proposing.optimiser import Optimiser
from metier.training.proposing.rank import decide_budget, rank, valid_indices
from metier.training.rollouts.pool import InOrder, PoolUsage
from metier.training.rollouts.rollout import Halt
from metier.training.rollouts.usage import Bill

THREE = bundle("a", "b", "c")


def test_as_many_as_the_budget_need_no_call() -> None:
    place, model = desk()
    assert rank(THREE, 3, place, setting()).bundle == THREE
    assert rank(THREE, None, place, setting()).bundle == THREE
    assert model.requests == []


def test_a_budget_of_none_keeps_none_and_asks_nobody() -> None:
    place, model = desk()
    assert rank(THREE, 0, place, setting()).bundle.items == ()
    assert model.requests == []


def test_the_model_says_which_come_first() -> None:
    place, model = desk({"selected_indices": [2, 0, 1]})
    found = rank(THREE, 2, place, setting())
    assert contents(found.bundle) == ["c", "a"]
    assert found.problem == ""
    assert "[0]" in model.requests[0].messages[0].text


def test_indices_that_name_nothing_or_come_twice_are_dropped() -> None:
    assert valid_indices([5, -1, "1", True, 1, 1, None, 0, 2], 3, 2) == (1, 0)
    place, _ = desk({"selected_indices": [9, 1, 1]})
    assert contents(rank(THREE, 2, place, setting()).bundle) == ["b"]


@pytest.mark.parametrize("answer", [None, {"selected_indices": []}, {"selected_indices": [7]}, "no JSON"])
def test_a_failed_call_keeps_the_first(answer: object) -> None:
    place, _ = desk(answer)
    found = rank(THREE, 2, place, setting())
    assert contents(found.bundle) == ["a", "b"]
    assert found.problem


@pytest.mark.parametrize(
    ("answer", "expected"),
    [({"learning_rate": 2}, 2), ({"learning_rate": 99}, 3), ({"learning_rate": -1}, 0), (None, 0), ({"n": 2}, 0)],
)
def test_the_model_says_how_many_and_nothing_usable_means_none(answer: object, expected: int) -> None:
    place, _ = desk(answer)
    count, problem = decide_budget(THREE, place, setting(), "3 cases")
    assert count == expected
    assert bool(problem) is (answer is None or answer == {"n": 2})


@pytest.mark.parametrize(
    ("said", "expected"),
    [(2.0, 2), ("3 edits", 3), ("about 2", 2), (2.5, 2), ("2", 2), (-1.0, 0), ("-2", 0), (0, 0), ([2], 2), (1e20, 3)],
)
def test_a_number_of_edits_is_read_leniently(said: object, expected: int) -> None:
    place, _ = desk({"learning_rate": said})
    assert decide_budget(THREE, place, setting(), "3 cases") == (expected, "")


@pytest.mark.parametrize("said", [True, False, "", "none", None, [], {}])
def test_what_holds_no_number_of_edits_means_none(said: object) -> None:
    place, _ = desk({"learning_rate": said})
    count, problem = decide_budget(THREE, place, setting(), "3 cases")
    assert count == 0
    assert problem


def test_a_used_up_budget_ends_the_run() -> None:
    model = Scripted(otherwise=fails(OverBudget(reason="5 calls are used up")))
    with pytest.raises(Halt, match="used up"):
        rank(THREE, 2, Optimiser(model, PoolUsage(InOrder()), Bill(), 5.0), setting())
