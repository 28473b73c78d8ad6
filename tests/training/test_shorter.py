"""Shorter is better at equal score: what makes a skill smaller may tie, and lines that bring nothing go at the end."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from training_toys import TEXT, Rules, Teacher, package, run, splits

from metier.models.scripted import Scripted, on, says
from metier.statistics.intervals import Interval
from metier.training.gates.effects import Estimate
from metier.training.gates.strict import Measure
from metier.training.presets import default_spec
from metier.training.proposing.memory import Memory
from metier.training.proposing.proposals import Proposed
from metier.training.report.added import added, single
from metier.training.report.attribution import attributed
from metier.training.report.page import page
from metier.training.report.report import Told, report
from metier.training.result import Effect, Judged, Step
from metier.training.rollouts.pool import Threads
from metier.training.smaller import as_good, harmless, is_smaller
from metier.training.spec import Spec
from metier.training.state import State
from metier.types import Append
from metier.types.trials import Decision, Rollout, Scored

if TYPE_CHECKING:
    from metier.models.model import Reply, Request
    from metier.skills.package import Package
    from metier.training.rollouts.rollout import Spent
    from metier.types.trials import Case

IDLE = "Be as good as you can.\n"
SPEC = Spec(gate="staged", epochs=1, batch=12, slow=False, meta=False, baselines=False, recall=0)
DELETE = {"edits": [{"op": "delete", "target": IDLE}], "failure_patterns": []}


def tried(spec: Spec, text: str = TEXT + IDLE, val: int = 150) -> tuple[str, list[str]]:
    """What becomes of a skill whose idle line somebody proposes to take out."""
    ran = run(spec, start=package(text), model=Scripted(on(".", says(DELETE))), cases=splits(val=val))
    return ran.text, ran.actions


def test_a_tie_is_rejected_unless_smaller_is_preferred() -> None:
    assert IDLE in tried(SPEC)[0]
    text, actions = tried(replace(SPEC, prefer_smaller=True))
    assert IDLE not in text
    assert actions[0] == "accept_new_best"


def test_few_cases_do_not_prove_that_nothing_is_lost() -> None:
    assert IDLE in tried(replace(SPEC, prefer_smaller=True), val=12)[0]


def test_the_classic_gate_never_prefers_the_smaller_one() -> None:
    assert tried(replace(SPEC, gate="strict", prefer_smaller=True)) == tried(replace(SPEC, gate="strict"))


def test_what_helps_is_not_deleted_for_being_long() -> None:
    text = TEXT + IDLE + "- rule-0\n"
    delete = {"edits": [{"op": "delete", "target": "- rule-0\n"}], "failure_patterns": []}
    spec = replace(SPEC, prefer_smaller=True)
    ran = run(spec, start=package(text), model=Scripted(on(".", says(delete))), cases=splits(val=150))
    assert set(ran.actions) == {"reject"}


def test_an_interval_decides_and_not_the_mean() -> None:
    level = [(f"v{n}", 0.0) for n in range(200)]
    assert as_good(level, 0.02)
    assert not as_good(level[:20], 0.02)
    assert not as_good([("v", -1.0), *level], 0.01)
    assert harmless(Estimate(effect=0.0, error=0.01), 0.02)
    assert not harmless(Estimate(effect=0.0, error=0.02), 0.02)
    assert is_smaller(package("a"), package("ab"))


def test_added_lines_are_text_outside_of_frontmatter_headings_code_and_regions() -> None:
    region = "\n<!-- APPENDIX_START -->\nnote\n<!-- APPENDIX_END -->\n"
    after = f"{TEXT}new\n\n## Head\n\n```\ncode\n```\ntwice\ntwice\n{region}"
    lines = added(TEXT, after)
    assert [line.bare for line in lines] == ["new", "twice", "twice"]
    assert [line.bare for line in single(after, lines)] == ["new"]


class Talkative(Teacher):
    """A teacher whose rules come with a line that brings nothing."""

    def complete(self, request: Request) -> Reply:
        reply = super().complete(request)
        return replace(reply, text=reply.text.replace('"- rule-0"', '"- rule-0\\n- idle talk"'))


PRUNE = default_spec(prune=True, epochs=2, batch=12, screen_edits=4, may_lose=0.05, quick=0, seed=9)


def test_lines_that_bring_nothing_go_and_those_that_help_stay() -> None:
    without = run(replace(PRUNE, prune=False), model=Talkative(), cases=splits(val=60))
    assert "- idle talk" in without.text
    ran = run(PRUNE, model=Talkative(), cases=splits(val=60))
    assert ran.text == without.text.replace("- idle talk\n", "")
    assert ran.trained.pruned
    assert (ran.trained.pruned.lines, ran.trained.pruned.kept) == (("- idle talk",), True)
    assert [event.kind for event in ran.events if event.kind in ("weighed", "pruned")] == ["weighed", "pruned"]


def test_a_shorter_skill_that_is_worse_on_fresh_attempts_is_not_kept() -> None:
    class Fickle(Rules):
        """Only the longest skill goes well in the attempts that decide, which are the last."""

        def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | Spent:
            made = super().roll(case, skill, sample)
            if isinstance(made, Rollout) and skill and sample > self.last and b"talk" not in skill.document:
                return replace(made, score=Scored(hard=0.0, soft=0.0))
            return made

        last = 10_000

    world = Fickle()
    first = run(replace(PRUNE, prune=False), world=world, model=Talkative(), cases=splits(val=60))
    world = Fickle()
    run(PRUNE, world=world, model=Talkative(), cases=splits(val=60))
    late = Fickle()
    late.last = max(sample for case, _, sample in world.made if case.startswith("val")) - PRUNE.screen_passes
    ran = run(PRUNE, world=late, model=Talkative(), cases=splits(val=60))
    assert ran.text == first.text
    assert ran.trained.pruned
    assert not ran.trained.pruned.kept


def test_attempts_that_repeat_themselves_do_not_prove_that_nothing_is_lost() -> None:
    ran = run(replace(PRUNE, may_lose=0.02), model=Talkative(), cases=splits(val=60))
    assert ran.trained.pruned
    assert not ran.trained.pruned.kept


def test_a_line_that_reads_like_another_but_for_its_indent_has_its_own_worth() -> None:
    lines = "- rule-0\n  - rule-0\n"
    state = State(
        current=package(), best=package(TEXT + lines), memory=Memory(), weights=(("  - rule-0\n", Estimate(error=0.1)),)
    )
    assert [one.how for one in attributed(package(), state)] == ["unknown", "left_out"]


def test_what_is_quoted_of_a_line_lies_in_its_interval() -> None:
    interval = Interval(low=0.07, high=0.26, level=0.95)
    edit = Proposed(what=Append(content="- rule-0"), source="failure")
    effect = Effect(edit=edit, seen=0.16, shrunk=0.03, interval=interval, z=3.4, kept=True)
    decision = Decision(action="accept_new_best", reason="stands out")
    outcome = Judged(change="step", skill_hash="", decision=decision, scores=None, effects=(effect,))
    step = Step(step=1, epoch=1, cases=(), failed=0, passed=0, unscored=0, outcome=outcome)
    state = State(current=package(), best=package(TEXT + "- rule-0\n"), memory=Memory(), steps=(step,))
    assert [one.effect for one in attributed(package(), state)] == [0.07]


def test_attribution_says_of_each_line_what_is_lost_without_it() -> None:
    ran = run(replace(PRUNE, prune=False, attribute=True), model=Talkative(), cases=splits(val=60))
    worth = {one.line: one for one in ran.trained.attribution}
    assert {one.how for one in worth.values()} == {"left_out"}
    assert all(one.step for one in worth.values())
    rule, idle = worth["- rule-0"], worth["- idle talk"]
    assert rule.effect is not None
    assert rule.interval is not None
    assert idle.interval is not None
    assert rule.effect > 0.1
    assert rule.interval.low > 0
    assert idle.interval.holds(0.0)


def test_without_asking_screened_effects_are_the_attribution() -> None:
    ran = run(replace(PRUNE, prune=False), model=Talkative(), cases=splits(val=60))
    screened = [one for one in ran.trained.attribution if one.how == "screened"]
    assert len(screened) > 2
    outcomes = [one.outcome for one in ran.trained.steps if isinstance(one.outcome, Judged)]
    known = {effect.shrunk for outcome in outcomes for effect in outcome.effects if effect.kept}
    assert {one.effect for one in screened} <= known


def test_the_classic_trainer_says_what_a_step_brought_and_that_edits_share_it() -> None:
    ran = run(Spec(epochs=1, batch=12))
    lines = ran.trained.attribution
    assert {one.how for one in lines} == {"together"}
    assert all(one.others == 1 or one.effect for one in lines)


def test_a_line_of_a_rewrite_has_no_edit_to_be_attributed_to() -> None:
    suggestion = {"suggestions": [{"title": "t", "instruction": "i"}], "new_skill": TEXT + "- rule-0\n- rule-1\n"}
    ran = run(Spec(update="rewrite", epochs=1, batch=12), model=Scripted(on(".", says(suggestion))))
    assert [(one.line, one.step, one.how) for one in ran.trained.attribution] == [
        ("- rule-0", 0, "unknown"),
        ("- rule-1", 0, "unknown"),
    ]


@pytest.mark.parametrize("changes", [{"prune": True}, {"attribute": True}, {"prefer_smaller": True}], ids=str)
def test_threads_change_nothing_of_what_is_weighed(changes: dict[str, bool]) -> None:
    spec = default_spec(epochs=1, batch=8, screen_edits=4, **changes)
    one = run(spec, cases=splits(val=24)).trained
    with Threads(8) as pool:
        assert run(spec, cases=splits(val=24), world=Rules(slow=0.001), pool=pool).trained == one


def test_a_budget_that_ends_while_lines_are_weighed_leaves_the_best_as_it_was() -> None:
    spec = replace(PRUNE, ahead=False, baselines=False)
    whole, cheap = Rules(), Rules()
    run(spec, world=whole, model=Talkative(), cases=splits(val=60))
    run(replace(spec, prune=False), world=cheap, model=Talkative(), cases=splits(val=60, test=0))
    ran = run(spec, world=Rules(limit=cheap.made.total() + 20), model=Talkative(), cases=splits(val=60))
    assert ran.trained.stopped
    assert "- idle talk" in ran.text


def test_the_report_and_its_page_say_what_each_line_brought_and_what_was_taken_out() -> None:
    cases = splits(val=60)
    ran = run(PRUNE, model=Talkative(), cases=cases)
    made = report(ran.trained, Told(splits=cases, measure=Measure(), confirmation=None))
    text = page(json.loads(json.dumps(made)))
    part = text[text.index("What each line brought") :]
    assert "measured without it" in part
    assert part.index("- rule-0") < part.index("Taken out, as they seem to bring nothing")
    assert "- idle talk" in part
