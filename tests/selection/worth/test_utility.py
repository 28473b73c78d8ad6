from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selection_world import skill

from metier.selection.choosing.choose import is_explored, rank
from metier.selection.types import ScoredSkill, SelectionSettings, Task
from metier.selection.worth.utility import MOST, UNKNOWN, Counts, adjustment_of, lift


def trial(with_: tuple[int, int], withheld: tuple[int, int]) -> Counts:
    return Counts(
        with_successes=with_[0], with_runs=with_[1], withheld_successes=withheld[0], withheld_runs=withheld[1]
    )


def test_a_skill_nobody_has_seen_is_left_alone() -> None:
    assert adjustment_of(Counts(), 0.5) == UNKNOWN


@pytest.mark.parametrize("counts", [trial((2, 2), (0, 2)), trial((0, 2), (2, 2)), Counts(used=2, failed=2)])
def test_two_runs_prove_nothing(counts: Counts) -> None:
    found = adjustment_of(counts, 0.6)
    assert (found.factor, found.hurts) == (1.0, False)
    assert "not sure yet" in found.reason


def test_a_lift_that_many_runs_show_moves_a_skill_up_by_its_lower_bound() -> None:
    found = adjustment_of(trial((90, 100), (50, 100)), 0.6)
    assert 1.1 < found.factor < 1.3
    assert found.factor == pytest.approx(1 + lift(trial((90, 100), (50, 100)), 0.6).low)  # type: ignore[union-attr]


def test_a_skill_that_hurts_is_noticed_and_no_longer_ranked() -> None:
    found = adjustment_of(trial((20, 60), (50, 60)), 0.6)
    assert found.hurts
    assert "runs without it go better" in found.reason
    candidates = [ScoredSkill(skill=skill("bad"), score=0.9), ScoredSkill(skill=skill("good"), score=0.5)]
    assert [one.skill.name for one in rank(candidates, SelectionSettings(), {"bad": found})] == ["good"]


def test_a_skill_that_agents_leave_aside_moves_down_once_that_is_certain() -> None:
    assert adjustment_of(Counts(selected=9), 0.5).factor == 1.0
    ignored = adjustment_of(Counts(selected=60, used=1, succeeded=1), 0.5)
    assert ignored.factor == 0.8
    assert "handed over 60 times and used 1" in ignored.reason
    assert adjustment_of(Counts(selected=60, used=30), 0.5).factor == 1.0


def test_failures_alone_never_prove_that_a_skill_hurts() -> None:
    """It may be used for the hard tasks."""
    found = adjustment_of(Counts(used=200, succeeded=20, failed=180), 0.7)
    assert not found.hurts
    assert 0.7 < found.factor < 1.0


def test_successes_without_withheld_runs_count_less_than_a_measured_lift() -> None:
    seen = adjustment_of(Counts(used=100, succeeded=95, failed=5), 0.5)
    measured = adjustment_of(trial((95, 100), (50, 100)), 0.5)
    assert 1.0 < seen.factor < measured.factor


@given(*(st.integers(0, 500) for _ in range(4)), st.floats(0, 1))
def test_every_record_gives_a_bounded_factor_and_an_ordered_interval(
    a: int, b: int, c: int, d: int, base: float
) -> None:
    counts = trial((min(a, b), b), (min(c, d), d))
    found = adjustment_of(counts, base)
    assert 0 <= found.factor <= 1 + MOST
    assert found.hurts == (found.factor == 0.0)
    measured = lift(counts, base)
    if measured:
        assert measured.low <= measured.mean <= measured.high


@given(st.integers(0, 60), st.integers(0, 60))
def test_one_more_success_never_lowers_a_skill(successes: int, failures: int) -> None:
    runs = successes + failures + 1
    less = adjustment_of(trial((successes, runs), (30, 60)), 0.5).factor
    more = adjustment_of(trial((successes + 1, runs), (30, 60)), 0.5).factor
    assert more >= less


@pytest.mark.parametrize(("with_", "without", "runs"), [(0.5, 0.5, 10), (0.8, 0.6, 20), (0.3, 0.7, 50), (0.9, 0.9, 5)])
def test_the_interval_holds_the_truth_as_often_as_it_claims(with_: float, without: float, runs: int) -> None:
    dice = random.Random(11)
    held = 0
    for _ in range(600):
        good = sum(dice.random() < with_ for _ in range(runs))
        other = sum(dice.random() < without for _ in range(runs))
        found = lift(trial((good, runs), (other, runs)), 0.6)
        assert found is not None
        held += found.low <= with_ - without <= found.high
    assert held / 600 > 0.93


def test_a_skill_that_does_nothing_is_rarely_called_harmful() -> None:
    dice = random.Random(5)
    called = 0
    for _ in range(600):
        good, other = (sum(dice.random() < 0.7 for _ in range(15)) for _ in range(2))
        called += adjustment_of(trial((good, 15), (other, 15)), 0.7).hurts
    assert called / 600 < 0.025


# ---- chance -----------------------------------------------------------------------------------------------------


def test_the_same_lot_is_explored_every_time_and_another_day_draws_another() -> None:
    one, task = skill("a"), Task(text="ship", day="2026-01-01")
    first = [is_explored(Task(text="ship", day=f"2026-01-{day:02}"), one, 0.5) for day in range(1, 29)]
    assert first == [is_explored(Task(text="ship", day=f"2026-01-{day:02}"), one, 0.5) for day in range(1, 29)]
    assert len(set(first)) == 2
    assert not is_explored(task, one, 0.0)
    assert is_explored(task, one, 1.0)


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5])
def test_lots_are_drawn_at_the_set_rate(rate: float) -> None:
    count = sum(is_explored(Task(text=f"task {at}"), skill("a"), rate) for at in range(5_000))
    assert abs(count / 5_000 - rate) < 0.025


def test_other_versions_draw_lots_of_their_own() -> None:
    tasks = [Task(text=f"task {at}") for at in range(200)]
    explored = [is_explored(task, skill("a"), 0.5) for task in tasks]
    assert explored != [is_explored(task, skill("a", content_hash="cd" * 32), 0.5) for task in tasks]
    assert isinstance(is_explored(Task(text="\ud800"), skill("a"), 0.5), bool)
