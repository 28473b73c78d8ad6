"""What only the person decides: an agent's own call of it is stopped, and nothing that only mentions it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer
from launcher import Launcher

from metier.cli.app import app
from metier.hooks.deciding import DECIDING
from metier.hooks.notes import Note, write_notes

if TYPE_CHECKING:
    from metier.workspace import Workspace

NOT_THERE_YET = ("skills", "trust")


def answer(ws: Workspace, tool: str, **given: object) -> str:
    """What the hook prints before a tool runs."""
    said = {"hook_event_name": "PreToolUse", "cwd": str(ws.root), "session_id": "s", "tool_name": tool}
    done = subprocess.run(
        [sys.executable, "-I", "-m", "metier.hooks", "before"],
        input=json.dumps(said | {"tool_input": given}),
        cwd=ws.root,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def reason(printed: str) -> str:
    said = json.loads(printed)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    return str(said["permissionDecisionReason"])


STOPPED = (
    "metier drafts apply 3f9a",
    "metier drafts approve 3f9a --reason 'read it'",
    "cd x && metier -w /elsewhere --set mode=draft lessons approve 3f9a --deny",
    "yes deploy | metier drafts review",
    ".venv/bin/metier cases review",
    "python3 -m metier skills rollback deploy",
    "uvx --from . metier config set mode apply",
    "uv run metier pause",
    "env X=1 metier init",
    "sh -c 'true; metier uninit --yes'",
    "script -qec 'metier lessons review' /dev/null",
    "expect -c 'spawn metier drafts approve 3f9a; send deploy'",
    "unbuffer metier restore b.tar.gz",
    "echo 3f9a | xargs metier drafts apply",
    "echo $(metier drafts approve 3f9a)",
    "timeout 5 nohup metier lessons edit 3f9a 'be bold' &",
)
LET_THROUGH = (
    "metier drafts list",
    "metier drafts diff 3f9a",
    "metier lessons reject 3f9a",
    "metier lessons forget 3f9a",
    "metier drafts approve --help",
    "metier init --dry-run",
    "git commit -m 'metier drafts apply'",
    "grep -rn 'metier init' docs",
    "echo metier drafts approve 3f9a",
    "cat metier/drafts/approve",
    "pytest tests/metier -k 'drafts and approve'",
)


@pytest.mark.parametrize("line", STOPPED)
def test_a_deciding_command_in_the_place_of_a_program_is_stopped(ws: Workspace, line: str) -> None:
    said = reason(answer(ws, "Bash", command=line))
    assert said.startswith("Not run: only the person decides this. They run it in their own terminal: metier ")
    assert "\n" not in said


@pytest.mark.parametrize("line", LET_THROUGH)
def test_what_decides_nothing_or_only_mentions_it_is_not_stopped(ws: Workspace, line: str) -> None:
    assert answer(ws, "Bash", command=line) == ""


def test_every_command_of_the_table_exists() -> None:
    for words in DECIDING:
        command = typer.main.get_command(app)
        for word in words if words != NOT_THERE_YET else ():
            command = command.get_command(typer.Context(command), word)  # type: ignore[attr-defined]
            assert command is not None, words


def test_metiers_own_files_are_changed_by_no_tool_and_no_command(ws: Workspace) -> None:
    notes = ws.state / "notes.json"
    settings = "~/.config/metier/metier.toml"
    assert "which only the person changes" in reason(answer(ws, "Write", file_path=str(notes), content="x"))
    assert "which only the person changes" in reason(answer(ws, "Edit", file_path=settings, old_string="a"))
    for line in (f"rm -r {ws.state}", f"cd {ws.state} && echo > notes.json", f"sed -i s/a/b/ {settings}"):
        assert "which only the person changes" in reason(answer(ws, "Bash", command=line))
    patch = f"*** Begin Patch\n*** Delete File: {notes}\n*** End Patch"
    assert "which only the person changes" in reason(answer(ws, "apply_patch", input=patch))
    assert answer(ws, "Read", file_path=str(notes)) == ""
    assert answer(ws, "Write", file_path=str(ws.root / "metier.py"), content="x") == ""
    assert answer(ws, "Write", file_path=str(ws.state / "questions" / "1.json"), content="{}") == ""


def test_the_launcher_looks_for_it_in_every_workspace_also_after_the_last_lesson_went(ws: Workspace) -> None:
    words = ws.state / "words" / "before"
    assert words.read_text() == "metier\n"
    write_notes(str(ws.state), [Note("before", "x", "git add .")])
    assert words.read_text() == "metier\ngit add .\n"
    write_notes(str(ws.state), [])
    assert words.read_text() == "metier\n"


def test_the_launcher_finds_it_with_nothing_noted(ws: Workspace) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "metier drafts apply 3f9a"}}
    said = Launcher(Path(os.environ["HOME"])).run(ws.root, "before", hook_event_name="PreToolUse", **call)
    assert "metier drafts apply 3f9a" in reason(said)
