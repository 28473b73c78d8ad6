"""A typo in a settings file: what a person approved is still told and still stops a call, and nothing is recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from metier.hooks.notes import Note, write_notes

if TYPE_CHECKING:
    from metier.workspace import Workspace

CHECK = {"program": ["git", "push"], "why": "x"}
TYPOS = ("record_headless = yes\n", 'mode = "draft\n', "= 3\n", "[half\n", "\xff\n", "a = " + "[" * 5_000 + "\n")


def hook(ws: Workspace, event: str, **payload: object) -> str:
    command = [sys.executable, "-I", "-m", "metier.hooks", event]
    text = json.dumps({"cwd": str(ws.root), "session_id": "s", **payload})
    done = subprocess.run(command, input=text, cwd=ws.root, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout


def denial(ws: Workspace) -> str:
    call = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}}
    return hook(ws, "before", hook_event_name="PreToolUse", **call)


@pytest.fixture
def noted(ws: Workspace) -> Workspace:
    """A workspace in which one call is stopped, and two lines are told."""
    stop = Note("before", "Do not push.", "push", denies=True)
    notes = [stop, Note("start", "Use uv."), Note("prompt", "Deploys go by make.", "deploy")]
    write_notes(str(ws.state), notes)
    assert '"deny"' in denial(ws)
    return ws


def settings_files(ws: Workspace) -> list[Path]:
    user = Path(os.environ["HOME"]) / ".config/metier/metier.toml"
    user.parent.mkdir(parents=True, exist_ok=True)
    return [ws.state / "metier.toml", user]


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("typo", TYPOS)
def test_a_typo_switches_no_approved_denial_off(noted: Workspace, typo: str, which: int) -> None:
    file = settings_files(noted)[which]
    file.write_bytes(typo.encode("latin-1"))
    assert '"deny"' in denial(noted)
    assert "Use uv." in hook(noted, "start", hook_event_name="SessionStart", source="startup")
    assert "Deploys go by make." in hook(noted, "prompt", hook_event_name="UserPromptSubmit", prompt="deploy it")
    log = (noted.state / "spool/errors.log").read_text()
    assert f"tell: {file} cannot be read" in log
    assert "only approved notes are told, and nothing is recorded" in log


def test_a_typo_records_nothing(noted: Workspace, tmp_path: Path) -> None:
    settings_files(noted)[0].write_text("record_headless = yes\n")
    before = len(list((noted.state / "spool").glob("*.json")))
    (tmp_path / "t.jsonl").write_text("{}")
    hook(noted, "stop", hook_event_name="Stop", transcript_path=str(tmp_path / "t.jsonl"))
    assert len(list((noted.state / "spool").glob("*.json"))) == before
    assert "record: UnreadableSettingsError" in (noted.state / "spool/errors.log").read_text()


@pytest.mark.parametrize(
    "off",
    [
        "enabled = false\n{typo}",
        "{typo}enabled = false # for now\n",
        "enabled = no\n",
        "paused = true\n{typo}",
        'ignore = [\n  "/nowhere",\n  "{root}",\n]\n{typo}',
    ],
)
@pytest.mark.parametrize("which", [0, 1])
def test_what_the_file_says_plainly_still_holds(noted: Workspace, off: str, which: int) -> None:
    file = settings_files(noted)[which]
    file.write_text(off.format(root=noted.root, typo="record_headless = yes\n"))
    assert denial(noted) == ""
