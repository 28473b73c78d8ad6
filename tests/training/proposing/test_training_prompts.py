"""Every prompt renders, and none of them is left over."""

from __future__ import annotations

from importlib.resources import files
from string import Template

import pytest
from training_toys import bundle, desk, setting

from metier.models.wire.schemas import schema_of, wire_schema
from metier.prompts import PromptError
from metier.training.proposing import answers
from metier.training.proposing.aggregate import merge_question
from metier.training.proposing.optimiser import prompt
from metier.training.proposing.rank import ranking_question
from metier.training.spec import Spec

NAMES = sorted(one.name.removesuffix(".md") for one in (files("metier.training") / "prompts").iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_renders_with_its_values_and_with_no_others(name: str) -> None:
    text = (files("metier.training") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    values = {word: f"value of {word}" for word in Template(text).get_identifiers()}
    made = prompt(name, **values)
    assert "$" not in made
    assert all(value in made for value in values.values())
    with pytest.raises(PromptError, match="does not use"):
        prompt(name, **values, unheard="x")
    if values:
        with pytest.raises(PromptError, match="lacks"):
            prompt(name)


@pytest.mark.parametrize("update", ["patch", "rewrite", "full_rewrite"])
def test_every_way_to_update_has_its_merge(update: str) -> None:
    asked = merge_question([bundle("a"), bundle("b")], setting(), Spec.of(update=update), 1)  # type: ignore[arg-type]
    assert asked.stage == "merge"
    assert "Do it well." in asked.prompt


def test_a_dollar_in_a_skill_or_a_task_is_only_a_dollar() -> None:
    assert "costs $5 ${x}" in ranking_question(bundle("costs $5 ${x}"), 1, setting("# $HOME\n")).prompt


@pytest.mark.parametrize(
    "kind",
    [
        *(answers.AnalysedPatch, answers.AwarePatch, answers.AnalysedSuggestions, answers.AwareSuggestions),
        *(answers.AnalysedDocument, answers.AwareDocument, answers.Patched, answers.Ranking, answers.LearningRate),
        *(answers.Guidance, answers.Strategy, answers.Consolidated, answers.Rewritten, answers.Suggestions),
    ],
)
def test_strict_servers_take_the_shape_of_every_answer(kind: type) -> None:
    shape = wire_schema(schema_of(kind).json)
    assert shape
    assert "$ref" not in str(shape.get("properties", {})) or "$defs" in shape


def test_the_desk_counts_what_a_repair_takes() -> None:
    place, model = desk("no JSON", {"selected_indices": [0]})
    asked = place.one(ranking_question(bundle("a", "b"), 1, setting()))
    assert asked.value
    assert asked.usage.calls == len(model.requests) == 2
    assert asked.usage.tokens.input > 0
