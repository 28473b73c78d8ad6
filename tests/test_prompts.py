from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from metier.prompts import PromptError, load, render

if TYPE_CHECKING:
    from pathlib import Path


def test_every_placeholder_is_filled() -> None:
    assert render("Judge $run for $$5: ${goal}", run="r1", goal="x") == "Judge r1 for $5: x"


@pytest.mark.parametrize(
    ("text", "values", "says"),
    [
        ("$a $b", {"a": "1"}, "lacks a value for: b"),
        ("$a", {"a": "1", "c": "2"}, "does not use: c"),
        ("costs $ 5", {}, "neither a placeholder"),
    ],
)
def test_a_missing_an_unused_and_a_stray_placeholder_are_errors(text: str, values: dict[str, str], says: str) -> None:
    with pytest.raises(PromptError, match=says):
        render(text, **values)


def test_values_are_not_expanded_again() -> None:
    assert render("$a", a="$b") == "$b"


def test_a_prompt_is_a_file_beside_its_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "somewhere_with_prompts"
    (package / "prompts").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "prompts" / "judge.md").write_text("Judge $run.")
    monkeypatch.syspath_prepend(tmp_path)
    assert load("somewhere_with_prompts", "judge") == "Judge $run."
    with pytest.raises(PromptError, match=r"expected prompts/other\.md"):
        load("somewhere_with_prompts", "other")
    sys.modules.pop("somewhere_with_prompts")
