"""The one-shot rewrite as the first candidate: judged before the first step, and paid for once."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from training_toys import DOWN, TEXT, Rules, Teacher, package, run, splits

from metier.models.model import Reply
from metier.training.report.report import ReportContext, report
from metier.training.result import JudgedChange, UnjudgedChange
from metier.training.rollouts.pool import Threads
from metier.training.scores import Metric
from metier.training.spec import Spec

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Request

SPEC = Spec.of(epochs=1, batch=12, minibatch=4, schedule="constant", max_edits=2, one_shot_first=True)


class Writer:
    """A teacher whose rewrite is another one; empty: none comes."""

    identity = "writer"

    def __init__(self, document: str) -> None:
        self.teacher, self.document = Teacher(), document

    def complete(self, request: Request) -> Reply | Failure:
        if request.stage != "one_shot":
            return self.teacher.complete(request)
        self.teacher.asked.append(request)
        return Reply(text=json.dumps({"new_skill": self.document})) if self.document else DOWN

    def embed(self, texts: object) -> Failure:
        return self.teacher.embed(texts)


def stages(model: Teacher) -> Counter[str]:
    return Counter(request.stage for request in model.asked)


def test_a_rewrite_that_helps_is_where_the_first_step_begins() -> None:
    model = Teacher()
    ran = run(SPEC, model=model)
    first, second = ran.trained.steps[:2]
    assert (first.step, first.proposer) == (0, "full_rewrite")
    assert isinstance(first.outcome, JudgedChange)
    assert (first.outcome.change, first.outcome.decision.action) == ("one_shot", "accept_new_best")
    assert second.step == 1
    asked = next(request for request in model.asked if request.stage == "reflect")
    assert "- rule-0\n- rule-1\n" in asked.messages[0].text
    assert ran.of("decided")[0].line().startswith("step 0 (one-shot rewrite): accept new")


def test_it_is_the_baseline_too_and_nothing_is_paid_for_twice() -> None:
    world, model = Rules(), Teacher()
    ran = run(SPEC, world=world, model=model)
    assert stages(model)["one_shot"] == 1
    assert max(world.made.values()) == 1
    baseline = ran.trained.baseline("one_shot", "val")
    judged = ran.trained.steps[0].outcome
    assert isinstance(judged, JudgedChange)
    assert baseline
    assert baseline.scores == judged.scores
    lazy = Teacher()
    run(SPEC.replace(baselines=False), model=lazy)
    assert stages(lazy)["one_shot"] == 1


def test_a_rewrite_that_does_not_help_is_remembered_and_its_rollouts_serve_the_first_step() -> None:
    worse = f"{TEXT}Be kind.\n"
    world, model = Rules(), Writer(worse)
    ran = run(SPEC.replace(ahead=False), world=world, model=model)
    judged = ran.trained.steps[0].outcome
    assert isinstance(judged, JudgedChange)
    assert judged.decision.action == "reject"
    tried = Counter(skill for name, skill, _ in world.made if name in ran.trained.steps[0].cases)
    assert tried[package().hash()] == 12
    assert ("rewrite", worse) in [(one.op, one.content) for one in ran.trained.rejected]
    asked = [request.messages[0].text for request in model.teacher.asked if request.stage == "reflect"]
    assert "Edits that were tried and made it no better:\n- rewrite: " in asked[0]


def test_without_a_rewrite_the_training_goes_on_and_says_why() -> None:
    ran = run(SPEC, model=Writer(""))
    assert ran.trained.steps[0].outcome == UnjudgedChange(change="one_shot", reason="nobody there")
    assert ran.of("skipped")[0].line() == "step 0 (one-shot rewrite): nothing to judge: nobody there"
    assert all(f"- rule-{number}" in ran.text for number in range(3))


def test_a_training_that_ends_with_it_says_that_it_does_not_beat_it() -> None:
    full = TEXT + "".join(f"- rule-{number}\n" for number in range(6))
    ran = run(SPEC, model=Writer(full))
    assert (ran.text, ran.trained.best_step) == (full, 0)
    assert "does not beat a one-shot rewrite" in ran.events[-1].line()
    told = report(ran.trained, ReportContext(splits=splits(), measure=Metric(), confirmation=None))
    steps = told["steps"]
    assert isinstance(steps, list)
    assert (steps[0]["step"], steps[0]["outcome"]["change"], steps[0]["proposer"]) == (0, "one_shot", "full_rewrite")


@pytest.mark.parametrize("gate", ["strict", "staged", "adaptive", "off"])
def test_it_ends_the_same_whatever_the_threads_do(gate: str) -> None:
    spec = SPEC.replace(gate=gate, block=4, screen_edits=4, skill_aware=gate == "strict")
    first = run(spec)
    with Threads(6) as pool:
        again = run(spec, pool=pool, world=Rules(slow=0.001), model=Teacher(slow=0.001))
    assert (again.trained, again.events) == (first.trained, first.events)
    assert run(spec.replace(ahead=False)).events == first.events


def test_a_used_up_budget_in_the_middle_of_it_keeps_what_there_was() -> None:
    ran = run(SPEC.replace(ahead=False), world=Rules(limit=20))
    assert ran.of("stopped")[0].line().startswith("stopped after step 0: no more rollouts")
    assert ran.text == TEXT


def test_unless_asked_for_there_is_no_such_step() -> None:
    ran = run(SPEC.replace(one_shot_first=False))
    assert ran.trained.steps[0].step == 1
