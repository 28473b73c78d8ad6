"""Settings of a run, and the events it yields."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from metier.errors import UsageError
from metier.training.events import Decided, Measured, StepSkipped, Stopped, TrainingEnded, dump
from metier.training.spec import GROUPS, REMOVED, EditSettings, EpochSettings, Spec


def test_the_defaults_are_the_classic_trainer_with_everything_gated() -> None:
    spec = Spec()
    assert (spec.batch, spec.epochs, spec.seed, spec.reflection.minibatch) == (40, 4, 42, 8)
    assert spec.editing == EditSettings(max_edits=4, min_edits=2, schedule="cosine", merge_group=8)
    assert spec.epoch_end == EpochSettings(slow=True, slow_cases=20, pairs="mixed", meta=True)
    gating = spec.gating
    assert (gating.gate, gating.metric, gating.gate_everything) == ("strict", "hard", True)
    assert not spec.reflection.skill_aware


def test_a_setting_has_one_name_in_all_groups_and_no_group_is_large() -> None:
    names = [name for group in GROUPS.values() for name in group]
    top = [one.name for one in fields(Spec)]
    assert len({*names, *top}) == len(names) + len(top)
    assert max(len(top), *(len(group) for group in GROUPS.values())) <= 30
    assert Spec.of(max_edits=1, seed=2) == Spec(seed=2, editing=EditSettings(max_edits=1))
    with pytest.raises(TypeError, match="sparkle"):
        Spec.of(sparkle=3)


def test_the_same_settings_are_the_same_text_and_can_be_read_back() -> None:
    assert Spec().canonical() == Spec().canonical() != Spec.of(seed=1).canonical()
    assert Spec.of(**json.loads(Spec.of(batch=7).canonical())) == Spec.of(batch=7)
    assert list(json.loads(Spec().canonical())) == sorted(Spec().settings())


def test_settings_of_an_earlier_version_are_read_unless_somebody_used_what_is_gone() -> None:
    kept = {**json.loads(Spec.of(batch=7).canonical()), **REMOVED}
    assert Spec.read(json.dumps(kept)) == Spec.of(batch=7)
    with pytest.raises(TypeError, match="parents"):
        Spec.read(json.dumps({**kept, "parents": "pareto"}))


@pytest.mark.parametrize(
    "wrong",
    [
        *({"metric": "best"}, {"schedule": "steep"}, {"update": "all"}, {"gate": "soft"}, {"pairs": "some"}),
        *({"epochs": 0}, {"batch": 0}, {"merge_group": 1}, {"max_edits": -1}, {"minibatch": 0}),
        *({"bar": float("nan")}, {"max_loss": float("inf")}, {"behind": -0.1}, {"quick": -1}),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        Spec.of(**wrong)  # type: ignore[arg-type]


def test_every_purpose_has_a_seed_of_its_own() -> None:
    assert Spec().seed_for("a") != Spec().seed_for("b")
    assert Spec().seed_for("a") != Spec.of(seed=43).seed_for("a")


def test_events_are_lines_for_people_and_objects_for_programs() -> None:
    decided = Decided(
        step=3, change="slow", action="accept_new_best", reason="up", skill_hash="a", score=0.5, current=0.5, best=0.5
    )
    assert decided.line() == "step 3 (slow update): accept new best: up"
    assert dump(decided)["kind"] == "decided"
    assert (
        "12 unscored"
        in Measured(arm="no_skill", split="val", skill_hash="", hard=0, soft=0, scored=1, unscored=12).line()
    )
    assert StepSkipped(step=1, change="step", reason="why").line() == "step 1: nothing to judge: why"
    assert "the best so far is kept" in Stopped(reason="spent", step=2).line()


def test_a_run_that_does_not_beat_one_rewrite_says_so() -> None:
    fields = {"skill_hash": "a", "best_step": 2, "initial": 0.1, "best": 0.4}
    assert "does not beat a one-shot rewrite" in TrainingEnded(**fields, one_shot=0.4).line()  # type: ignore[arg-type]
    assert "one-shot" not in TrainingEnded(**fields, one_shot=0.3).line()  # type: ignore[arg-type]
