"""What is said of a skill is right as often as it claims to be, however often one looks."""

from __future__ import annotations

import numpy as np
import pytest

from metier.selection.worth.utility import Counts, adjustment_of, lift

LOOKS = (20, 100, 200, 500)


def histories(count: int, runs: int, *, base: float, effect: float, rate: float) -> list[np.ndarray]:
    """What is counted after every run: at a rate the skill is withheld, else runs go better by its effect.

    Rows are runs; columns are runs with it, successes of these, runs that had it withheld, successes of these.
    """
    dice = np.random.default_rng(7)
    out = dice.random((count, runs)) < rate
    good = dice.random((count, runs)) < np.where(out, base, base + effect)
    columns = (~out, ~out & good, out, out & good)
    return list(np.stack([np.cumsum(column, axis=1) for column in columns], axis=2))


def counts(row: np.ndarray) -> Counts:
    with_runs, with_successes, withheld_runs, withheld_successes = (int(one) for one in row)
    return Counts(
        with_runs=with_runs,
        with_successes=with_successes,
        withheld_runs=withheld_runs,
        withheld_successes=withheld_successes,
    )


def called(row: np.ndarray, base: float = 0.6) -> str:
    """What is said of a skill: that it helps, that it hurts, or nothing."""
    found = lift(counts(row), base)
    if found is None or not found.measured:
        return ""
    return "helps" if found.low > 0 else "hurts" if found.high < 0 else ""


@pytest.mark.parametrize(("base", "rate"), [(0.5, 0.5), (0.7, 0.1), (0.95, 0.1), (0.1, 0.3)])
def test_of_skills_without_effect_at_most_one_in_twenty_is_called_anything_at_any_look(
    base: float, rate: float
) -> None:
    wrong = dict.fromkeys(LOOKS, 0)
    for history in histories(1_000, LOOKS[-1], base=base, effect=0.0, rate=rate):
        for look in LOOKS:
            wrong[look] += bool(called(history[look - 1]))
    assert all(count <= 50 for count in wrong.values()), wrong


def test_looking_after_every_run_does_not_make_it_wrong_more_often() -> None:
    several = histories(100, 300, base=0.5, effect=0.0, rate=0.5)
    assert sum(any(called(row) for row in history) for history in several) <= 0.05 * 100


@pytest.mark.parametrize(("effect", "said"), [(0.3, "helps"), (-0.3, "hurts")])
def test_a_real_effect_is_found_in_most_histories_of_two_hundred_runs(effect: float, said: str) -> None:
    found = [called(history[-1]) for history in histories(400, 200, base=0.5, effect=effect, rate=0.2)]
    assert found.count(said) > 0.55 * 400
    assert set(found) <= {said, ""}
    sharper = [called(history[-1]) for history in histories(400, 200, base=0.5, effect=effect, rate=0.5)]
    assert sharper.count(said) > 0.85 * 400


@pytest.mark.parametrize("effect", [0.3, -0.3])
def test_what_is_surely_worse_is_not_to_be_chosen_and_what_is_surely_better_rises(effect: float) -> None:
    row = histories(1, 500, base=0.5, effect=effect, rate=0.5)[0][-1]
    found = adjustment_of(counts(row), 0.6)
    assert found.hurts == (called(row) == "hurts") == (effect < 0)
    assert found.factor > 1 or found.hurts


def test_runs_that_do_not_say_what_they_used_prove_nothing_about_use() -> None:
    assert adjustment_of(Counts(selected=500, told=0), 0.5).factor == 1.0
    assert adjustment_of(Counts(selected=500, told=100, used=1, succeeded=1), 0.5).factor < 1.0


@pytest.mark.parametrize("base", [0.05, 0.5, 0.95])
def test_a_base_rate_of_other_work_does_not_bias_the_comparison(base: float) -> None:
    found = lift(Counts(with_runs=180, with_successes=171, withheld_runs=20, withheld_successes=19), base)
    assert found
    assert abs(found.mean) < 0.02
