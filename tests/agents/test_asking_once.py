"""`metier init` in a terminal: it shows everything, asks once, and does what the person says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from homes import FOREIGN_HOOKS, picture, without_state
from states import has_state, state_of
from terminal import answered

from metier.context.models.consent import consents
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


SECRET = "ghp_" + "x7Kq2Lm9Pw4Rt8Vz1Nc5Bd3Fg6Hj0SaYuEiO"


def made_home(tmp_path: Path) -> tuple[Path, Path]:
    home, project = tmp_path / "home", tmp_path / "proj"
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    (home / ".codex/hooks.json").write_text(FOREIGN_HOOKS)
    project.mkdir()
    return home, project


def test_a_person_who_says_yes_is_asked_once_and_connected(tmp_path: Path) -> None:
    home, project = made_home(tmp_path)
    code, screen = answered(project, "y", "init")
    assert code == 0
    assert screen.count("[y/N]: ") == 1
    assert screen.index("Connecting writes these files") < screen.index("Write this?")
    assert "Connected Claude Code and Codex." in screen
    assert (home / ".claude/skills/metier").is_symlink()


def put_session(home: Path, project: Path) -> None:
    """A session that Claude Code had in a folder."""
    common = {"sessionId": "s1", "cwd": str(project), "version": "2.1.0", "timestamp": "2026-11-01T10:00:00Z"}
    said = {"role": "user", "content": f"fix the flaky test, the key is {SECRET}"}
    text = {"role": "assistant", "id": "m1", "model": "x", "content": [{"type": "text", "text": "It is stable now."}]}
    lines = [
        common | {"type": "user", "uuid": "a", "parentUuid": None, "message": said},
        common | {"type": "assistant", "uuid": "b", "parentUuid": "a", "message": text},
    ]
    folder = home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project))
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def put_program(folder: Path, name: str) -> str:
    folder.mkdir()
    (folder / name).write_text("#!/bin/sh\nexit 1\n")
    (folder / name).chmod(0o755)
    return str(folder)


def test_what_is_written_and_the_login_as_the_model_are_two_questions(tmp_path: Path) -> None:
    home, project = made_home(tmp_path)
    put_session(home, project)
    code, screen = answered(project, "y", "init", path=put_program(tmp_path / "tools", "claude"))
    assert code == 0, screen
    steps = (
        "Then it imports 1 session that Claude Code had here",
        "Write this?",
        "An example, as it",
        "Use claude-code:haiku",
    )
    places = [screen.index(one) for one in steps]
    assert places == sorted(places)
    assert screen.count("[y/N]") == 2
    assert "2,300 tokens, $0.00" in screen
    assert "Imported 1 new run." in screen
    shown = screen[places[2] :]
    assert "fix the flaky test" in shown, "the text as it would be sent is shown before"
    assert SECRET not in screen
    assert 'model = "claude-code:haiku"' in (state_of(project) / "metier.toml").read_text()
    with Workspace.open(project) as ws:
        assert [one.provider for one in consents(ws.context)] == ["claude-code"]
    assert "Undo: metier config unset model" in screen


def test_without_a_yes_nothing_is_imported_no_model_is_set_and_nothing_may_be_sent(tmp_path: Path) -> None:
    home, project = made_home(tmp_path)
    put_session(home, project)
    answered(project, "n", "init", "--no-connect")
    code, screen = answered(project, "n", "init", path=put_program(tmp_path / "tools", "claude"))
    assert code == 0, screen
    assert "Nothing was imported" in screen or "Imported" not in screen
    assert "No model is set. Later: metier config set model" in screen
    files = [*(home / ".config").rglob("*.toml"), *state_of(project).glob("*.toml")]
    settings = "".join(file.read_text() for file in files)
    with Workspace.open(project) as ws:
        assert consents(ws.context) == []
    assert "model" not in settings


@pytest.mark.parametrize(("answer", "end"), [("n", 0), ("\x04", 130)])
def test_a_person_who_says_no_or_stops_finds_that_nothing_was_written(tmp_path: Path, answer: str, end: int) -> None:
    home, project = made_home(tmp_path)
    (project / ".git").mkdir()
    before = picture(home)
    code, screen = answered(project, answer, "init")
    assert code == end, screen
    for shown in (
        "~/.local/state/metier  (its state",
        f"{project}/.git/metier-id  (a random id",
        "~/.local/state/metier/user  (your own keys",
    ):
        assert screen.index(shown) < screen.index("Write this?")
    assert "Nothing was written." in screen
    assert "work with your agent" not in screen
    assert (list(picture(project)), picture(home)) == ([".git"], before)


def test_without_an_agent_and_where_all_are_connected_a_yes_makes_the_workspace(tmp_path: Path) -> None:
    without, again = tmp_path / "without", tmp_path / "again"
    without.mkdir()
    code, screen = answered(without, "y", "init")
    assert code == 0, screen
    assert screen.count("No coding agent was found.") == 1
    assert has_state(without)
    _, project = made_home(tmp_path)
    answered(project, "y", "init")
    again.mkdir()
    code, screen = answered(again, "y", "init")
    assert code == 0, screen
    assert screen.count("Write this?") == 1
    assert has_state(again)


def test_a_no_in_a_workspace_that_is_there_does_not_sound_connected(tmp_path: Path) -> None:
    home, project = made_home(tmp_path)
    answered(project, "n", "init", "--no-connect")
    before = without_state(home)
    code, screen = answered(project, "n", "init")
    assert code == 0
    assert "Nothing was written. To do it: metier connect" in screen
    assert "No agent is connected: metier connect." in screen
    assert "work with your agent" not in screen
    assert without_state(home) == before
