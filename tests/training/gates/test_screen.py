"""The screen: edits wait for each other, each gets its own effect, and what stands out is judged once more."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from training_toys import Rules, package, run, splits

from metier.models.model import Reply
from metier.training.presets import default_spec
from metier.training.result import JudgedChange, UnjudgedChange
from metier.training.rollouts.pool import Threads
from metier.training.spec import Spec
from metier.types.trials import Rollout, Scored

if TYPE_CHECKING:
    from metier.models.failures import Unreachable
    from metier.models.model import Request
    from metier.skills.package import Package
    from metier.training.rollouts.rollout import BudgetSpent
    from metier.types.trials import Case

SPEC = Spec.of(gate="screen", epochs=1, batch=12, screen_edits=4, slow=False, meta=False, baselines=False, recall=0)


@dataclass
class Harm:
    """The toy world in which a line can do harm too: `- harm` undoes every rule."""

    rules: Rules = field(default_factory=Rules)

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        made = self.rules.roll(case, skill, sample)
        if isinstance(made, Rollout) and skill is not None and "- harm" in skill.document.decode():
            return replace(made, score=Scored(hard=0.0, soft=0.0))
        return made


@dataclass
class Proposes:
    """An optimiser with the same edits for every analyst, which says what it is told to at once."""

    edits: str
    identity: str = "proposes"

    def complete(self, request: Request) -> Reply:
        del request
        return Reply(text=f'{{"edits": [{self.edits}], "failure_patterns": [], "selected_indices": [0, 1, 2, 3]}}')

    def embed(self, texts: object) -> Unreachable:
        raise NotImplementedError(texts)


def append(*contents: str) -> str:
    return ", ".join(f'{{"op": "append", "content": "{one}"}}' for one in contents)


def test_good_edits_are_kept_and_harmful_ones_dropped_in_one_screening() -> None:
    model = Proposes(append("- rule-0", "- rule-1", "- harm", "- talk"))
    ran = run(SPEC, world=Harm(), model=model, cases=splits(val=36))
    assert "- rule-0" in ran.text
    assert "- rule-1" in ran.text
    assert "- harm" not in ran.text
    outcome = ran.trained.steps[0].outcome
    assert isinstance(outcome, JudgedChange)
    worth = {getattr(one.edit.what, "content", ""): one for one in outcome.effects}
    assert worth["- rule-0"].kept
    assert worth["- rule-0"].shrunk > 0 > worth["- harm"].shrunk
    assert not worth["- harm"].kept


def test_an_edit_that_did_harm_is_remembered_with_its_own_loss() -> None:
    model = Proposes(append("- rule-0", "- rule-1", "- harm", "- talk"))
    ran = run(SPEC, world=Harm(), model=model, cases=splits(val=36))
    (harm,) = [one for one in ran.trained.rejected if one.content == "- harm"]
    assert harm.loss > 0
    assert harm.together == 1


def test_few_edits_wait_for_those_of_the_next_step() -> None:
    model = Proposes(append("- rule-0", "- rule-1"))
    ran = run(SPEC.replace(screen_edits=3), model=model)
    first, second = ran.trained.steps
    assert isinstance(first.outcome, UnjudgedChange)
    assert "2 of 3 edits wait" in first.outcome.reason
    assert isinstance(second.outcome, JudgedChange), "nothing waits beyond the last step"
    assert "- rule-1" in ran.text


def watching(seen: set[str]) -> Rules:
    """The world, and every document that was tried in it."""

    class Watches(Rules):
        def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
            seen.add(skill.document.decode() if skill else "")
            return super().roll(case, skill, sample)

    return Watches()


def test_edits_that_cannot_both_be_made_are_never_in_one_candidate() -> None:
    both = '{"op": "replace", "target": "Do it well.", "content": "- rule-0"}, '
    both += '{"op": "delete", "target": "Do it well."}, '
    seen: set[str] = set()
    ran = run(SPEC, world=watching(seen), model=Proposes(both + append("- rule-1", "- rule-2")), cases=splits(val=36))
    assert "- rule-0" in ran.text
    assert len(seen) > 8
    outcome = ran.trained.steps[0].outcome
    assert isinstance(outcome, JudgedChange)
    assert [one.kept for one in outcome.effects] == [True, False, True, True]


def test_what_is_put_behind_a_line_is_never_tried_without_that_line() -> None:
    behind = '{"op": "delete", "target": "Do it well."}, '
    behind += '{"op": "insert_after", "target": "Do it well.", "content": "- rule-0"}, '
    seen: set[str] = set()
    model = Proposes(behind + append("- rule-1", "- rule-2"))
    run(SPEC, world=watching(seen), model=model, cases=splits(train=12))
    assert any("- rule-0" in text for text in seen)
    assert all("Do it well." in text for text in seen if "- rule-0" in text)


def test_few_cases_are_tried_more_often_so_that_the_edits_can_be_told_apart() -> None:
    world = Rules()
    edits = append(*(f"- rule-{number}" for number in range(4)))
    run(SPEC.replace(screen_passes=1), world=world, model=Proposes(edits), cases=splits(val=3, rules=3))
    samples = {sample for case, _, sample in world.made if case.startswith("val")}
    assert samples >= {1, 2, 3}, "8 differences for 4 edits"


def test_nothing_that_stands_out_is_a_reject_and_not_the_end() -> None:
    ran = run(SPEC, model=Proposes(append("- a", "- b", "- c", "- d")))
    assert set(ran.actions) == {"reject"}
    assert ran.trained.best.hash() == package().hash()


def test_cases_without_a_score_count_for_neither_half() -> None:
    world = Rules(broken=tuple(f"val{number}" for number in range(12)))
    ran = run(SPEC, world=world, model=Proposes(append("- rule-0", "- rule-1", "- c", "- d")))
    assert set(ran.actions) == {"uninformative"}


@pytest.mark.parametrize("gate", ["staged", "screen", "adaptive"])
def test_threads_change_nothing(gate: str) -> None:
    spec = default_spec(gate=gate, epochs=2, batch=8, screen_edits=4)
    one = run(spec, cases=splits(val=24)).trained
    with Threads(8) as pool:
        assert run(spec, cases=splits(val=24), world=Rules(slow=0.001), pool=pool).trained == one
    assert one.best_step > 0


@pytest.mark.parametrize("gate", ["staged", "screen", "adaptive"])
def test_a_budget_ends_it_with_the_best_so_far(gate: str) -> None:
    spec = default_spec(gate=gate, epochs=3, batch=8, screen_edits=4, ahead=False)
    whole = Rules()
    run(spec, world=whole)
    for limit in range(5, whole.made.total(), 61):
        world = Rules(limit=limit)
        ran = run(spec, world=world)
        assert ran.trained.stopped == "no more rollouts"
        assert world.made.total() == limit


@pytest.mark.parametrize("gate", ["staged", "screen", "adaptive"])
def test_no_rollout_is_asked_for_twice(gate: str) -> None:
    world = Rules()
    run(default_spec(gate=gate, epochs=2, batch=8, screen_edits=4), world=world)
    assert set(world.made.values()) == {1}


@pytest.mark.parametrize(("check", "action"), [(True, "reject"), (False, "accept_new_best")])
def test_fresh_attempts_that_are_clearly_against_it_undo_a_choice(*, check: bool, action: str) -> None:
    class Fickle(Rules):
        """In the attempts that are reported, rules do nothing but harm."""

        def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
            made = super().roll(case, skill, sample)
            if sample or not case.id.startswith("val") or not isinstance(made, Rollout) or skill is None:
                return made
            well = float("- rule" not in skill.document.decode())
            return replace(made, score=Scored(hard=well, soft=well))

    model = Proposes(append("- rule-0", "- rule-1", "- c", "- d"))
    ran = run(SPEC.replace(check=check), world=Fickle(), model=model, cases=splits(train=12, val=24, rules=2))
    assert ran.actions == [action]
    outcome = ran.trained.steps[0].outcome
    assert isinstance(outcome, JudgedChange)
    assert any(one.kept for one in outcome.effects) is not check
    assert ("fresh attempts" in outcome.decision.reason) is check


def test_the_same_attempts_again_make_no_effect_more_certain() -> None:
    model = Proposes(append("- rule-0", "- rule-1", "- harm", "- talk"))
    effects = [
        run(SPEC.replace(screen_passes=passes), world=Harm(), model=model, cases=splits(val=16))
        .trained.steps[0]
        .outcome
        for passes in (1, 3)
    ]
    once, often = (one.effects for one in effects if isinstance(one, JudgedChange))
    assert [one.interval for one in once] == [one.interval for one in often]


def test_a_line_whose_edit_waited_is_attributed_to_the_step_that_proposed_it() -> None:
    class InTurn(Proposes):
        """The rule first, then talk."""

        def complete(self, request: Request) -> Reply:
            reply = super().complete(request)
            self.edits = append("- talk")
            return reply

    ran = run(SPEC.replace(minibatch=12), model=InTurn(append("- rule-0")), cases=splits(val=36))
    assert [(one.line, one.step, one.op) for one in ran.trained.attribution] == [
        ("- rule-0", 1, "append"),
        ("- talk", 2, "append"),
    ]


def test_an_edit_that_changes_what_another_puts_in_is_never_with_it() -> None:
    both = '{"op": "replace", "target": "Do it well.", "content": "- rule-0\\nDo it well. Twice."}, '
    both += '{"op": "delete", "target": "Do it well."}, '
    seen: set[str] = set()
    once = SPEC.replace(batch=24)
    run(once, world=watching(seen), model=Proposes(both + append("- rule-1", "- rule-2")), cases=splits(val=36))
    assert any("Do it well. Twice." in text for text in seen)
    assert not any("\n Twice." in text for text in seen)
