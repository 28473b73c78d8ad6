"""The search in plain words: a sentence or two for every decision, the same live and from what was kept."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from training_toys import Rules, run, splits

from metier.training.events import Confirmed, Confirming, Decided, EpochEnded, Event, Judging, Screened, dump
from metier.training.presets import default_spec
from metier.training.report.explain import KINDS, explanation_of, explanations_of
from metier.training.spec import Spec

RACE = Judging(step=3, change="step", how="race", edits=2, cases=100, passes=1, dry=0, attempt=2)
DECIDED = Decided(
    step=3,
    change="step",
    action="reject",
    reason="-0.0500 after 40 cases: not ahead",
    skill_hash="ab",
    score=None,
    current=0.5,
    best=0.5,
    compared=40,
    cases=100,
)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (RACE, "Both run again: the current skill was chosen by its first attempts, so they flatter it."),
        (replace(RACE, known=True), "clearly behind. The scores of the current skill are already known."),
        (
            replace(RACE, edits=0, change="slow"),
            "Step 3 (slow update): the candidate is compared with the current skill",
        ),
        (
            replace(RACE, how="screen", edits=15, passes=2, dry=2),
            "2 candidates brought nothing so far, so it looks closer.",
        ),
        (replace(RACE, how="screen", bundles=2), "The last 2 candidates had no clear lead as a whole."),
        (DECIDED, "dropped early"),
        (DECIDED, "saves the rollouts of 60 of 100 val cases"),
        (replace(DECIDED, reason="+0.0000 after 100 cases: not ahead", compared=100), "Step 3: rejected"),
        (replace(DECIDED, reason="1 of 4 edits stand out; but -2.3 standard errors on 9 fresh attempts"), "taken back"),
        (replace(DECIDED, reason="0 of 4 edits stand out by 1.00 standard errors"), "are screened again"),
        (replace(DECIDED, action="accept_new_best", score=0.75), "It is the best so far, with 0.750 on val."),
        (
            replace(DECIDED, action="accept_new_best", score=0.5, reason="2 of 4 edits stand out by 1.00 …"),
            "with 0.500 in fresh attempts on val",
        ),
        (replace(DECIDED, action="accept"), "but not better than the best one"),
        (Confirming(cases=18, power="With 18 cases …"), "now run on 18 fresh cases"),
        (Confirmed(action="uninformative", reason="too few"), "You can still approve the draft"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_decision_is_told_with_its_reason(event: Event, said: str) -> None:
    assert said in (explanation_of(event) or "")


def test_a_screening_says_what_each_edit_is_worth() -> None:
    worth = (("append “- a”", 0.051, 0.01, 0.09, True), ("append “- b”", -0.02, -0.06, 0.02, False))
    text = explanation_of(Screened(step=2, bar=1.0, effects=worth)) or ""
    assert "  +5.1 (+1.0 to +9.0)  kept: append “- a”" in text
    assert "  -2.0 (-6.0 to +2.0)  dropped: append “- b”" in text


@pytest.mark.parametrize(
    "spec",
    [
        Spec.of(epochs=2, batch=8),
        default_spec(epochs=2, batch=8, screen_edits=4),
        default_spec(epochs=2, batch=8, gate="staged"),
    ],
    ids=["classic", "default", "staged"],
)
def test_what_was_kept_tells_the_same_as_what_was_seen(spec: Spec) -> None:
    ran = run(spec, world=Rules(), cases=splits(val=24))
    live = [text for event in ran.events if (text := explanation_of(event))]
    assert list(explanations_of(json.loads(json.dumps([dump(event) for event in ran.events])))) == list(
        dict.fromkeys(live)
    )
    decided = [event for event in ran.events if event.kind in ("decided", "judging", "screened")]
    assert all(explanation_of(event) for event in decided)
    assert decided


def test_the_classic_trainer_has_no_other_events_than_before() -> None:
    kinds = {event.kind for event in run(Spec.of(epochs=2, batch=8)).events}
    assert kinds.isdisjoint({"judging", "screened"})


def test_what_an_earlier_version_kept_otherwise_is_left_out() -> None:
    assert list(explanations_of([{"kind": "judging", "step": 1}, {"kind": "unheard_of"}, {}])) == []
    assert "decided" in KINDS


def test_cases_compared_with_the_epoch_before_are_told_in_plain_words_and_none_is_not_told() -> None:
    pairs = (("improved", 2), ("regressed", 1), ("persistent_fail", 0), ("stable_success", 9))
    ended = EpochEnded(epoch=2, current=0.5, best=0.5, compared=pairs)
    assert ended.line().endswith("(2 better, 1 worse, 9 still passing)")
    assert explanation_of(ended) == (
        "Epoch 2 is over. Its skill and the one before, on the same cases: 2 better, 1 worse, 9 still passing."
    )
    assert Confirming(cases=1, power="").line().startswith("confirming on 1 fresh case:")
