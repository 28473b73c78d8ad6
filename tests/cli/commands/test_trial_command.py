"""`metier trial` in a shell: what it takes, what it shows, and every refusal in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from trial_world import SKILL, past, ready

from metier.workspace import Workspace

if TYPE_CHECKING:
    from cli_shell import Shell


@pytest.fixture
def due(shell: Shell) -> Shell:
    """A workspace in which a skill was due in forty sessions."""
    with Workspace.open(shell.folder) as ws:
        past(ready(ws))
    return shell


def test_a_trial_from_start_to_stop(due: Shell) -> None:
    assert "No trials yet" in due.ok("trial", "list")
    shown = due.ok("trial", "start", SKILL, "--dry-run")
    assert "+10 points" in shown
    assert "40.0 sessions a day" in shown
    assert due.json("trial", "list") == []
    said = due.ok("trial", "start", SKILL)
    assert "half of the sessions of claude-code go without flaky-tests" in said
    assert f"Undo: metier trial stop {SKILL}" in said
    row = due.json("trial", "status", SKILL)
    assert (row["status"], row["with"]["runs"], row["interval"]["low"], row["evidence"]["helps"]) == (
        "running",
        0,
        -1,
        1,
    )
    assert "0 sessions entered" in due.ok("trial", "status", SKILL)
    assert due.json("trial", "stop", SKILL, "--reason", "enough")["reason"] == "enough"
    assert [(one["skill"], one["status"]) for one in due.json("trial", "list")] == [(SKILL, "stopped")]
    assert "enough" in due.ok("trial", "list")


def test_what_cannot_be_tried_is_refused_in_a_line(due: Shell) -> None:
    for words, code, reason in (
        (("start", "nothing"), 1, "There is no skill 'nothing'"),
        (("start", "sql-style"), 1, "in no session"),
        (("start", SKILL, "--gain", "15"), 2, "--gain is 10, 20 or 30"),
        (("status", SKILL), 1, "There is no trial"),
        (("stop", SKILL), 1, "There is no trial"),
    ):
        said = due.run("trial", *words)
        assert (said.code, reason in said.err) == (code, True), said.err


def test_the_plan_is_in_the_json_too(due: Shell) -> None:
    made = due.json("trial", "start", SKILL, "--gain", "30")
    assert [one["gain"] for one in made["plans"]] == [0.1, 0.2, 0.3]
    assert made["trial"]["most_runs"] >= made["plans"][2]["runs"]


def test_the_story_of_a_skill_tells_its_trials(due: Shell) -> None:
    told = due.ok("skills", "why", SKILL)
    assert "whether it helps is not known" in told
    due.ok("trial", "start", SKILL)
    assert f"see metier trial status {SKILL}" in due.ok("skills", "why", SKILL)
    due.ok("trial", "stop", SKILL, "--reason", "enough seen")
    assert "stopped: enough seen" in due.ok("skills", "why", SKILL)
    story = due.json("skills", "why", SKILL)
    assert [one["status"] for one in story["trials"]] == ["stopped"]
    assert story["lines"][0]["version"] == 1
