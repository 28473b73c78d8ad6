"""Attribution: which edit brought each added line, and what it is worth."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from training_toys import TEXT, Teacher, package, run, splits

from metier.models.scripted import Scripted, on, says
from metier.statistics.intervals import Interval
from metier.training.presets import default_spec
from metier.training.proposing.memory import Memory
from metier.training.proposing.proposals import ProposedChange
from metier.training.report.attribution import added_lines, attribute_lines
from metier.training.report.report import ReportContext, report
from metier.training.result import Effect, JudgedChange, StepRecord
from metier.training.scores import Metric
from metier.training.spec import Spec
from metier.training.state import RunState
from metier.types import Append
from metier.types.trials import Decision
from metier.web.training_report import report_file as page

if TYPE_CHECKING:
    from metier.models.model import Reply, Request

SCREENING = default_spec(epochs=2, batch=12, screen_edits=4, quick=0, seed=9)


def test_added_lines_are_text_outside_of_frontmatter_headings_code_and_regions() -> None:
    region = "\n<!-- APPENDIX_START -->\nnote\n<!-- APPENDIX_END -->\n"
    after = f"{TEXT}new\n\n## Head\n\n```\ncode\n```\ntwice\ntwice\n{region}"
    assert [line.bare for line in added_lines(TEXT, after)] == ["new", "twice", "twice"]


class Talkative(Teacher):
    """A teacher whose rules come with a line that brings nothing."""

    def complete(self, request: Request) -> Reply:
        reply = super().complete(request)
        return replace(reply, text=reply.text.replace('"- rule-0"', '"- rule-0\\n- idle talk"'))


def test_what_is_quoted_of_a_line_lies_in_its_interval() -> None:
    interval = Interval(low=0.07, high=0.26, level=0.95)
    edit = ProposedChange(what=Append(content="- rule-0"), source="failure")
    effect = Effect(edit=edit, seen=0.16, shrunk=0.03, interval=interval, z=3.4, kept=True)
    decision = Decision(action="accept_new_best", reason="stands out")
    outcome = JudgedChange(change="step", skill_hash="", decision=decision, scores=None, effects=(effect,))
    step = StepRecord(step=1, epoch=1, cases=(), failed=0, passed=0, unscored=0, outcome=outcome)
    state = RunState(current=package(), best=package(TEXT + "- rule-0\n"), memory=Memory(), steps=(step,))
    assert [one.effect for one in attribute_lines(package(), state)] == [0.07]


def test_screened_effects_are_the_attribution() -> None:
    ran = run(SCREENING, model=Talkative(), cases=splits(val=60))
    screened = [one for one in ran.trained.attribution if one.how == "screened"]
    assert len(screened) > 2
    outcomes = [one.outcome for one in ran.trained.steps if isinstance(one.outcome, JudgedChange)]
    known = {effect.shrunk for outcome in outcomes for effect in outcome.effects if effect.kept}
    assert {one.effect for one in screened} <= known


def test_the_classic_trainer_says_what_a_step_brought_and_that_edits_share_it() -> None:
    ran = run(Spec.of(epochs=1, batch=12))
    lines = ran.trained.attribution
    assert {one.how for one in lines} == {"together"}
    assert all(one.others == 1 or one.effect for one in lines)


def test_a_line_of_a_rewrite_has_no_edit_to_be_attributed_to() -> None:
    suggestion = {"suggestions": [{"title": "t", "instruction": "i"}], "new_skill": TEXT + "- rule-0\n- rule-1\n"}
    ran = run(Spec.of(update="rewrite", epochs=1, batch=12), model=Scripted(on(".", says(suggestion))))
    assert [(one.line, one.step, one.how) for one in ran.trained.attribution] == [
        ("- rule-0", 0, "unknown"),
        ("- rule-1", 0, "unknown"),
    ]


def test_the_report_and_its_page_say_what_each_line_brought() -> None:
    cases = splits(val=60)
    ran = run(SCREENING, model=Talkative(), cases=cases)
    made = report(ran.trained, ReportContext(splits=cases, measure=Metric(), confirmation=None))
    text = page(json.loads(json.dumps(made)))
    part = text[text.index("What each line is worth") :]
    assert "<td>screened</td>" in part
    assert "- rule-0" in part
