"""The report says what a training found, in numbers that can be checked again, and nothing it does not know."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from training_toys import run, splits

from metier.statistics.pairs import Pair
from metier.training.gates.confirm import confirm
from metier.training.report.report import ReportContext, report
from metier.training.result import Baseline, EpochRecord, JudgedChange
from metier.training.scores import Metric, Scores
from metier.training.spec import Spec
from metier.types.trials import Decision, Scored, Unscored

if TYPE_CHECKING:
    from metier.training.result import Trained

SPEC = Spec.of(epochs=2, batch=8)


@pytest.fixture(scope="module")
def trained() -> Trained:
    return run(SPEC).trained


def told(**other: Any) -> ReportContext:
    return ReportContext(splits=splits(), measure=Metric(), confirmation=None, **other)


def test_a_report_is_json_and_comes_back_the_same(trained: Trained) -> None:
    found = report(trained, told(reason="nothing was left to confirm it with"))
    assert json.loads(json.dumps(found)) == found


def test_every_step_is_there_with_its_action_effect_and_reason(trained: Trained) -> None:
    steps: Any = report(trained, told())["steps"]
    assert [one["step"] for one in steps] == [one.step for one in trained.steps]
    for row, step in zip(steps, trained.steps, strict=True):
        if isinstance(step.outcome, JudgedChange):
            deltas = [delta for _, delta in step.outcome.decision.deltas]
            assert row["outcome"]["reason"] == step.outcome.decision.reason
            assert row["outcome"]["effect"] == (pytest.approx(sum(deltas) / len(deltas)) if deltas else None)
        assert (row["passed"] + row["failed"] + row["unscored"], len(row["edits"])) == (row["cases"], len(step.edits))


def test_the_curve_never_falls_for_the_best_and_follows_what_was_accepted(trained: Trained) -> None:
    points: Any = report(trained, told())["curve"]
    best = [one["best"] for one in points]
    assert best == sorted(best)
    assert (points[0]["candidate"], points[0]["action"], len(points)) == (None, "start", len(trained.steps) + 1)
    for before, after in pairwise(points):
        if after["action"] in ("reject", "skipped"):
            assert after["current"] == before["current"]
        else:
            assert after["current"] == after["candidate"]


def test_without_a_confirmation_the_decision_is_no_verdict_and_says_why(trained: Trained) -> None:
    found: Any = report(trained, told(reason="it stopped"))
    assert found["decision"] == {"action": "uninformative", "reason": "it stopped", "receipt": None}
    assert found["scores"]["confirm"] is None


def test_a_confirmation_is_there_with_its_receipt(trained: Trained) -> None:
    pairs = [Pair(case=str(n), before=0.0, after=1.0) for n in range(20)]
    found: Any = report(trained, replace(told(), confirmation=confirm(pairs)))
    assert (found["decision"]["action"], found["decision"]["receipt"]["cases"]) == ("accept", 20)
    assert found["scores"]["confirm"] == found["decision"]["receipt"]["gain"] == 1.0


def scores(*values: float | None) -> Scores:
    made = tuple(
        (f"val{n}", Unscored(reason="down") if one is None else Scored(hard=one, soft=one))
        for n, one in enumerate(values)
    )
    return Scores(cases=made)


def baselines(trained: Trained, **arms: Scores) -> Trained:
    made = tuple(Baseline(arm=arm, split="val", scores=one) for arm, one in arms.items())  # type: ignore[arg-type]
    return replace(trained, baselines=made)


def test_unscored_cases_count_for_nothing_and_are_counted(trained: Trained) -> None:
    made = baselines(trained, initial=scores(1, None, 0, None), best=scores(1, 1, 1, 1))
    found: Any = report(made, told())
    first = found["baselines"][0]
    assert (first["score"], first["scored"], first["unscored"]) == (0.5, 2, 2)
    assert 0 < first["interval"][0] < 0.5 < first["interval"][1] < 1
    row = next(one for one in found["cases"] if one["case"] == "val1")
    assert (row["initial"], row["best"]) == ("down", 1.0)


@pytest.mark.parametrize(("best", "beats"), [((1, 1), True), ((1, 0), False), ((0, 0), False)])
def test_whether_the_loop_beats_a_one_shot_rewrite_is_said(
    trained: Trained, best: tuple[float, ...], *, beats: bool
) -> None:
    made = baselines(trained, one_shot=scores(1, 0), best=scores(*best))
    assert report(made, told())["beats_one_shot"] is beats


def test_without_a_rewrite_nobody_knows_whether_it_is_beaten(trained: Trained) -> None:
    made = baselines(trained, best=scores(1, 0))
    assert report(made, told())["beats_one_shot"] is None


def test_the_scorers_text_and_the_expected_answers_are_not_in_the_report(trained: Trained) -> None:
    assert "secret answer" not in json.dumps(report(trained, told()))


def test_screened_edits_are_there_with_their_own_effects() -> None:
    screened = run(Spec.of(epochs=1, batch=8, gate="screen", screen_edits=4, screen_passes=2)).trained
    steps: Any = report(screened, told())["steps"]
    effects = [one for step in steps for one in step["outcome"].get("effects", ())]
    assert effects
    for one in effects:
        assert one["op"] == "append"
        assert one["interval"][0] <= one["seen"] <= one["interval"][1]
        assert abs(one["effect"]) <= abs(one["seen"]) + 1e-9


def test_the_curve_follows_guidance_and_merges_and_guesses_where_a_candidate_was_dropped(trained: Trained) -> None:
    first = trained.steps[0]
    scores = Scores(cases=(("v1", Scored(hard=1.0, soft=1.0)), ("v2", Scored(hard=0.5, soft=0.5))))
    accept = Decision(action="accept_new_best", reason="better")
    taken = JudgedChange(change="slow", skill_hash="g", decision=accept, scores=scores)
    early = Decision(action="reject", reason="not ahead", deltas=(("v1", -0.25), ("v2", 0.05)))
    dropped = JudgedChange(change="step", skill_hash="d", decision=early, scores=None)
    steps = (replace(first, step=1, epoch=1, outcome=dropped), replace(first, step=2, epoch=2, outcome=dropped))
    ran = replace(trained, steps=steps, epochs=(EpochRecord(epoch=1, outcome=taken),))
    points: Any = report(ran, told())["curve"]
    assert points[1]["estimate"] == pytest.approx(max(0.0, points[0]["current"] - 0.1))
    assert (points[1]["candidate"], points[1]["current"], points[1]["best"]) == (None, 0.75, 0.75)
    assert points[2]["estimate"] == pytest.approx(0.65)


def test_the_interval_of_a_baseline_is_of_the_score_the_gate_went_by(trained: Trained) -> None:
    scores = Scores(cases=tuple((f"v{n}", Scored(hard=0.0, soft=0.5)) for n in range(20)))
    ran = replace(trained, baselines=(Baseline(arm="initial", split="val", scores=scores),))
    rows: Any = report(ran, replace(told(), measure=Metric(metric="soft", weight=0.5)))["baselines"]
    assert rows[0]["score"] == 0.5
    assert rows[0]["interval"][0] < 0.5 < rows[0]["interval"][1]
