"""How far a lesson's check goes, through the command line: kept, lost and brought back."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import forked
import pytest
from sessions import ran, said

from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

NEVER = "No, never run `pip install` in this project, always run `uv pip install` instead."
AGAIN = "I told you: don't run `pip install` in this project. From now on always run `uv pip install` instead."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A workspace with one rule that waits for a decision."""
    with Workspace.open(tmp_path) as ws:
        for name, words in (("a", NEVER), ("b", AGAIN)):
            ws.deliver([said(f"add package {name}", ran("pip install x"), session=name), said(words, session=name)])
        ws.learn()
        assert [one.kind for one in ws.lessons()] == ["rule"]
    return tmp_path


def listed(folder: Path) -> Any:
    done = forked.metier("lessons", "list", "--json", cwd=folder)
    return json.loads(done.stdout)[0]


def told(folder: Path, *words: str) -> str:
    """What a command says to a person."""
    done = forked.metier("lessons", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_new_words_keep_a_denial_or_say_that_it_is_lost_and_the_undo_brings_both_back(project: Path) -> None:
    rule = listed(project)
    short = rule["id"][:8]
    assert "calls are" not in forked.metier("lessons", "list", cwd=project).stdout
    told(project, "approve", short, "--deny")
    assert "calls are denied" in forked.metier("lessons", "list", cwd=project).stdout
    same = "Never run `pip install`; it breaks the lock file."
    assert "(approved, calls are denied)" in told(project, "edit", short, same)
    assert listed(project)["check"]["step"] == "deny"
    said_then = told(project, "edit", short, "Never run `pip`.")
    assert "(approved, calls are counted)" in said_then
    assert "Calls are no longer denied: the new words make another check" in said_then
    assert f"Agree again: metier lessons approve {short} --deny" in said_then
    undo = said_then.partition("Undo: ")[2].partition("\nCalls")[0]
    for command in undo.split(" && "):
        told(project, *shlex.split(command)[2:])
    assert (listed(project)["text"], listed(project)["check"]["step"]) == (same, "deny")


def test_a_rule_that_cannot_be_checked_says_what_to_write_and_the_examples_of_help_work(project: Path) -> None:
    short = listed(project)["id"][:8]
    told(project, "edit", short, "Be careful with packages.")
    refused = forked.metier("lessons", "approve", short, "--deny", cwd=project)
    assert refused.returncode == 1
    assert f"in backticks: metier lessons edit {short} 'Never run `git add .`'" in " ".join(refused.stderr.split())
    told(project, "edit", short, "Pin versions; never pip install")
    assert "`pip install` must not be run." in told(project, "approve", short, "--deny")
    shown = forked.metier("lessons", "show", short, cwd=project).stdout
    assert "calls are held to it (calls are denied): `pip install` must not be run" in shown


def test_publishing_nothing_says_why(project: Path) -> None:
    short = listed(project)["id"][:8]
    assert "You have approved no lesson." in told(project, "publish")
    told(project, "approve", short, "--deny")
    why = " ".join(told(project, "publish").split())
    assert f"Told only when a call violates it: {short}." in why
    assert f"metier lessons approve {short} --count" in why
    refused = forked.metier("lessons", "publish", short, cwd=project)
    assert f"metier lessons approve {short} --count" in " ".join(refused.stderr.split())
    told(project, "approve", short, "--count")
    assert "1 lesson in AGENTS.md." in told(project, "publish")


def test_a_card_has_every_quote_with_its_run(project: Path) -> None:
    rule = listed(project)
    shown = " ".join(forked.metier("lessons", "show", rule["id"], cwd=project).stdout.split())
    assert len({one["run"] for one in rule["quotes"]}) == 2
    assert rule["text"] in {one["text"] for one in rule["quotes"]}, "the quote that became the line is one of them"
    for one in rule["quotes"]:
        assert f"you said (run {one['run'][:8]}): {one['text']}" in shown


def test_json_says_what_new_words_take_away(project: Path) -> None:
    short = listed(project)["id"][:8]
    told(project, "approve", short, "--remind")
    kept, lost = (
        json.loads(forked.metier("lessons", "edit", short, text, "--json", cwd=project).stdout)
        for text in ("Never run `pip install`.", "Ask before you install.")
    )
    assert (kept["notice"], kept["check"]["step"]) == (None, "remind")
    assert lost["check"] is None
    assert "Agents are no longer reminded" in lost["notice"]
    assert f"metier lessons edit {short} 'Never run `git add .`'" in lost["notice"]
