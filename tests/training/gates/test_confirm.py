"""The confirm gate: it accepts what is proven, says when it cannot tell, and keeps its stated error rate."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from metier.errors import UsageError
from metier.statistics.intervals import wilson
from metier.statistics.pairs import Pair
from metier.training.gates.confirm import ConfirmRule, confirm

SIMULATIONS = 200


def pairs(*groups: tuple[int, float | None, float | None]) -> tuple[Pair, ...]:
    """So many cases with these scores, group after group."""
    scores = [(before, after) for count, before, after in groups for _ in range(count)]
    return tuple(Pair(case=f"c{n}", before=before, after=after) for n, (before, after) in enumerate(scores))


def test_a_clear_gain_on_fresh_cases_is_accepted_with_its_receipt() -> None:
    found = confirm(pairs((12, 0, 1), (1, 1, 0), (17, 1, 1)))
    assert found.decision.action == "accept"
    assert found.decision.deltas[0] == ("c0", 1.0)
    receipt = found.receipt
    assert (receipt.cases, receipt.alpha) == (30, 0.05)
    assert receipt.gain == pytest.approx(11 / 30)
    assert 0 < receipt.interval.low < receipt.gain < receipt.interval.high
    assert receipt.p == pytest.approx(14 / 2**13)
    assert "With 30 cases a gain under" in receipt.power
    assert "+36.7 points on 30 fresh cases (90% interval" in found.decision.reason


def test_few_cases_are_no_verdict_and_the_number_that_would_do_is_named() -> None:
    found = confirm(pairs((3, 0, 1)))
    assert found.decision.action == "uninformative"
    assert found.decision.reason.startswith("3 cases can prove nothing; about ")
    assert found.decision.reason.endswith(" would show a gain of +100.0 points")


def test_what_may_be_luck_is_no_verdict() -> None:
    found = confirm(pairs((4, 0, 1), (2, 1, 0), (11, 1, 1)))
    assert found.decision.action == "uninformative"
    assert "this may be luck; about" in found.decision.reason


def test_no_cases_at_all_are_no_verdict() -> None:
    assert confirm(()).decision.action == "uninformative"


def test_a_loss_is_rejected_once_a_gain_is_ruled_out() -> None:
    found = confirm(pairs((1, 0, 1), (12, 1, 0), (40, 1, 1)))
    assert found.decision.action == "reject"
    assert found.decision.reason.endswith(": it makes the work worse")
    same = confirm(pairs((2, 0, 1), (2, 1, 0), (200, 1, 1)))
    assert same.decision.action == "reject"
    assert "a gain of +5.0 points is ruled out" in same.decision.reason


def test_a_candidate_equal_in_every_case_is_never_accepted() -> None:
    actions = [confirm(pairs((count, 1, 1), (count, 0, 0))).decision.action for count in (2, 10, 200)]
    assert actions == ["uninformative", "uninformative", "reject"]


def test_an_arm_that_fails_to_finish_more_often_is_not_judged_by_the_rest() -> None:
    found = confirm(pairs((40, 0, 1), (7, 1, None)))
    assert found.decision.action == "uninformative"
    assert "0 of 47 cases have no score before the change, 7 after it" in found.decision.reason
    assert (found.receipt.unscored_before, found.receipt.unscored_after) == (0, 7)


def test_too_many_lost_cases_in_both_arms_are_no_verdict_either() -> None:
    found = confirm(pairs((20, 0, 1), (4, None, 1), (4, 1, None)))
    assert found.decision.action == "uninformative"
    assert "too many to decide by the rest" in found.decision.reason


def test_a_few_lost_cases_are_left_out_of_both_arms() -> None:
    found = confirm(pairs((20, 0, 1), (1, None, 1), (1, 1, None)))
    assert found.decision.action == "accept"
    assert len(found.decision.deltas) == found.receipt.cases == 20


def test_a_gain_that_hangs_on_cases_the_candidate_did_not_finish_is_no_verdict() -> None:
    assert confirm(pairs((6, 0, 1), (30, 1, 1), (2, 0, None))).decision.action == "accept"
    found = confirm(pairs((6, 0, 1), (30, 1, 1), (2, 1, None)))
    assert found.decision.action == "uninformative"
    assert "2 cases that only the new skill did not finish would change this if they failed" in found.decision.reason


def test_a_candidate_that_does_not_finish_what_it_fails_gains_nothing_by_it() -> None:
    random, shipped = Random(6), 0
    for _ in range(SIMULATIONS):
        scores = [(float(random.random() < 0.5), float(random.random() < 0.5)) for _ in range(80)]
        hidden = [(before, None if not after and random.random() < 0.08 else after) for before, after in scores]
        shipped += confirm(pairs(*((1, before, after) for before, after in hidden))).decision.action == "accept"
    assert wilson(shipped, SIMULATIONS).low <= 0.05


def test_no_case_may_lose_more_than_the_rule_allows() -> None:
    scores = pairs((25, 0, 1), (1, 1, 0.4))
    assert confirm(scores).decision.action == "accept"
    found = confirm(scores, ConfirmRule(worst_loss=0.5))
    assert found.decision.action == "reject"
    assert found.decision.reason == "case c25 lost +60.0 points; none may lose more than +50.0 points"
    assert confirm(scores, ConfirmRule(worst_loss=0.6)).decision.action == "accept"


def test_a_loss_of_just_what_is_allowed_is_not_more_by_a_rounding() -> None:
    assert 0.7 - 0.8 < -0.1
    assert confirm(pairs((20, 0, 1), (1, 0.8, 0.7)), ConfirmRule(worst_loss=0.1)).decision.action == "accept"


def test_many_small_gains_do_not_outweigh_a_great_loss_that_few_cases_cannot_show() -> None:
    assert confirm(pairs((17, 0.9, 0.95))).decision.action == "uninformative"


def test_each_planned_look_at_the_same_cases_asks_for_more() -> None:
    scores = pairs((6, 0, 1), (20, 1, 1))
    assert confirm(scores).decision.action == "accept"
    shared = confirm(scores, ConfirmRule(looks=5), look=2)
    assert shared.receipt.alpha == pytest.approx(0.01)
    assert shared.decision.action == "uninformative"


def test_a_look_that_was_not_planned_decides_nothing() -> None:
    found = confirm(pairs((30, 0, 1)), look=2)
    assert found.decision.action == "uninformative"
    assert found.decision.reason == "these cases were planned for 1 look; take fresh ones"


@pytest.mark.parametrize("settings", [{"alpha": 0.0}, {"alpha": 0.5}, {"power": 1.0}, {"looks": 0}])
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="error rate"):
        ConfirmRule(**settings)


# ---- the stated error rate, in short; benchmarks/gates/confirm.py has the long version -------------------------


def benchmark() -> Any:
    file = Path(__file__).parents[3] / "benchmarks" / "gates" / "confirm.py"
    spec = importlib.util.spec_from_file_location("confirm_benchmark", file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.setdefault(spec.name, importlib.util.module_from_spec(spec))
    spec.loader.exec_module(module)
    return module


BENCHMARK = benchmark()


@pytest.mark.parametrize("cases", [17, 40])
@pytest.mark.parametrize("kind", BENCHMARK.NOTHING, ids=lambda kind: kind.name)
def test_a_change_that_does_nothing_ships_no_more_often_than_stated(kind: Any, cases: int) -> None:
    cell = BENCHMARK.simulated(kind, cases, SIMULATIONS)
    assert wilson(cell.shipped, SIMULATIONS).low <= 0.05
    assert wilson(cell.covered, SIMULATIONS).high >= 0.9


def test_a_large_gain_ships_and_its_interval_holds_it() -> None:
    kind = next(kind for kind in BENCHMARK.SOMETHING if kind.truth == 0.3)
    cell = BENCHMARK.simulated(kind, 80, SIMULATIONS)
    assert cell.shipped >= 0.9 * SIMULATIONS
    assert wilson(cell.covered, SIMULATIONS).high >= 0.9
