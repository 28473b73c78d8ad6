"""A process killed while it changes skills in one worktree: another one is left alone, and the first is set right."""

from __future__ import annotations

import subprocess
from functools import partial
from typing import TYPE_CHECKING

import pytest
from crash import killed

from metier.library.disk.packages import read_package
from metier.library.proposals.drafts import (
    approve_draft,
    draft_of_package,
    finish_interrupted_drafts,
    list_drafts,
    save_draft,
)
from metier.library.proposals.ship import apply_drafts
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("one", "two")
DOCUMENT = "---\nname: {0}\ndescription: Does {0}. Use when it is asked for.\n---\n\n# {0}\n\n1. Look.\n"
SIGNED = ("-c", "user.name=a", "-c", "user.email=a@b.invalid")


@pytest.fixture
def trees(tmp_path: Path) -> dict[str, Path]:
    """A checkout with two skills, and a further worktree of it."""
    main, further = tmp_path / "main", tmp_path / "further"
    for name in NAMES:
        (main / ".agents/skills" / name).mkdir(parents=True)
        (main / ".agents/skills" / name / "SKILL.md").write_text(DOCUMENT.format(name))
    commands = (("init", "-q"), ("add", "."), (*SIGNED, "commit", "-qm", "skills"))
    for words in (*commands, ("worktree", "add", "-q", str(further))):
        subprocess.run(["git", *words], cwd=main, check=True, capture_output=True, timeout=60)
    for folder in (main, further):
        with Workspace.open(folder) as ws:
            ws.record_hand_edits()
    return {"main": main, "further": further}


def proposed(folder: Path, text: str) -> None:
    """Two approved drafts that put a text beside each skill."""
    with Workspace.open(folder) as ws:
        for name in NAMES:
            package = read_package(folder / ".agents/skills" / name).with_files({"notes.md": text.encode()})
            draft = draft_of_package(ws.library, ws.library.find(name), package, summary="notes")
            approve_draft(ws.library, save_draft(ws.context, draft).id)


def shipped(folder: Path) -> None:
    """Ship what waits as one change, unless that is done."""
    with Workspace.open(folder) as ws:
        if waiting := [draft.id for draft in list_drafts(ws.library)]:
            apply_drafts(ws.library, waiting)


def looked_at(folder: Path) -> None:
    """What commands do that are about something else."""
    with Workspace.open(folder) as ws:
        ws.record_hand_edits()
        finish_interrupted_drafts(ws.library)


def notes(folder: Path) -> set[str]:
    files = [folder / ".agents/skills" / name / "notes.md" for name in NAMES]
    return {file.read_text() if file.exists() else "" for file in files}


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything in a worktree: which file it is, when it changed, what it holds."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and ".git" not in file.parts]
    return {str(file): (file.stat().st_ino, file.stat().st_mtime_ns, file.read_bytes()) for file in files}


@pytest.mark.parametrize("every", [13, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("changed", ["main", "further"])
def test_a_kill_in_one_worktree_changes_nothing_in_another_and_the_first_is_recovered(
    changed: str, every: int, trees: dict[str, Path]
) -> None:
    folder, other = trees.pop(changed), *trees.values()
    untouched, at, going = snapshot(other), 0, True
    while going:
        at += every
        before, after = notes(folder), {f"round {at}\n"}
        proposed(folder, f"round {at}\n")
        going = killed(partial(shipped, folder), at)
        looked_at(other)
        assert snapshot(other) == untouched, f"killed at call {at}"
        looked_at(folder)
        assert notes(folder) in (before, after), f"killed at call {at}"
        shipped(folder)
        assert notes(folder) == after
    assert at > 30
    assert snapshot(other) == untouched
    with Workspace.open(folder) as ws:
        assert {one.status for one in list_drafts(ws.library, every=True)} == {"accepted"}
        assert len(ws.history("one")) == at // every + 1
    with Workspace.open(other) as ws:
        assert len(ws.history("one")) == 1
