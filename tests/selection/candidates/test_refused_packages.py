"""A no holds for its bytes: they are handed out again in no root, under no name and by no way, until a later yes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from selection_shop import FLAKY, SKILLS, put

from metier.errors import MetierError
from metier.library.claude_links import planned_links
from metier.library.disk.packages import read_package
from metier.library.proposals.drafts import approve_draft, draft_of_package, reject_draft, reopen_draft, save_draft
from metier.selection.hand_out import hand_out
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = "flaky-tests"


def make(ws: Workspace) -> Path:
    """The skill in the user's own root, used once; its folder."""
    folder = put(ws, NAME, *SKILLS[NAME])
    own = ws.context.home / ".agents/skills" / NAME
    own.parent.mkdir(parents=True)
    folder.rename(own)
    assert ws.select(FLAKY).names == (NAME,)
    return own


def reject(ws: Workspace, folder: Path) -> None:
    package = read_package(folder)
    found = ws.library.find("another", make=True)
    draft = save_draft(ws.context, draft_of_package(ws.library, found, package, summary="x"))
    reject_draft(ws.library, draft.id, "not this one")


def archive(ws: Workspace, folder: Path) -> None:
    ws.archive(folder.name)


def roll_back(ws: Workspace, folder: Path) -> None:
    """The bytes were the second version of another skill, and were taken back."""
    wanted = folder / "SKILL.md"
    other = folder.parent / "other"
    other.mkdir()
    (other / "SKILL.md").write_text("---\nname: other\ndescription: Cooks soup.\n---\n\nBoil it.\n", encoding="utf-8")
    ws.record_hand_edits()
    shutil.copy(wanted, other / "SKILL.md")
    ws.record_hand_edits()
    ws.rollback("other")
    shutil.rmtree(other)


NOES: dict[str, Callable[[Workspace, Path], None]] = {"rejected": reject, "archived": archive, "rolled back": roll_back}
PLACES = (".agents/skills/flaky-tests", ".agents/skills/flaky-again", ".claude/skills/flaky-tests")


def hooked(ws: Workspace) -> str:
    for _ in ws.index_skills():
        pass
    return hook_alone(ws)


def hook_alone(ws: Workspace) -> str:
    payload = {"prompt": FLAKY, "cwd": str(ws.root), "session_id": os.urandom(4).hex()}
    command = [sys.executable, "-m", "metier.hooks.select"]
    done = subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def handed_by_mcp(ws: Workspace, name: str) -> str:
    try:
        return hand_out(ws.pool, name).text
    except MetierError:
        return ""


def ways(ws: Workspace, name: str) -> list[object]:
    """What each way of handing out gives: selecting, the hook, the MCP server, links for Claude Code."""
    links = [link.name for link, _ in planned_links(ws.library, is_connecting=True)]
    return [
        *ws.select(FLAKY).names,
        *([hooked(ws)] if hooked(ws) else []),
        *filter(None, [handed_by_mcp(ws, name)]),
        *links,
    ]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("say_no", NOES.values(), ids=NOES.keys())
def test_bytes_with_a_no_are_handed_out_in_no_root_and_by_no_way(
    ws: Workspace, tmp_path: Path, say_no: Callable[[Workspace, Path], None], place: str
) -> None:
    folder = make(ws)
    shutil.copytree(folder, tmp_path / "kept")
    say_no(ws, folder)
    shutil.rmtree(folder, ignore_errors=True)
    ws.record_hand_edits()
    again = ws.context.home / place
    shutil.copytree(tmp_path / "kept", again)
    assert ways(ws, again.name) == []
    with Workspace.open(ws.root) as later:
        assert ways(later, again.name) == []
        [listed] = [one for one in later.skills() if one.folder == again]
        assert listed.held


def test_the_hook_follows_a_no_at_once(ws: Workspace) -> None:
    folder = make(ws)
    assert hooked(ws)
    reject(ws, folder)
    assert hook_alone(ws) == ""
    assert ws.select(FLAKY).names == ()


def test_a_skill_that_was_archived_and_restored_is_handed_out(ws: Workspace) -> None:
    make(ws)
    ws.archive(NAME)
    ws.restore(NAME)
    assert ws.select(FLAKY).names == (NAME,)
    assert hooked(ws)


def test_a_version_that_was_taken_back_and_brought_again_is_handed_out(ws: Workspace) -> None:
    folder = make(ws)
    (folder / "SKILL.md").write_text("---\nname: other\ndescription: Cooks soup.\n---\n\nBoil it.\n", encoding="utf-8")
    ws.record_hand_edits()
    ws.rollback(NAME, 1)
    ws.rollback(NAME, 2)
    assert "Boil it." in handed_by_mcp(ws, NAME)
    ws.rollback(NAME, 1)
    assert "Run it fifty times." in handed_by_mcp(ws, NAME)


def test_a_rejected_draft_that_is_approved_later_is_handed_out(ws: Workspace) -> None:
    folder = make(ws)
    reject(ws, folder)
    (draft,) = (one for one in ws.drafts(every=True) if one.status == "rejected")
    reopen_draft(ws.library, draft.id)
    assert ws.select(FLAKY).names == ()
    approve_draft(ws.library, draft.id)
    assert ws.select(FLAKY).names == (NAME,)
