from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import TypeAdapter
from selection_world import decide, falling, names, skill

from metier.models.scripted import Scripted, on, says
from metier.selection.choosing.decision_memo import KeptDecision, decision_to_keep, recall_choice, selection_record
from metier.selection.types import Task

MODEL = Scripted(on("", says(["s1", "s0"])))


def test_a_decision_is_recalled_with_the_skills_as_they_are_now() -> None:
    choice = decide(MODEL, falling(3), pinned=(skill("p"),))
    found = decision_to_keep(choice)
    assert found is not None
    adapter = TypeAdapter(KeptDecision)
    assert adapter.validate_json(adapter.dump_json(found)) == found
    again = recall_choice(found, choice.key, {one.skill.name: one.skill for one in choice.chosen})
    assert again is not None
    assert again.chosen == choice.chosen
    assert again.stages[-1].line().endswith("decided before")
    assert again.interactions == ()


def test_a_decision_is_void_when_one_of_its_skills_is_gone_or_another() -> None:
    choice = decide(MODEL, falling(3))
    found = decision_to_keep(choice)
    assert found is not None
    skills = {one.skill.name: one.skill for one in choice.chosen}
    assert recall_choice(found, choice.key, {"s1": skills["s1"]}) is None
    assert recall_choice(found, choice.key, skills | {"s0": replace(skills["s0"], content_hash="cd" * 32)}) is None


def test_a_decision_of_no_skills_is_kept_too() -> None:
    found = decision_to_keep(decide(Scripted(on("", says([]))), falling(3)))
    assert found is not None
    assert found.chosen == ()
    assert recall_choice(found, "k", {}) is not None


def test_what_was_close_is_recalled_with_its_figures_and_without_its_text() -> None:
    choice = decide(MODEL, falling(3))
    found = decision_to_keep(choice)
    assert found is not None
    again = recall_choice(found, choice.key, {one.skill.name: one.skill for one in choice.chosen})
    assert again is not None
    figures = [(one.skill.name, one.score, one.probability, one.explored, one.parts) for one in again.candidates]
    assert figures == [
        (one.skill.name, one.score, one.probability, one.explored, one.parts) for one in choice.candidates
    ]
    assert [one.skill.body for one in again.candidates if one.skill.name == "s2"] == [""]


@pytest.mark.parametrize("count", [3, 6])
def test_what_was_decided_because_the_model_failed_is_not_kept(count: int) -> None:
    assert decision_to_keep(decide(Scripted(on("", says("what?"))), falling(count))) is None
    assert decision_to_keep(decide(None, falling(count))) is not None


def test_the_record_for_the_store_holds_lines_a_person_can_read() -> None:
    choice = decide(MODEL, falling(2))
    found = selection_record(
        choice, Task(text="ship", workspace="w"), selection="sel-1", created="2026-01-01T00:00:00Z"
    )
    assert (found.id, found.workspace, found.query, found.chosen) == ("sel-1", "w", "ship", ("s1", "s0"))
    assert found.stages == ("retrieve: 2 of 2 by score (s0, s1)", "final: 2 of 2 by model (s1, s0)")
    assert [one.hash for one in found.candidates] == ["ab" * 32] * 2
    assert names(choice) == list(found.chosen)
