"""Following what was learned: from a run to its pattern, from a draft to its runs, from a line to what taught it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli_shell import Shell


def test_a_run_says_where_it_went(shell: Shell, chores: list[str]) -> None:
    assert shell.json("runs", "show", chores[0])["learning"]["went"] == "new"
    shell.ok("learn")
    label = shell.json("patterns")[0]["label"]
    placed, rejected, waits = (shell.json("runs", "show", chores[at])["learning"] for at in (0, 4, 5))
    assert (placed["went"], placed["pattern"]["label"]) == ("clustered", label)
    assert rejected == {"went": "rejected", "reason": "success unknown", "pattern": None}
    assert (waits["went"], waits["pattern"]) == ("waits", None)
    assert waits["reason"]
    assert f"learning: pattern {label}" in shell.ok("runs", "show", chores[0])
    assert "learning: skipped: success unknown" in shell.ok("runs", "show", chores[4])
    assert "learning: no pattern yet" in shell.ok("runs", "show", chores[5])


def test_a_run_shows_the_verdict_and_who_gave_it(shell: Shell, chores: list[str]) -> None:
    shell.ok("learn")
    verdict = shell.json("runs", "show", chores[0])["verdict"]
    assert (verdict["success"], verdict["judge"]) == (True, "heuristic")
    assert "succeeded (judged by heuristic" in shell.ok("runs", "show", chores[0])


def test_a_run_that_is_marked_afterwards_is_new_again(shell: Shell, chores: list[str]) -> None:
    shell.ok("learn")
    shell.ok("runs", "mark", chores[0], "bad")
    assert shell.json("runs", "show", chores[0])["learning"]["went"] == "new"
    shell.ok("learn")
    assert shell.json("patterns")[0]["failed_runs"] == [chores[0]]


def test_a_draft_names_its_pattern_and_its_runs(shell: Shell, chores: list[str]) -> None:
    shell.ok("learn")
    draft = shell.json("drafts", "list")[0]
    (found,) = shell.json("drafts", "show", draft["id"])
    pattern = shell.json("patterns")[0]
    assert (found["pattern"], found["runs"]) == (pattern["id"], chores[:4])
    page = shell.ok("drafts", "show", draft["id"])
    assert f"metier patterns show {pattern['label']}" in page
    assert all(f"{run[:8]}  bump the dependency" in page for run in chores[:4])


def test_a_draft_says_how_many_of_its_runs_were_removed(shell: Shell, chores: list[str]) -> None:
    shell.ok("learn")
    draft = shell.json("drafts", "list")[0]["id"]
    shell.ok("runs", "delete", chores[0], "--yes")
    assert "1 more run, deleted since" in shell.ok("drafts", "show", draft)


def test_every_line_of_a_learned_skill_goes_back_to_its_runs(shell: Shell, chores: list[str]) -> None:
    found = shell.json("learn")
    shell.ok("drafts", "apply", found["drafts"][0]["id"])
    skill = shell.json("skills", "list")[0]["name"]
    lines = shell.json("skills", "blame", skill)
    assert {tuple(one["runs"]) for one in lines} == {tuple(chores[:4])}
    assert {one["draft"] for one in lines} == {found["drafts"][0]["id"]}
    assert f"draft {found['drafts'][0]['id']}, 4 runs" in shell.ok("skills", "blame", skill)
