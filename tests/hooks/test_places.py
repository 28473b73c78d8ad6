"""Which project a hook finds: in each folder of a table the launcher is started as agents start it, by each shell."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest
from ground import RULED, SILENT, Ground
from launcher import Launcher
from states import state_of

if TYPE_CHECKING:
    from pathlib import Path

    from ground import Row

NAMES = [
    "two words and a trailing space ",
    'it\'s a "quote" & `tick` ; | > < # ! ~ %s {a,b} \\',
    "new\nline",
    "trailing newline\n",
    "$(touch executed) ${HOME} $((1))",
    "*",
    "[a-z]?",
    "-rf",
    "=metier",
    "worktrees",
    os.fsdecode(b"not UTF-8 \xff\xfe"),
    "n" * 255,
]
OTHERS = ("METIER_HOME", "METIER_WORKSPACE", "METIER_IGNORE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME")
QUICK = 5.0
"""Seconds in which two hooks have ended on a machine with much else to do; an agent waits for three."""


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "home")


def names(rows: list[Row]) -> list[str]:
    return [row.__name__ for row in rows]


@pytest.mark.parametrize("row", RULED, ids=names(RULED))
def test_the_rule_of_a_project_holds_in(row: Row, ground: Ground) -> None:
    folder = row(ground)
    assert ground.has_rule(folder)
    assert not (folder / "executed").exists()


@pytest.mark.parametrize("row", SILENT, ids=names(SILENT))
def test_hooks_are_silent_in(row: Row, ground: Ground) -> None:
    folder = row(ground)
    began = time.monotonic()
    assert not ground.has_rule(folder)
    assert time.monotonic() - began < QUICK
    assert ground.run(folder, "stop", hook_event_name="Stop", transcript_path="x") == ""
    assert not list(ground.state_home.glob("*/spool/*"))


@pytest.mark.parametrize("is_checkout", [True, False], ids=["checkout", "folder"])
@pytest.mark.parametrize("name", NAMES, ids=[ascii(name[:20]) for name in NAMES])
def test_a_folder_may_have_any_name(ground: Ground, name: str, is_checkout: bool) -> None:
    folder = ground.project(name) if is_checkout else ground.ruled(ground.top / name)
    inner = folder / name
    inner.mkdir()
    assert ground.has_rule(inner)
    assert not list(ground.top.rglob("executed"))


def test_no_variable_of_the_agent_changes_anything(ground: Ground, tmp_path: Path) -> None:
    project, elsewhere = ground.project(), tmp_path / "elsewhere"
    (elsewhere / "metier").mkdir(parents=True)
    (elsewhere / "metier/metier.toml").write_text("enabled = false\n")
    inner = project / "src"
    inner.mkdir()
    for value in (elsewhere, project, "/dev/null", ""):
        assert ground.has_rule(inner, **dict.fromkeys(OTHERS, str(value))), value
    assert ground.has_rule(inner, METIER_ENABLED="false", METIER_PAUSED="true", CDPATH="/", ENV="/dev/null")


def test_state_that_only_the_agents_environment_names_is_not_used(ground: Ground, tmp_path: Path) -> None:
    other, folder = Launcher(tmp_path / "other"), ground.checkout("proj")
    other.ruled(folder)
    assert other.has_rule(folder)
    where = {"METIER_HOME": str(other.state_home), "XDG_STATE_HOME": str(other.state_home.parent)}
    assert not ground.has_rule(folder, **where, HOME=str(other.home), METIER_WORKSPACE=str(folder))


def test_hooks_go_by_the_folder_in_which_the_session_began(ground: Ground, tmp_path: Path) -> None:
    project, outside = ground.project(), tmp_path / "outside"
    outside.mkdir()
    inside, elsewhere = str(project), str(outside)
    assert ground.has_rule(outside, CLAUDE_PROJECT_DIR=inside)
    assert not ground.has_rule(project, CLAUDE_PROJECT_DIR=elsewhere)
    assert ground.has_rule(outside, COPILOT_CLI="1", COPILOT_PROJECT_DIR=inside, CLAUDE_PROJECT_DIR=elsewhere)
    assert not ground.has_rule(project, COPILOT_CLI="1", COPILOT_PROJECT_DIR=elsewhere, CLAUDE_PROJECT_DIR=inside)
    assert ground.has_rule(project, "codex", CLAUDE_PROJECT_DIR=elsewhere, COPILOT_PROJECT_DIR=elsewhere)
    assert not ground.has_rule(outside, "codex", CLAUDE_PROJECT_DIR=inside, COPILOT_PROJECT_DIR=inside)


@pytest.mark.parametrize("value", ["relative", "-", "../proj", "/gone"])
def test_a_session_folder_that_is_no_path_says_nothing(ground: Ground, value: str) -> None:
    assert not ground.has_rule(ground.project(), CLAUDE_PROJECT_DIR=value)


def test_in_a_copy_one_line_is_said_at_each_start_until_it_has_state_of_its_own(ground: Ground, tmp_path: Path) -> None:
    project = ground.checkout("proj")
    ground.made(project)  # nothing is to be told in the original
    copy = shutil.copytree(project, tmp_path / "copy")
    (copy / "src").mkdir()
    for folder in (copy, copy / "src"):
        assert ground.start(folder) == {
            "systemMessage": f"Metier: {copy} is a copy of {project}, so nothing is recorded or told here. "
            "Decide in a terminal: metier init"
        }
    assert ground.start(project) == {}
    made = ground.made(copy)
    assert made.state != state_of(project)
    assert ground.start(copy) == {}
    assert ground.ruled(copy) == copy
    assert ground.has_rule(copy)
    assert not ground.has_rule(project)


def test_rules_that_cannot_be_applied_are_said_when_a_session_starts(ground: Ground) -> None:
    project = ground.project()
    assert ground.start(project) == {}, "the rule is one for a call"
    notes = state_of(project) / "notes.json"
    notes.write_text("{", encoding="utf-8")
    said = ground.start(project)["systemMessage"]
    assert said.startswith("Metier: what you approved is not told here: Expecting property name")
    assert said.endswith(". Look: metier doctor")
    ground.state_home.chmod(0o777)
    why = f"nothing is recorded or told, because {ground.state_home} is not used: others can write it."
    assert ground.start(project) == {"systemMessage": f"Metier: {why}"}
    assert not ground.has_rule(project)


def test_in_a_project_with_nothing_to_tell_no_python_is_started(ground: Ground, tmp_path: Path) -> None:
    trees = [ground.checkout("proj"), tmp_path / "by path", ground.worktree(tmp_path / "proj")]
    trees[1].mkdir()
    for folder in trees:
        ground.made(folder)
    started = tmp_path / "started"
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/sh\ntouch {started}\n")
    fake.chmod(0o755)
    ground.note(fake)
    for folder in trees:
        for event in ("start", "before", "after"):
            assert ground.run(folder, event) == ""
            assert not started.exists(), (folder, event)
