"""The training loop from end to end, with a world and an optimiser that need no model."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from training_toys import DOWN, TEXT, Rules, Teacher, package, run, splits

from metier.errors import InputError
from metier.models.failures import OverBudget
from metier.models.scripted import Scripted, fails, on, says
from metier.skills.package import Package
from metier.training.events import dump
from metier.training.loop import train
from metier.training.proposing.memory import RejectedEdit
from metier.training.result import JudgedChange, UnjudgedChange
from metier.training.rollouts.pool import InOrder, Threads
from metier.training.spec import Spec

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Reply, Request
    from metier.models.scripted import Act
    from metier.training.rollouts.rollout import BudgetSpent
    from metier.types.trials import Case, Rollout

SPEC = Spec.of(epochs=2, batch=12, minibatch=4, slow_cases=6, schedule="constant", max_edits=2)
EDIT = {"op": "append", "content": "- rule-0"}


def optimiser(**stages: Act) -> Scripted:
    """A model that proposes one edit and answers nothing else but what is named."""
    given = {"reflect": says({"edits": [EDIT]}), "merge": says({"edits": [EDIT]}), **stages}
    return Scripted(
        *(on(lambda request, stage=stage: request.stage == stage, act) for stage, act in given.items()),
        otherwise=fails(DOWN),
    )


def test_a_skill_learns_the_rules_that_its_cases_need() -> None:
    ran = run(SPEC)
    assert all(f"- rule-{number}" in ran.text for number in range(6))
    assert ran.text.startswith(TEXT)
    assert ran.trained.stopped == ""
    best = ran.trained.baseline("best", "test")
    assert best
    assert best.scores
    assert best.scores.mean().hard == 1.0
    assert ran.trained.best_step == max(
        step.step for step in ran.trained.steps if "accept_new_best" in str(step.outcome)
    )


def test_every_case_is_rolled_out_once_an_epoch_with_another_sample() -> None:
    world = Rules()
    run(SPEC.replace(slow=False, meta=False, ahead=False), world=world)
    tried = Counter((case, sample) for case, _, sample in world.made if case.startswith("train"))
    assert tried == Counter((f"train{number}", sample) for number in range(24) for sample in (0, 1))


@pytest.mark.parametrize(
    "changes", [{}, {"samples": 2}, {"skill_aware": True}, {"gate": "off"}, {"pairs": "changed"}], ids=str
)
def test_the_same_seed_ends_the_same_whatever_the_threads_do(changes: dict[str, object]) -> None:
    spec = SPEC.replace(**changes)
    first = run(spec)
    for workers in (3, 8) if changes else (2, 3, 5, 8, 16):
        with Threads(workers) as pool:
            again = run(spec, pool=pool, world=Rules(slow=0.002), model=Teacher(slow=0.002))
        assert again.trained == first.trained
        assert again.trained.best.hash() == first.trained.best.hash()
        assert again.events == first.events


def compared(pairs: str, **changes: object) -> tuple[dict[str, int], Counter[str], str]:
    """What the second epoch is compared by: the categories, the rollouts of train cases, what the optimiser reads."""
    world, model = Rules(), Teacher()
    ran = run(SPEC.replace(pairs=pairs, ahead=False, meta=False, **changes), world=world, model=model)
    counts = dict(ran.trained.epochs[-1].compared)
    made = Counter({case: count for (case, _, _), count in world.made.items() if case.startswith("train")})
    shown = next(one.messages[0].text for one in model.asked if one.stage == "slow")
    return counts, made, shown.split("<comparison")[1]


def test_the_policy_changed_tops_up_to_the_sample_size_and_unchanged_does_not() -> None:
    mixed, _, _ = compared("mixed")
    assert sum(mixed.values()) == 6
    assert 0 < mixed["improved"] + mixed["regressed"] < 6
    changed, _, shown = compared("changed")
    assert changed["improved"] + changed["regressed"] == 6
    assert shown.count("task: ") == 6
    assert "0 persistent_fail; 6 improved; 0 stable_success" in shown
    unchanged, _, shown = compared("unchanged")
    assert unchanged == mixed
    assert shown.count("task: ") == mixed["persistent_fail"] + mixed["stable_success"]


def test_topping_up_passes_once_over_the_remaining_train_cases() -> None:
    counts, made, shown = compared("changed", slow_cases=20)
    assert sum(counts.values()) == 24
    assert shown.count("task: ") == counts["improved"] + counts["regressed"] < 20
    assert max(made.values()) <= 2 + 2  # one batch an epoch, two skills compared


def test_topping_up_stops_when_there_are_enough_and_the_seed_decides_where_it_looks() -> None:
    assert sum(compared("changed")[0].values()) < 24
    assert compared("changed") == compared("changed")
    assert len({compared("changed", seed=seed)[2] for seed in (1, 2, 3)}) > 1


def test_what_is_begun_early_changes_nothing_that_is_found() -> None:
    early, late = run(SPEC), run(SPEC.replace(ahead=False))
    assert early.trained == late.trained
    assert early.events == late.events
    assert late.trained.spare.calls == 0


def test_another_seed_has_other_batches() -> None:
    assert run(SPEC).trained.steps[0].cases != run(SPEC.replace(seed=7)).trained.steps[0].cases


def test_baselines_are_in_every_result() -> None:
    ran = run(SPEC)
    assert [(one.arm, one.split) for one in ran.trained.baselines] == [
        (arm, split) for arm in ("no_skill", "initial", "one_shot", "best") for split in ("val", "test")
    ]
    means = {one.arm: one.scores.mean().hard for one in ran.trained.baselines if one.scores and one.split == "val"}
    assert means == {"no_skill": 0.0, "initial": 0.0, "one_shot": pytest.approx(1 / 3), "best": 1.0}
    assert "one-shot" not in ran.events[-1].line()
    lazy = run(SPEC.replace(baselines=False), cases=splits(test=0))
    assert [one.arm for one in lazy.trained.baselines] == ["initial", "best"]


def test_a_rewrite_that_does_not_come_leaves_its_reason() -> None:
    found = run(SPEC.replace(epochs=1), model=optimiser()).trained.baseline("one_shot", "val")
    assert found
    assert found.scores is None
    assert found.reason == "nobody there"


def test_a_tie_is_rejected_and_the_rejected_edit_is_shown_to_the_next_proposer() -> None:
    useless = {"edits": [{"op": "append", "content": "Be kind."}]}
    model = optimiser(reflect=says(useless), merge=says(useless))
    ran = run(SPEC.replace(epochs=2, slow=False, meta=False), model=model)
    assert ran.actions == ["reject"] * 4
    assert ran.trained.best.hash() == package().hash()
    assert [(one.content, one.loss) for one in ran.trained.rejected] == [("Be kind.", 0.0)]
    asked = [request.messages[0].text for request in model.requests if request.stage == "reflect"]
    assert "Be kind." not in asked[0]
    assert "Edits that were tried and made it no better:\n- append: 'Be kind.'" in asked[-1]


def test_what_earlier_runs_saw_rejected_is_shown_from_the_start_and_handed_on() -> None:
    known = RejectedEdit(op="append", target="", content="Old mistake.", loss=0.25)
    model = Teacher()
    ran = run(SPEC, model=model, known=(known,))
    assert "Old mistake.' (lost 0.2500)" in next(one for one in model.asked if one.stage == "reflect").messages[0].text
    assert ran.trained.rejected[0] == known


def test_an_edit_that_changes_nothing_is_rejected_without_a_rollout() -> None:
    nowhere = {"edits": [{"op": "delete", "target": "not there"}]}
    world = Rules()
    spec = SPEC.replace(epochs=1, baselines=False)
    ran = run(spec, world=world, model=optimiser(reflect=says(nowhere), merge=says(nowhere)), cases=splits(test=0))
    assert ran.actions == ["reject", "reject"]
    assert ran.trained.steps[0].reports[0].status == "skipped_delete_target_not_found"
    assert world.made.total() == 24 + 12
    assert ran.trained.rejected == ()


def test_without_a_usable_analyst_a_step_is_skipped_and_the_run_goes_on() -> None:
    ran = run(SPEC.replace(epochs=1), model=optimiser(reflect=says("nonsense")))
    assert [step.outcome for step in ran.trained.steps] == [
        UnjudgedChange(change="step", reason="no analyst proposed anything")
    ] * 2
    assert ran.trained.best.hash() == package().hash()
    assert {event.stage for event in ran.of("fell_back")} == {"reflect"}
    assert len(ran.of("skipped")) == 2


def test_failed_merges_and_ranks_fall_back_and_the_run_still_learns() -> None:
    many = {"edits": [{"op": "append", "content": f"- rule-{at}"} for at in range(2)]}
    ran = run(SPEC.replace(epochs=1), model=optimiser(reflect=says(many), merge=fails(DOWN)))
    assert {"merge", "rank"} <= {event.stage for event in ran.of("fell_back")}
    assert "- rule-0" in ran.text
    assert [len(step.edits) for step in ran.trained.steps] == [2, 2]


def test_unscored_cases_count_for_nobody() -> None:
    ran = run(SPEC.replace(epochs=1), world=Rules(broken=("val0", "train0", "train1")))
    judged = ran.trained.steps[0].outcome
    assert isinstance(judged, JudgedChange)
    assert "val0" not in dict(judged.decision.deltas)
    assert len(judged.decision.deltas) == 11
    assert sum(step.unscored for step in ran.trained.steps) == 2


def test_without_a_gate_everything_stays_and_the_best_is_still_known() -> None:
    def propose(request: Request) -> Reply | Failure:
        """Put the rule in at first, and take it out afterwards."""
        back = {"op": "delete", "target": "- rule-0"}
        return says({"edits": [back if "step 1:" in request.messages[0].text else EDIT]})(request)

    ran = run(SPEC.replace(epochs=1, gate="off", minibatch=40), model=optimiser(reflect=propose, merge=fails(DOWN)))
    assert ran.actions == ["force_accept", "force_accept"]
    assert "- rule-0" in ran.text
    assert "- rule-0" not in ran.trained.current.document.decode()
    assert ran.trained.best_step == 1


@pytest.mark.parametrize("limit", [0, 5, 30, 60, 75])
def test_a_used_up_budget_ends_the_run_with_the_best_so_far(limit: int) -> None:
    world = Rules(limit=limit)
    ran = run(SPEC.replace(ahead=False), world=world)
    assert ran.trained.stopped == "no more rollouts"
    assert ran.of("stopped")
    assert world.made.total() == limit
    full = run(SPEC.replace(ahead=False))
    finished = len(ran.trained.steps)
    assert ran.trained.steps == full.trained.steps[:finished]


def test_a_used_up_budget_for_calls_ends_it_too() -> None:
    ran = run(SPEC, model=optimiser(merge=fails(OverBudget(reason="no more calls"))))
    assert ran.trained.stopped == "no more calls"
    assert ran.trained.best.hash() == package().hash()


def test_an_interrupt_ends_the_run_with_the_best_so_far() -> None:
    class Interrupted(Rules):
        def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
            if self.made.total() > 90:
                raise KeyboardInterrupt
            return super().roll(case, skill, sample)

    ran = run(SPEC, world=Interrupted())
    assert ran.trained.stopped == "it was interrupted"
    assert 0 < len(ran.trained.steps) < 4
    assert "- rule-" in ran.text


def test_the_model_may_say_how_many_edits_and_nothing_means_none() -> None:
    spec = SPEC.replace(epochs=1, schedule="autonomous", minibatch=40)
    ran = run(spec, model=optimiser(budget=says({"learning_rate": 7})))
    assert [step.budget for step in ran.trained.steps] == [1, 1]
    ran = run(spec, model=optimiser())
    assert [step.budget for step in ran.trained.steps] == [0, 0]
    assert ran.actions == ["reject", "reject"]
    assert "budget" in {event.stage for event in ran.of("fell_back")}


def test_a_rewrite_from_suggestions_and_a_full_rewrite_pass_the_same_gate() -> None:
    better = says({"new_skill": f"{TEXT}- rule-0\n"})
    suggested = says({"suggestions": [{"instruction": "Name rule 0."}]})
    model = optimiser(reflect=suggested, merge=suggested, rewrite=better)
    ran = run(SPEC.replace(epochs=1, update="rewrite"), model=model)
    assert ran.actions == ["accept_new_best", "reject"]
    ran = run(SPEC.replace(epochs=1, update="full_rewrite"), model=optimiser(reflect=better, merge=better))
    assert ran.actions == ["accept_new_best", "reject"]
    assert ran.text == f"{TEXT}- rule-0\n"
    ran = run(SPEC.replace(epochs=1, update="rewrite"), model=optimiser(reflect=suggested, merge=suggested))
    assert [step.outcome for step in ran.trained.steps] == [UnjudgedChange(change="step", reason="nobody there")] * 2


def test_two_epochs_are_compared_and_guidance_passes_the_gate() -> None:
    helpful = says({"slow_update_content": "- rule-1"})
    spec = SPEC.replace(epochs=3, meta=False)
    ran = run(spec, model=optimiser(slow=helpful))
    first, second, third = ran.trained.epochs
    assert (first.compared, first.outcome) == ((), None)
    assert sum(count for _, count in second.compared) == 6
    assert isinstance(second.outcome, JudgedChange)
    assert second.outcome.decision.action == "accept_new_best"
    assert "<!-- SLOW_UPDATE_START -->\n- rule-1\n<!-- SLOW_UPDATE_END -->" in ran.text
    assert isinstance(third.outcome, JudgedChange)
    assert third.outcome.decision.reason == "nothing was changed"


def test_guidance_that_does_not_help_is_not_taken_up_unless_only_edits_are_gated() -> None:
    idle = optimiser(slow=says({"slow_update_content": "Keep calm."}))
    assert "Keep calm." not in run(SPEC, model=idle).trained.current.document.decode()
    ran = run(SPEC.replace(gate_everything=False), model=idle)
    assert "Keep calm." in ran.trained.current.document.decode()
    assert "Keep calm." not in ran.text
    better = optimiser(slow=says({"slow_update_content": "- rule-1"}))
    assert "- rule-1" in run(SPEC.replace(gate_everything=False), model=better).text


def test_the_optimiser_notes_for_itself_are_shown_to_it_and_never_in_the_skill() -> None:
    model = optimiser(meta=says({"meta_skill_content": "Prefer short rules."}))
    ran = run(SPEC.replace(epochs=3), model=model)
    asked = [request.messages[0].text for request in model.requests if request.stage == "reflect"]
    assert "Prefer short rules." not in asked[0]
    assert "Prefer short rules." in asked[-1]
    assert "Prefer short rules." not in ran.trained.current.document.decode()
    assert [epoch.strategy for epoch in ran.trained.epochs] == ["", "Prefer short rules.", "Prefer short rules."]


AWARE = {"edits": [], "labels": ["EXECUTION_LAPSE"], "appendix_notes": ["- rule-2", "Look twice."]}


def test_lapses_become_reminders_once_the_step_is_decided_and_pass_the_gate() -> None:
    ran = run(SPEC.replace(skill_aware=True), model=optimiser(reflect=says(AWARE)))
    step = ran.trained.steps[0]
    assert isinstance(step.outcome, UnjudgedChange)
    assert isinstance(step.noted, JudgedChange)
    assert step.noted.decision.action == "accept_new_best"
    assert "<!-- APPENDIX_START -->\n- rule-2\n- Look twice.\n<!-- APPENDIX_END -->" in ran.text
    later = ran.trained.steps[1].noted
    assert isinstance(later, JudgedChange)
    assert later.decision.reason == "nothing was changed"


def test_with_lapses_told_apart_an_empty_appendix_is_there_from_the_start() -> None:
    useless = says({"edits": [{"op": "append", "content": "Be kind."}]})
    spec = SPEC.replace(skill_aware=True, slow=False)
    ran = run(spec, model=optimiser(reflect=useless, merge=useless))
    assert ran.trained.current.document.decode() == f"{TEXT}\n<!-- APPENDIX_START -->\n<!-- APPENDIX_END -->\n"
    assert ran.trained.best.hash() == package().hash()


def test_without_that_a_document_comes_out_as_if_there_were_no_such_thing() -> None:
    ran = run(SPEC, model=optimiser(reflect=says({**AWARE, "edits": [EDIT]})))
    assert ran.text == f"{TEXT}\n- rule-0\n"


def test_everything_is_counted_by_stage() -> None:
    world, model = Rules(), Teacher()
    ran = run(SPEC, world=world, model=model)
    usage = dict(ran.trained.usage)
    made = sum(usage[stage].calls for stage in ("rollout", "gate", "compare", "baseline"))
    assert made + ran.trained.spare.calls == world.made.total()
    assert usage["reflect"].calls == sum(request.stage == "reflect" for request in model.asked)
    assert usage["reflect"].tokens.input == 11 * usage["reflect"].calls
    assert sum(one.calls for one in usage.values()) - made == len(model.asked)
    assert max(world.made.values()) == 1


def test_a_package_needs_a_document_and_a_run_needs_cases() -> None:
    with pytest.raises(InputError, match=r"SKILL\.md"):
        run(SPEC, start=Package(files={"README.md": b"x"}))
    with pytest.raises(InputError, match="val"):
        run(SPEC, cases=splits(val=0))


def test_an_exception_of_the_world_is_not_swallowed() -> None:
    class Faulty(Rules):
        def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(SPEC, world=Faulty())


def test_events_can_be_written_as_json() -> None:
    for event in run(SPEC, pool=InOrder()).events:
        assert json.loads(json.dumps(dump(event)))["kind"] == event.kind
        assert event.line()


def test_how_far_it_is_can_be_seen_between_decisions() -> None:
    ran = run(SPEC.replace(epochs=1))
    told = [(event.stage, event.done, event.total) for event in ran.of("advanced") if event.step == 1]
    assert [one for one in told if one[0] == "rollout"] == [
        ("rollout", done, 12) for done in (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
    ]
    assert ("gate", 6, 12) in told
    assert ran.events[1].kind == "step_began"


@pytest.mark.parametrize("events", [1, 2, 30])
def test_an_interrupt_between_two_events_ends_it_too(events: int) -> None:
    steps = train(package(), splits(), Rules(), Teacher(), InOrder(), SPEC)
    for _ in range(events):
        next(steps)
    assert steps.throw(KeyboardInterrupt()).kind == "stopped"
    assert next(steps).kind == "ended"
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value.stopped == "it was interrupted"
