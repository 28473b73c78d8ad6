"""`metier checkup`: sessions that a program started are counted, and looked at if the setting says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A folder that is no workspace, with sessions of three agents that programs started in it."""
    shell, home = Shell(tmp_path / "shop", monkeypatch, capsys), tmp_path / "home"
    shell.folder.mkdir()
    for name in ("s1", "s2"):
        claude_session(home, shell.folder, name, entrypoint="sdk-cli")
    meta = {"id": "t1", "cwd": str(shell.folder), "source": "exec", "originator": "codex_exec"}
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]}
    rows = [
        {"timestamp": "2026-01-05T12:00:00.000Z", "type": "session_meta", "payload": meta},
        {"timestamp": "2026-01-05T12:00:01.000Z", "type": "response_item", "payload": asked},
    ]
    put(home / ".codex/sessions/2026/01/05/rollout-2026-01-05T12-00-00-t1.jsonl", rows)
    return shell


def claude_session(home: Path, folder: Path, name: str, **more: str) -> None:
    message = {"role": "user", "content": 'fix the login test; it says {"entrypoint": "sdk-cli"}'}
    record = {"type": "user", "uuid": name, "cwd": str(folder), "sessionId": name, "message": message, **more}
    put(home / f".claude/projects/shop/{name}.jsonl", [record])


def put(file: Path, rows: list[dict[str, object]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize("words", [(), ("--all",)])
def test_a_machine_on_which_only_programs_worked_is_not_called_empty(machine: Shell, words: tuple[str, ...]) -> None:
    said = machine.ok("checkup", *words)
    assert "No session that a person started" in said
    assert "No sessions of an agent" not in said
    assert "Left out 3 sessions that a program started" in said
    assert "record_headless" in said
    assert machine.json("checkup", *words)["by_programs"] == 3


def test_the_command_that_it_names_looks_at_them(machine: Shell) -> None:
    said = machine.ok("checkup")
    command = said.partition("Look at such sessions, too: ")[2].splitlines()[0].split()[1:]
    there = machine.ok(*command)
    assert "Looked at 2 sessions" in there or "Looked at 3 sessions" in there
    assert "Left out" not in there


def test_how_many_were_left_out_stands_beside_how_many_were_looked_at(machine: Shell, tmp_path: Path) -> None:
    claude_session(tmp_path / "home", machine.folder, "mine", entrypoint="cli")
    claude_session(tmp_path / "home", machine.folder, "older")
    said = machine.ok("checkup")
    assert "Looked at 2 sessions" in said
    assert "Left out 3 sessions that a program started (claude -p, codex exec)" in said


def test_with_the_setting_they_count_also_from_a_folder_below(machine: Shell, tmp_path: Path) -> None:
    machine.ok("init", "--no-connect")
    machine.ok("config", "set", "record_headless", "true")
    (machine.folder / "api").mkdir()
    claude_session(tmp_path / "home", machine.folder / "api", "below", entrypoint="sdk-py")
    for folder in (machine.folder, machine.folder / "api"):
        found = machine.json("checkup", str(folder))
        assert (found["by_programs"], found["sessions"] > 0) == (0, True)
