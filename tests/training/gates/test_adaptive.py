"""The adaptive gate: bundles while they have a clear lead; then screenings, thorough ones when they bring nothing."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from training_toys import TEXT, Rules, run, splits

from metier.models.model import Reply
from metier.models.scripted import Scripted, on
from metier.training.presets import default_spec
from metier.training.result import UnjudgedChange
from metier.types.trials import Rollout, Scored

if TYPE_CHECKING:
    from metier.models.model import Request
    from metier.skills.package import Package
    from metier.training.rollouts.rollout import BudgetSpent
    from metier.types.trials import Case


def proposer(line: str) -> Scripted:
    """New lines at every question, four at a time, in the words of `line`."""
    asked = Counter[str]()

    def answer(request: Request) -> Reply:
        asked["asked"] += request.stage == "reflect"
        new = [line.format(4 * asked["asked"] + number - 4) for number in range(4)]
        return Reply(text=json.dumps({"edits": [{"op": "append", "content": one} for one in new]}))

    return Scripted(on(".", answer))


def screenings(world: Rules, val: int) -> list[int]:
    """Rollouts of val cases beside those of the initial skill and of what was accepted, by attempt."""
    attempts = Counter(sample for case, _, sample in world.made.elements() if case.startswith("val"))
    return [attempts[sample] // val for sample in sorted(attempts) if sample]


SPEC = default_spec(
    epochs=1, batch=8, minibatch=8, screen_edits=4, slow=False, meta=False, baselines=False, ahead=False, quick=0
)
QUICK = SPEC.replace(quick=2, block=12, max_edits=4, schedule="constant", failures_only=True)


def test_screenings_that_bring_nothing_go_over_the_cases_more_often_up_to_a_limit() -> None:
    world = Rules()
    ran = run(SPEC, world=world, model=proposer("- talk {}"), cases=splits(train=40, val=12))
    assert set(ran.actions) == {"reject"}
    assert len(ran.actions) == 5
    assert screenings(world, 12) == [2] * (1 + 2 + 3 + 3 + 3), "two halves for every case, in each attempt"


def test_a_screening_that_brings_something_is_followed_by_one_as_cheap() -> None:
    world = Rules()
    ran = run(SPEC, world=world, model=proposer("- rule-{}"), cases=splits(train=16, val=24, rules=8))
    assert ran.actions == ["accept_new_best", "accept_new_best"]
    assert screenings(world, 24) == [2, 2]
    assert ran.trained.best_step == 2


def test_a_bundle_with_a_clear_lead_costs_one_attempt_at_every_case() -> None:
    world = Rules()
    ran = run(QUICK, world=world, model=proposer("- rule-{}"), cases=splits(train=16, val=36, rules=8))
    assert ran.actions == ["accept_new_best", "accept_new_best"]
    made = Counter(sample for case, _, sample in world.made.elements() if case.startswith("val"))
    assert made == {0: 3 * 36}
    assert not ran.of("screened")


def test_after_bundles_without_a_lead_their_edits_are_screened() -> None:
    world = Rules()
    ran = run(QUICK, world=world, model=proposer("- talk {}"), cases=splits(train=40, val=36))
    assert [event.step for event in ran.of("screened")] == [3, 4, 5]
    assert [event.bundles for event in ran.of("judging") if event.how == "screen"] == [2, 2, 2]
    assert len(ran.of("screened")[0].effects) == QUICK.gating.screen_edits
    assert world.made.total() - 40 < 36 + 2 * 12 + 3 * 3 * 2 * 36, "a bundle that is behind is out after a block"


def test_what_leads_by_little_is_measured_anew_and_reported_by_that() -> None:
    class Lucky(Rules):
        """Passes a few more cases in the first attempt under any changed skill."""

        def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
            made = super().roll(case, skill, sample)
            lucky = sample == 0 and skill and b"talk" in skill.document and case.id in {"val1", "val2"}
            return replace(made, score=Scored(hard=1.0, soft=1.0)) if lucky and isinstance(made, Rollout) else made

    ran = run(QUICK, world=Lucky(), model=proposer("- talk {}"), cases=splits(train=8, val=36))
    assert ran.actions == ["accept_new_best"]
    assert [event.score for event in ran.of("decided")] == [0.0], "luck is not reported"


def test_an_edit_that_comes_alone_waits_for_others() -> None:
    ran = run(QUICK, model=Scripted(on(".", lambda _: Reply(text=json.dumps(ONE)))), cases=splits(train=8, val=36))
    assert [event.how for event in ran.of("judging")] == ["race"]
    two = run(QUICK, model=Scripted(on(".", lambda _: Reply(text=json.dumps(ONE)))), cases=splits(train=16, val=36))
    assert two.actions == ran.actions
    assert isinstance(two.trained.steps[0].outcome, UnjudgedChange)


ONE = {"edits": [{"op": "append", "content": "- rule-0"}], "failure_patterns": []}


@pytest.mark.parametrize("gate", ["screen", "adaptive"])
def test_a_rewrite_is_judged_in_one_piece(gate: str) -> None:
    whole = default_spec(gate=gate, update="full_rewrite", epochs=1, batch=12, baselines=False)
    ran = run(whole.replace(one_shot_first=False, split_rewrites=False), model=rewriter())
    assert ran.actions[0] == "accept_new_best"
    assert "- rule-1" in ran.text


def rewriter() -> Scripted:
    text = "---\nname: toy\ndescription: Use it for toys.\n---\n- rule-0\n- rule-1\n- rule-2\n"
    return Scripted(on(".", lambda _: Reply(text=json.dumps({"new_skill": text, "failure_patterns": []}))))


def test_where_no_case_has_a_score_a_bundle_is_neither_better_nor_worse() -> None:
    broken = tuple(f"val{number}" for number in range(36))
    ran = run(QUICK, world=Rules(broken=broken), model=proposer("- rule-{}"), cases=splits(train=8, val=36))
    assert ran.actions == ["uninformative"]


def test_a_rewrite_whose_one_change_waits_to_be_screened_says_so() -> None:
    spec = QUICK.replace(one_shot_first=True, split_rewrites=True)
    said = {"new_skill": TEXT + "- rule-0\n", "edits": []}
    ran = run(spec, model=Scripted(on(".", lambda _: Reply(text=json.dumps(said)))), cases=splits(train=8, val=36))
    first = ran.of("skipped")[0]
    assert (first.step, first.change, first.reason) == (0, "one_shot", "1 of 4 edits wait to be screened together")
