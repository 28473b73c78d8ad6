"""The staged gate: paired, block by block, out with what cannot win."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from training_toys import TEXT, Rules, Teacher, package, run, splits

from metier.models.model import Reply
from metier.training.gates.staged import in_errors, why_behind
from metier.training.result import JudgedChange
from metier.training.spec import Spec
from metier.types.trials import Rollout, Scored

if TYPE_CHECKING:
    from metier.models.model import Request
    from metier.skills.package import Package
    from metier.training.rollouts.rollout import BudgetSpent
    from metier.types.trials import Case

SPEC = Spec.of(
    gate="staged", epochs=1, batch=12, block=4, behind=0.0, slow=False, meta=False, baselines=False, ahead=False
)


def test_a_candidate_that_is_not_ahead_after_a_block_is_dropped_there() -> None:
    class Talker(Teacher):
        """Proposes what helps nobody."""

        def complete(self, request: Request) -> Reply:
            reply = super().complete(request)
            return replace(reply, text=reply.text.replace("- rule", "- talk about rule"))

    world = Rules()
    ran = run(SPEC, world=world, model=Talker(), cases=splits(val=60))
    assert set(ran.actions) == {"reject"}
    per_step = 12 + 2 * SPEC.gating.block
    assert world.made.total() <= 60 + 2 * per_step + 2 * SPEC.gating.block


def test_what_stays_ahead_is_accepted_and_scored_on_attempts_that_did_not_choose_it() -> None:
    world = Rules()
    ran = run(SPEC, world=world)
    assert "accept_new_best" in ran.actions
    outcome = ran.trained.steps[0].outcome
    assert isinstance(outcome, JudgedChange)
    samples = {sample for case, skill, sample in world.made if skill == outcome.skill_hash and case.startswith("val")}
    assert samples >= {0, 1}, "0 is reported, 1 was compared by"


def test_without_measuring_again_the_scores_that_chose_are_the_ones_reported() -> None:
    world = Rules()
    run(SPEC.replace(remeasure=False), world=world)
    assert {sample for case, _, sample in world.made if case.startswith("val")} == {0}


def test_a_case_that_loses_too_much_ends_it() -> None:
    deltas, careful = [("a", 1.0), ("b", 1.0), ("c", -1.0)], SPEC.replace(max_loss=0.5).gating
    assert why_behind(deltas, careful, last=False) == "case c loses 1.0000, more than 0.5"
    assert why_behind(deltas, SPEC.gating, last=True) == ""
    assert why_behind([], careful, last=True) == ""


def test_a_candidate_may_be_behind_for_a_while_if_that_is_set_but_not_at_the_end() -> None:
    deltas, patient = [("a", 1.0), ("b", -1.0), ("c", -1.0)], SPEC.replace(behind=1.0).gating
    assert "not ahead" in why_behind(deltas, SPEC.gating, last=False)
    assert why_behind(deltas, patient, last=False) == ""
    assert "not ahead" in why_behind(deltas, patient, last=True)


def test_cases_without_a_score_decide_nothing() -> None:
    ran = run(SPEC, world=Rules(broken=tuple(f"val{number}" for number in range(12))))
    assert set(ran.actions) == {"uninformative"}


@pytest.mark.parametrize(("values", "low", "high"), [((), -0.01, 0.01), ((1.0,), 0.3, 1.2), ((-1.0,) * 30, -20, -5)])
def test_a_handful_of_cases_proves_nothing(values: tuple[float, ...], low: float, high: float) -> None:
    assert low < in_errors(values) < high


class Misled(Rules):
    """Guidance undoes the first rules."""

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        made = super().roll(case, skill, sample)
        misled = skill and b"Mind what regressed" in skill.document and case.tags[0] in ("rule-0", "rule-1", "rule-2")
        return replace(made, score=Scored(hard=0.0, soft=0.0)) if misled and isinstance(made, Rollout) else made


class Bolder(Teacher):
    """Wants one edit made at first, and two in the last epoch."""

    def complete(self, request: Request) -> Reply:
        if request.stage != "budget":
            return super().complete(request)
        self.asked.append(request)
        return Reply(text=f'{{"learning_rate": {1 + (sum(one.stage == "budget" for one in self.asked) > 3)}}}')


@pytest.mark.parametrize("gate", ["staged", "screen", "adaptive"])
def test_what_is_better_than_guidance_that_no_gate_saw_is_not_the_best_for_that(gate: str) -> None:
    spec = SPEC.replace(gate=gate, epochs=4, batch=24, block=20, slow=True, gate_everything=False, quick=9)
    spec = spec.replace(schedule="autonomous", screen_edits=1)
    start = package(TEXT + "- rule-0\n- rule-1\n- rule-2\n")
    ran = run(spec, world=Misled(), model=Bolder(), cases=splits(val=36, rules=9), start=start)
    assert ran.actions == ["accept_new_best", "accept_new_best", "accept", "accept"]
    assert ran.trained.best_step == 2
