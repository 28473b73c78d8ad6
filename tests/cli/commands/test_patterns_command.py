"""`metier patterns`: the list, one of them, and what it is called by."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from cli_shell import bump, bumps

from metier.store.tables.learning import patterns
from metier.types import SkillTrace, Snapshot
from metier.workspace import Workspace

if TYPE_CHECKING:
    from cli_shell import Shell

KEYS = {"id", "label", "summary", "runs", "external_ids", "success_ratio", "winning_path", "status"}


@pytest.fixture
def learned(shell: Shell) -> list[str]:
    """A workspace that has learned from four successes and a failure."""
    ids = shell.deliver([*bumps(4), bump("flask", number=9, done=False)])
    shell.ok("learn")
    return ids


def test_without_patterns_there_is_a_line_that_says_what_to_do(shell: Shell) -> None:
    assert shell.json("patterns") == []
    assert "metier learn" in shell.run("patterns").err


def test_the_list_has_its_shape_with_and_without_the_word_list(shell: Shell, learned: list[str]) -> None:
    found = shell.json("patterns")
    assert found == shell.json("patterns", "list") == shell.json("patterns", "--all")
    (one,) = found
    assert one.keys() >= KEYS
    assert one["runs"] == learned[:4]
    assert one["external_ids"] == ["bump-httpx", "bump-rich", "bump-stripe", "bump-celery"]
    assert (one["failed_runs"], one["failed_external_ids"]) == (learned[4:], ["bump-flask"])
    assert (one["success_ratio"], one["status"], one["winning_path"]) == (0.8, "ready", [])
    assert one["label"] in shell.ok("patterns")


def test_an_option_before_the_sub_command_counts(shell: Shell, learned: list[str]) -> None:
    import json

    assert json.loads(shell.run("patterns", "--json", "list").out) == shell.json("patterns")


def test_a_retired_pattern_is_only_among_all(shell: Shell, learned: list[str]) -> None:
    with Workspace.open(shell.folder) as ws, ws.context.store.write() as transaction:
        patterns.put(transaction, replace(patterns.list_all(transaction)[0], status="retired"))
    assert shell.json("patterns") == []
    assert [one["status"] for one in shell.json("patterns", "--all")] == ["retired"]


def test_a_pattern_is_found_by_label_id_and_the_beginning_of_its_id(shell: Shell, learned: list[str]) -> None:
    one = shell.json("patterns")[0]
    for name in (one["label"], one["label"].upper(), one["id"], one["id"][:6]):
        assert shell.json("patterns", "show", name)["id"] == one["id"]
    said = shell.run("patterns", "show", "nothing-like-it")
    assert (said.code, said.out) == (1, "")
    assert "There is no pattern 'nothing-like-it' here." in said.err


def test_a_pattern_shows_its_runs_its_draft_and_why_it_is_ready(shell: Shell, learned: list[str]) -> None:
    label = shell.json("patterns")[0]["label"]
    found = shell.json("patterns", "show", label)
    assert [(one["run"], one["success"]) for one in found["members"]] == [
        (run, number < 4) for number, run in enumerate(learned)
    ]
    assert all(one["message"].startswith("bump the dependency") and one["reason"] for one in found["members"])
    assert found["why"] == "4 of 5 runs succeeded, 0.70 needed"
    draft = shell.json("drafts", "list")[0]
    assert [(one["id"], one["status"]) for one in found["drafts"]] == [(draft["id"], "candidate")]
    assert found["skills"] == []
    page = shell.ok("patterns", "show", label)
    for words in (learned[0][:8], learned[4][:8], "ready: 4 of 5", draft["id"], f"metier drafts diff {draft['id']}"):
        assert words in page


def test_a_pattern_shows_the_skill_it_became_and_why_a_draft_was_turned_down(shell: Shell, learned: list[str]) -> None:
    label = shell.json("patterns")[0]["label"]
    draft = shell.json("drafts", "list")[0]["id"]
    shell.ok("drafts", "apply", draft)
    shipped = shell.json("patterns", "show", label)["skills"]
    skill = shell.json("skills", "list")[0]
    assert [(one["skill"], one["version"], one["hash"], one["draft"]) for one in shipped] == [
        (skill["name"], 1, skill["hash"], draft)
    ]
    assert f"metier skills archive {skill['name']}" in shell.ok("patterns", "show", label)


def test_a_rejected_draft_keeps_its_reason(shell: Shell, learned: list[str]) -> None:
    shell.ok("drafts", "reject", shell.json("drafts", "list")[0]["id"], "--reason", "far too specific")
    found = shell.json("patterns", "show", shell.json("patterns")[0]["label"])
    assert [(one["status"], one["reason"]) for one in found["drafts"]] == [("rejected", "rejected: far too specific")]


def test_rejecting_names_its_undo_and_the_undo_works(shell: Shell, learned: list[str]) -> None:
    draft = shell.json("drafts", "list")[0]["id"]
    assert shell.ok("drafts", "reject", draft) == f"Rejected draft {draft}. Undo: metier drafts reopen {draft}\n"
    assert shell.json("drafts", "list") == []
    assert (
        shell.ok("drafts", "reopen", draft)
        == f"Draft {draft} is open again (candidate). Undo: metier drafts reject {draft}\n"
    )
    assert [one["id"] for one in shell.json("drafts", "list")] == [draft]
    assert shell.run("drafts", "reopen", draft).code == 1


def test_a_late_added_skill_is_shown_with_what_brought_it(shell: Shell) -> None:
    snapshots = (
        Snapshot(sequence=1, trigger="initial_build", skills=("repo-map",)),
        Snapshot(sequence=2, trigger="tool_discovery", skills=("repo-map", "uv-basics")),
    )
    runs = [replace(one, snapshots=snapshots, skills=SkillTrace(path=("uv-basics",))) for one in bumps(3)]
    shell.deliver(runs)
    shell.ok("learn")
    found = shell.json("patterns", "show", shell.json("patterns")[0]["label"])
    assert (found["late_added"], found["trigger"]) == (["uv-basics"], "tool_discovery")
    assert found["winning_path"] == ["uv-basics"]
    assert "uv-basics (tool_discovery)" in shell.ok("patterns", "show", found["label"])
