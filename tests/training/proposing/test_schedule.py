"""The edit budget: the schedules to the number."""

from __future__ import annotations

import pytest

from metier.training.proposing.edit_budget import Planned, budget, clamp_budget, planned_budget
from metier.training.spec import Spec


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [("constant", [10, 10, 10, 10]), ("linear", [8, 6, 4, 2]), ("cosine", [9, 6, 3, 2])],
)
def test_ten_becomes_two_in_four_steps(schedule: Planned, expected: list[int]) -> None:
    assert [budget(schedule, step, 4, most=10, least=2) for step in range(1, 5)] == expected


def test_behind_the_last_step_the_budget_stays() -> None:
    assert budget("linear", 9, 4, most=10, least=2) == budget("cosine", 9, 4, most=10, least=2) == 2


def test_halves_are_rounded_to_even() -> None:
    assert budget("linear", 1, 2, most=4, least=1) == 2  # 2.5
    assert budget("linear", 1, 2, most=5, least=2) == 4  # 3.5


def test_the_budget_never_falls_below_the_least() -> None:
    assert budget("linear", 1, 2, most=1, least=3) == 3


@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine"])
def test_a_training_of_one_step_gets_the_whole_budget(schedule: Planned) -> None:
    assert [budget(schedule, 1, total, most=4, least=2) for total in (0, 1)] == [4, 4]
    assert planned_budget(Spec.of(schedule=schedule), 1, 1) == 4


def test_the_defaults_go_from_four_to_two() -> None:
    assert [planned_budget(Spec(), step, 20) for step in (1, 7, 10, 14, 20)] == [4, 3, 3, 2, 2]


def test_without_a_plan_the_model_decides_or_there_are_no_edits() -> None:
    assert planned_budget(Spec.of(schedule="autonomous"), 1, 4) is None
    assert planned_budget(Spec.of(update="full_rewrite"), 1, 4) is None


def test_what_the_model_says_is_clamped_and_nothing_means_none() -> None:
    assert [clamp_budget(said, 5) for said in (3, 9, -2, 0, None)] == [3, 5, 0, 0, 0]
