"""Settings of a run, and the events it yields."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from metier.errors import UsageError
from metier.training.events import Decided, Ended, Measured, Skipped, Stopped, dump
from metier.training.spec import REMOVED, Spec


def test_the_defaults_are_the_classic_trainer_with_everything_gated() -> None:
    spec = Spec()
    assert (spec.max_edits, spec.min_edits, spec.schedule, spec.batch, spec.epochs, spec.seed) == (
        4,
        2,
        "cosine",
        40,
        4,
        42,
    )
    assert (spec.minibatch, spec.merge_group, spec.slow_cases, spec.pairs, spec.metric) == (8, 8, 20, "mixed", "hard")
    assert (spec.slow, spec.meta, spec.skill_aware, spec.gate, spec.gate_everything) == (
        True,
        True,
        False,
        "strict",
        True,
    )


def test_the_same_settings_are_the_same_text_and_can_be_read_back() -> None:
    assert Spec().canonical() == Spec().canonical() != Spec(seed=1).canonical()
    assert Spec(**json.loads(Spec(batch=7).canonical())) == Spec(batch=7)
    assert list(json.loads(Spec().canonical())) == sorted(asdict(Spec()))


def test_settings_of_an_earlier_version_are_read_unless_somebody_used_what_is_gone() -> None:
    kept = {**json.loads(Spec(batch=7).canonical()), **REMOVED}
    assert Spec.read(json.dumps(kept)) == Spec(batch=7)
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
        Spec(**wrong)  # type: ignore[arg-type]


def test_every_purpose_has_a_seed_of_its_own() -> None:
    assert Spec().seed_for("a") != Spec().seed_for("b")
    assert Spec().seed_for("a") != Spec(seed=43).seed_for("a")


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
    assert Skipped(step=1, change="step", reason="why").line() == "step 1: nothing to judge: why"
    assert "the best so far is kept" in Stopped(reason="spent", step=2).line()


def test_a_run_that_does_not_beat_one_rewrite_says_so() -> None:
    fields = {"skill_hash": "a", "best_step": 2, "initial": 0.1, "best": 0.4}
    assert "does not beat a one-shot rewrite" in Ended(**fields, one_shot=0.4).line()  # type: ignore[arg-type]
    assert "one-shot" not in Ended(**fields, one_shot=0.3).line()  # type: ignore[arg-type]
