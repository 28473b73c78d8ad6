"""Presets: names for settings that go together, each of which can be changed."""

from __future__ import annotations

import json

import pytest

from metier.errors import UsageError
from metier.training.presets import PRESETS, default_spec, spec_of
from metier.training.proposing.edit_budget import planned_budget
from metier.training.spec import Spec


def test_without_a_word_it_is_the_classic_trainer() -> None:
    assert spec_of() == spec_of("classic") == Spec()


def test_ours_differs_from_it_and_says_so_in_the_record() -> None:
    ours = json.loads(default_spec().canonical())
    assert (ours["preset"], ours["gate"]) == ("default", "adaptive")
    assert Spec.of(**ours) == default_spec() == spec_of("default")


@pytest.mark.parametrize(
    "change", [{"gate": "staged"}, {"carry": False}, {"check": False}, {"bar": 0.7}, {"screen_edits": 4}], ids=str
)
def test_every_idea_can_be_turned_off_by_itself(change: dict[str, object]) -> None:
    changed, usual = json.loads(default_spec(**change).canonical()), json.loads(default_spec().canonical())
    assert {name: value for name, value in changed.items() if usual[name] != value} == change


def test_a_preset_that_does_not_exist_is_named() -> None:
    with pytest.raises(UsageError, match="no preset 'best'; choose one of classic, default"):
        spec_of("best")
    assert list(PRESETS) == ["classic", "default"]


@pytest.mark.parametrize("wrong", [{"gate": "lax"}, {"block": 0}, {"screen_edits": 0}, {"screen_passes": 0}])
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        default_spec(**wrong)


def test_a_step_takes_up_as_many_edits_as_can_be_screened() -> None:
    assert planned_budget(default_spec(screen_edits=9), 1, 4, bundled=False) == 9
    assert planned_budget(default_spec(screen_edits=9, schedule="constant"), 1, 4) == 4
    assert planned_budget(default_spec(gate="staged", schedule="constant"), 1, 4) == 4
    assert planned_budget(default_spec(update="rewrite", schedule="constant"), 1, 4) == 4
