"""The program that proposes edits in `benchmarks/real_model/real_model.py` reads prompts as the trainer writes them."""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from metier.models.model import Message, Reply, Request
from metier.skills.package import Package
from metier.training.proposing.prompt import ShownCase
from metier.training.proposing.proposals import Bundle, ProposedChange
from metier.training.proposing.rank import ranking_question
from metier.training.proposing.reflect import Minibatch, Setting, analyst_question
from metier.training.spec import Spec
from metier.types import Append
from metier.types.trials import Case, Rollout, Scored

if TYPE_CHECKING:
    from types import ModuleType

SKILL = Package(files={"SKILL.md": b"One of: alarm, recipe.\n\nText: wake me\nLabel: alarm\n"})
SETTING = Setting(skill=SKILL, memory="", meta="")


@pytest.fixture(scope="module")
def program() -> ModuleType:
    file = Path(__file__).parents[3] / "benchmarks" / "real_model" / "proposer.py"
    found = spec_from_file_location("real_model_proposer", file)
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    sys.modules[found.name] = module  # its dataclasses look their types up there
    found.loader.exec_module(module)
    return module


def answer(program: ModuleType, prompt: str, stage: str) -> dict[str, Any]:
    reply = program.Proposer(1).complete(Request(messages=(Message(text=prompt),), stage=stage, max_tokens=100))
    assert isinstance(reply, Reply)
    return json.loads(reply.text)


def failed(number: int) -> ShownCase:
    case = Case(id=f"c{number}", input=f"how do I cook dish {number}", expected="recipe")
    score = Scored(hard=0.0, soft=0.0)
    return ShownCase(
        case=case, rollouts=(Rollout(case=case.id, skill_hash="", target="", score=score, output=" alarm"),)
    )


def test_every_failed_request_an_analyst_is_shown_becomes_an_edit(program: ModuleType) -> None:
    spec = Spec.of(show_expected=True)
    asked = analyst_question(Minibatch(source="failure", cases=tuple(map(failed, range(8)))), SETTING, spec)
    edits = answer(program, asked.prompt, "reflect")["edits"]
    assert len(edits) == 8
    assert {"op": "append", "content": "Text: how do I cook dish 0\nLabel: recipe"} in edits
    assert all("recipe" in edit.get("content", "") or edit["op"] == "delete" for edit in edits)


def test_labels_the_skill_has_no_example_of_are_ranked_first(program: ModuleType) -> None:
    contents = ["Text: ring at six\nLabel: alarm", "Text: soup\nLabel: recipe", "Text: bread\nLabel: recipe"]
    items = tuple(ProposedChange(what=Append(content=text), source="failure", support=1) for text in contents)
    asked = ranking_question(Bundle(items=items), 2, SETTING)
    assert answer(program, asked.prompt, "rank")["selected_indices"] == [1, 0, 2]
