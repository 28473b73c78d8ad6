"""`metier status`: what is broken and what waits, each with the command that answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell

from metier.hooks.spool import log_error
from metier.mcp.calls import propose
from metier.mcp.opened import OpenedWorkspace

if TYPE_CHECKING:
    from metier.workspace import Workspace

DOCUMENT = "---\nname: {}\ndescription: Deploys the shop. Use when a release is ready.\n---\n\n1. Test.\n"


@pytest.fixture
def shell(ws: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(ws.root, monkeypatch, capsys)


def test_a_workspace_in_which_all_is_well_says_so(shell: Shell) -> None:
    assert shell.ok("status") == "Nothing is broken, and nothing waits for you.\n"
    assert shell.json("status") == []


def test_it_names_what_is_broken_then_what_waits_each_with_its_command(ws: Workspace, shell: Shell) -> None:
    for name, text in (("deploy", DOCUMENT.format("deploy")), ("broken", "---\nname: [\n---\n")):
        folder = ws.root / ".agents/skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text, encoding="utf-8")
    log_error(str(ws.state), "the disk is full")
    given = {"name": "another", "document": DOCUMENT.format("another"), "summary": "It deploys."}
    propose(OpenedWorkspace(folder=str(ws.root)), given)
    found = shell.json("status")
    assert [(one["group"], one["what"], one["command"].split()[:3]) for one in found[1:]] == [
        ("broken", "skill", ["metier", "skills", "validate"]),
        ("waits", "skill", ["metier", "skills", "trust"]),
        ("waits", "draft", ["metier", "drafts", "review"]),
    ]
    assert (found[0]["what"], "the disk is full" in found[0]["text"]) == ("hooks", True)
    page = shell.ok("status")
    assert page.index("Broken") < page.index("Waits for you")
    assert all(one["command"] in page and one["text"] in page for one in found)
