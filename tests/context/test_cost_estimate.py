"""What asking costs is said before: money where the price is known, calls otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from metier.context.models.estimate import cost_words
from metier.types.questions import Question
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

QUESTIONS = [Question(prompt="x" * 4_000, stage="lessons", max_tokens=1_000) for _ in range(10)]


@pytest.mark.parametrize(
    ("flags", "name", "words"),
    [
        (
            {"model": "openai:mine", "model_price": "2/10"},
            "openai:mine",
            "10 questions, about 10,000 tokens, $0.1200 at most",
        ),
        (
            {"model": "openai:nobody-knows-it"},
            "openai:nobody-knows-it",
            "10 calls, about 10,000 tokens, of a model whose price is not known (set model_price)",
        ),
        ({"model": "openai:mine", "model_price": "2/10"}, "question files", "10 questions, about 10,000 tokens"),
        ({}, "scripted", "10 questions, about 10,000 tokens"),
    ],
)
def test_the_cost_is_an_upper_bound_in_money_or_a_number_of_calls(
    tmp_path: Path, flags: dict[str, object], name: str, words: str
) -> None:
    with Workspace.open(tmp_path, flags=flags) as ws:
        assert cost_words(ws.context, name, QUESTIONS) == words


def test_what_a_program_adds_to_each_question_counts(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, flags={"model": "claude-code:haiku"}) as ws:
        said = cost_words(ws.context, "claude-code:haiku", QUESTIONS)
    assert said.startswith("10 questions, about 35,000 tokens, $0.0")
