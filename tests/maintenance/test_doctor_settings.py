"""The doctor checks settings as the commands do that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell
from states import state_of

from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("model = 'foo'", "A model is written PROVIDER:NAME"),
        ("embed_model = 'opeanai:x'", "did you mean 'openai'?"),
    ],
)
def test_a_model_that_cannot_be_asked_is_a_problem_with_the_file_it_stands_in(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    setting: str,
    said: str,
) -> None:
    Workspace.open(tmp_path).close()
    shell, file = Shell(tmp_path, monkeypatch, capsys), state_of(tmp_path) / "metier.toml"
    file.write_text(f"{setting}\n")
    ((name, text),) = [(one["name"], one["text"]) for one in shell.json("doctor", code=1) if one["state"] == "problem"]
    assert (name, said in text, str(file) in text) == ("settings", True, True)


def test_learning_names_the_file_of_a_model_that_cannot_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Workspace.open(tmp_path).close()
    shell, file = Shell(tmp_path, monkeypatch, capsys), state_of(tmp_path) / "metier.toml"
    file.write_text("model = 'foo'\n")
    learned = shell.run("learn")
    assert (learned.code, f"Setting 'model' in {file}: A model is written" in learned.err) == (2, True)


@pytest.mark.parametrize("name", ["model", "embed_model"])
def test_a_model_that_cannot_be_asked_is_not_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    Workspace.open(tmp_path).close()
    said = Shell(tmp_path, monkeypatch, capsys).run("config", "set", name, "foo")
    assert (said.code, "A model is written PROVIDER:NAME" in said.err) == (2, True)
