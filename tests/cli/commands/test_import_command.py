"""`metier import` in a folder without a workspace: one is made only for something to put into it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell
from states import has_state

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A folder that is no workspace."""
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return Shell(folder, monkeypatch, capsys)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--everywhere", "--yes"),
        ("claude-code", "."),
        ("claude-code", "no-such-file.jsonl"),
        ("jsonl",),
        ("no-such-agent", "."),
    ],
    ids=" ".join,
)
def test_an_import_that_finds_nothing_makes_no_workspace(
    bare: Shell, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bare.folder)
    said = bare.run("import", *words)
    assert said.code in (1, 2), said.err
    assert [file.name for file in bare.folder.iterdir()] == [".git"]


def test_sessions_that_nobody_agreed_to_import_make_no_workspace(bare: Shell, tmp_path: Path) -> None:
    session = tmp_path / "home/.claude/projects/shop/s1.jsonl"
    session.parent.mkdir(parents=True)
    message = {"role": "user", "content": "fix the login test"}
    record = {"type": "user", "uuid": "a", "cwd": str(bare.folder), "sessionId": "s1", "message": message}
    session.write_text(json.dumps(record) + "\n", encoding="utf-8")
    said = bare.run("import")
    assert said.code == 2
    assert "Add --yes" in said.err
    assert [file.name for file in bare.folder.iterdir()] == [".git"]
    assert "Imported 1 new run" in bare.ok("import", "--yes")
    assert has_state(bare.folder)


def test_sessions_that_a_program_started_come_in_once_the_setting_says_so(shell: Shell, tmp_path: Path) -> None:
    session = tmp_path / "home/.claude/projects/shop/s1.jsonl"
    session.parent.mkdir(parents=True)
    message = {"role": "user", "content": "fix the login test"}
    record = {"type": "user", "uuid": "a", "cwd": str(shell.folder), "sessionId": "s1", "message": message}
    session.write_text(json.dumps(record | {"entrypoint": "sdk-cli"}) + "\n", encoding="utf-8")
    setting = "metier config set record_headless true"
    for _ in range(2):
        said = shell.run("import", "--yes")
        assert "Skipped 1 session that a program started (claude -p, codex exec)." in said.err
        assert setting in said.err
    listed = shell.run("runs", "list").err
    assert "No runs yet." in listed
    assert "Not recorded: 1 session that a program started (claude -p, codex exec)." in listed
    assert setting in listed
    assert "Not recorded" not in shell.run("--set", "record_headless=true", "runs", "list").err
    shell.ok(*setting.split()[1:])
    assert "Imported 1 new run" in shell.ok("import", "--yes")
    assert "1 file unchanged since the last import.\nNo new runs." in shell.ok("import", "--yes")
