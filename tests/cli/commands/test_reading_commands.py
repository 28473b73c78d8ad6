"""Commands that show things change nothing: not the database, not the state folder, not a skill."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from metier.library.disk.packages import read_package
from metier.library.proposals.drafts import (
    approve_draft,
    draft_of_package,
    get_draft,
    list_drafts,
    note_objection,
    save_draft,
)
from metier.library.proposals.hand_in import hand_in_document
from metier.library.proposals.ship import apply_drafts
from metier.store.tables.library import drafts
from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from cli_shell import Shell

DOCUMENT = "---\nname: {name}\ndescription: Ships the shop. Use when a release is ready.\n---\n\n# Do it\n\n1. Push.\n"
SKIPPED = ("metier.db-shm", "metier.db-wal")
"""What SQLite itself makes and removes while somebody reads."""
COMMANDS = (
    ("doctor",),
    ("skills", "list"),
    ("skills", "list", "--order", "claude-code"),
    ("skills", "show", "edited"),
    ("skills", "history", "edited"),
    ("skills", "history", "removed"),
    ("skills", "history", "new"),
    ("skills", "diff", "edited"),
    ("skills", "blame", "edited"),
    ("skills", "age", "--dry-run"),
    ("drafts", "list"),
    ("drafts", "list", "--all"),
    ("drafts", "show", "OPEN"),
    ("drafts", "diff", "OPEN"),
    ("drafts", "show", "SHIPPED"),
)


def put(shell: Shell, name: str) -> Path:
    folder = shell.folder / ".agents/skills" / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(DOCUMENT.format(name=name), encoding="utf-8")
    return folder


@pytest.fixture
def ids(shell: Shell) -> dict[str, str]:
    """A library in which much was left undone: hand edits, an open draft, one whose process was killed."""
    edited, removed = put(shell, "edited"), put(shell, "removed")
    with Workspace.open(shell.folder) as ws:
        ws.record_hand_edits()
        package = read_package(edited).with_files({"notes.md": b"x"})
        found = ws.library.find("edited")
        shipped = save_draft(ws.context, draft_of_package(ws.library, found, package, summary="notes"))
        apply_drafts(ws.library, [approve_draft(ws.library, shipped.id).id])
        with ws.context.store.write() as transaction:
            drafts.put(transaction, replace(drafts.get(transaction, shipped.id), status="candidate"))
        more = package.with_files({"more.md": b"y"})
        waiting = save_draft(ws.context, draft_of_package(ws.library, found, more, summary="more"))
    with (edited / "SKILL.md").open("a", encoding="utf-8") as file:
        file.write("2. Tell everybody.\n")
    shutil.rmtree(removed)
    put(shell, "new")
    shell.ok("runs", "list")
    return {"OPEN": waiting.id, "SHIPPED": shipped.id}


def everything(shell: Shell) -> dict[str, bytes]:
    folders = (shell.folder, shell.folder / "home", shell.folder.parent / "home")
    files = {file for folder in folders for file in folder.rglob("*") if file.is_file() and file.name not in SKIPPED}
    return {str(file): file.read_bytes() for file in sorted(files)}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_that_reads_writes_nothing(command: tuple[str, ...], shell: Shell, ids: dict[str, str]) -> None:
    before = everything(shell)
    assert any(name.endswith("metier.db") for name in before)
    shell.run(*(ids.get(word, word) for word in command))
    after = everything(shell)
    assert after.keys() == before.keys()
    assert [name for name in before if before[name] != after[name]] == []


def test_what_was_done_by_hand_is_shown_before_it_is_saved(shell: Shell, ids: dict[str, str]) -> None:
    rows = {row["name"]: row for row in shell.json("skills", "list")}
    shown = {name: (row["version"], row["status"]) for name, row in rows.items()}
    assert shown == {"edited": (2, "active"), "new": (0, "active"), "removed": (1, "deleted")}
    listed = shell.ok("skills", "list")
    assert listed.count("edited by hand") == 2
    assert re.search(r"^new +new +active, not saved yet", listed, re.MULTILINE)
    assert re.search(r"^version +new, not saved yet", shell.ok("skills", "show", "new"), re.MULTILINE)
    assert re.search(r"^version +3, edited by hand, not saved yet", shell.ok("skills", "show", "edited"), re.MULTILINE)
    last = shell.json("skills", "history", "edited")[-1]
    assert (last["version"], last["action"], last["summary"]) == (3, "hand-edit", "changed by hand; not saved yet")
    assert shell.json("skills", "history", "removed")[-1]["action"] == "hand-delete"


def test_a_list_by_the_rules_of_claude_code_says_that_it_sees_none_of_the_skills(shell: Shell) -> None:
    assert "No skills yet" in shell.ok("skills", "list", "--order", "claude-code")
    put(shell, "one")
    put(shell, "two")
    shell.trust()
    said = shell.ok("skills", "list", "--order", "claude-code")
    assert "Claude Code sees none of the 2 skills: it looks into .claude/skills. Put links there: metier init" in said
    (shell.folder.parent / "home" / ".claude").mkdir(parents=True, exist_ok=True)
    shell.ok("init", "--yes")
    assert re.findall(r"^(?:one|two) +- +active", shell.ok("skills", "list", "--order", "claude-code"), re.MULTILINE)


def test_a_draft_whose_process_was_killed_is_shown_as_accepted(shell: Shell, ids: dict[str, str]) -> None:
    assert [row["id"] for row in shell.json("drafts", "list")] == [ids["OPEN"]]
    assert shell.json("drafts", "show", ids["SHIPPED"])[0]["status"] == "accepted"
    assert shell.run("drafts", "apply", ids["SHIPPED"]).code != 0
    with Workspace.open(shell.folder) as ws:
        assert get_draft(ws.library, ids["SHIPPED"][:6]).status == "accepted"
        with ws.context.store.read() as transaction:
            assert drafts.get(transaction, ids["SHIPPED"]).status == "accepted", "a command that works finishes it"
        assert len(list_drafts(ws.library, every=True)) == 2


def test_runs_that_were_imported_later_but_began_earlier_are_listed_by_their_time(shell: Shell) -> None:
    shell.deliver(
        [
            Run(message=f"work of day {day}", external_id=f"d{day}", source="api", started=f"2026-03-0{day}T09:00:00Z")
            for day in (3, 1, 2)
        ]
    )
    listed = shell.ok("runs", "list")
    assert [listed.index(f"work of day {day}") for day in (3, 2, 1)] == sorted(
        listed.index(f"work of day {day}") for day in (1, 2, 3)
    )


def test_a_draft_that_its_gate_rejected_is_marked_and_approved_only_with_the_flag(shell: Shell) -> None:
    document = "---\nname: deploy\ndescription: Deploys the shop. Use when the shop is deployed.\n---\n\nDo it.\n"
    with Workspace.open(shell.folder) as ws:
        draft = hand_in_document(ws.library, "deploy", document, "how to deploy")
        with ws.context.store.write() as transaction:
            drafts.put(transaction, note_objection(draft, "replay on demo: -100.0 points on 7 fresh cases"))
    assert "rejected by its gate: -100.0 points" in shell.ok("drafts", "list")
    assert "--despite-gate" in shell.ok("drafts", "show", draft.id)
    for words in (("approve", draft.id), ("apply", draft.id)):
        refused = shell.run("drafts", *words)
        assert refused.code == 1
        assert "-100.0 points on 7 fresh cases" in refused.err
    shell.ok("drafts", "approve", draft.id, "--despite-gate")
    assert "Shipped deploy v1" in shell.ok("drafts", "apply", draft.id)
