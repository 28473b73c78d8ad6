"""Skills where Claude Code looks: the active ones, as many as its list holds; what is not ours is not touched."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from selection_shop import put as put_trusted

from metier.agents.changes import apply_change
from metier.library.claude_links import LISTING, listing_size, planned_links, unlink_all
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from metier.library.skills import Library


def put(ws: Workspace, name: str, description: str, body: str) -> Path:
    """A skill with a yes to it and without the link that came with the yes."""
    folder = put_trusted(ws, name, description, body)
    unlink_all(ws.root)
    return folder


def link_active_skills(library: Library) -> list[Path]:
    """The links that are planned, made as connecting makes them."""
    planned = planned_links(library)
    for one in planned:
        apply_change(one)
    return [one.path for one in planned]


def links(ws: Workspace) -> dict[str, str]:
    folder = ws.root / ".claude/skills"
    return {one.name: os.readlink(one) for one in sorted(folder.iterdir())} if folder.is_dir() else {}


@pytest.fixture
def connected(ws: Workspace) -> Workspace:
    """A workspace of a person whose Claude Code is connected."""
    plugin = ws.context.home / ".claude/skills/metier"
    plugin.parent.mkdir(parents=True)
    plugin.symlink_to("/somewhere")
    return ws


def test_active_skills_are_linked_once_claude_code_is_connected(connected: Workspace) -> None:
    put(connected, "deploy", "Deploys the shop.", "Say it.")
    put(connected, "review", "Reviews a change.", "Read it.")
    assert len(link_active_skills(connected.library)) == 2
    assert links(connected) == {name: f"../../.agents/skills/{name}" for name in ("deploy", "review")}
    assert link_active_skills(connected.library) == []


def test_without_claude_code_or_where_they_are_not_wanted_there_are_no_links(ws: Workspace) -> None:
    put(ws, "deploy", "Deploys the shop.", "Say it.")
    assert link_active_skills(ws.library) == []
    (ws.root / ".claude").mkdir()
    with Workspace.open(ws.root, flags={"claude_links": "never"}) as other:
        assert link_active_skills(other.library) == []
    assert len(link_active_skills(ws.library)) == 1


def test_links_end_where_the_list_of_claude_code_is_full(connected: Workspace) -> None:
    for number in range(40):
        put(connected, f"skill-{number:02d}", f"Number {number}. " + "x" * 400, "Do it.")
    made = link_active_skills(connected.library)
    assert 10 < len(made) < 20
    assert listing_size(connected.root / ".claude/skills") <= LISTING
    assert made[0].name == "skill-00"


def test_pinned_skills_come_first(connected: Workspace) -> None:
    for name in ("first", "second", "third"):
        put(connected, name, "x" * 1400, "Do it.")
    for number in range(5):
        put(connected, f"a{number}", "x" * 1400, "Do it.")
    connected.pin("third")
    unlink_all(connected.root)
    assert link_active_skills(connected.library)[0].name == "third"


def test_what_is_there_already_is_left_alone(connected: Workspace) -> None:
    put(connected, "deploy", "Deploys the shop.", "Say it.")
    own = connected.root / ".claude/skills/deploy"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("mine")
    (own.parent / "other").symlink_to("/elsewhere")
    link_active_skills(connected.library)
    assert (own / "SKILL.md").read_text() == "mine"
    assert unlink_all(connected.root) == []
    assert os.readlink(own.parent / "other") == "/elsewhere"


def test_a_skill_that_goes_out_of_sight_loses_its_link_and_gets_it_back(connected: Workspace) -> None:
    put(connected, "deploy", "Deploys the shop.", "Say it.")
    link_active_skills(connected.library)
    connected.archive("deploy")
    assert links(connected) == {}
    connected.restore("deploy")
    assert links(connected) == {"deploy": "../../.agents/skills/deploy"}


def test_a_persons_own_skills_are_linked_in_their_home(connected: Workspace) -> None:
    folder = connected.context.home / ".agents/skills/mine"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: mine\ndescription: Mine.\n---\nDo it.\n")
    [link] = link_active_skills(connected.library)
    assert link == connected.context.home / ".claude/skills/mine"
    assert os.readlink(link) == "../../.agents/skills/mine"


def test_taking_the_links_away_leaves_no_empty_folders(connected: Workspace) -> None:
    put(connected, "deploy", "Deploys the shop.", "Say it.")
    link_active_skills(connected.library)
    assert [link.name for link in unlink_all(connected.root)] == ["deploy"]
    assert not (connected.root / ".claude").exists()


def test_a_link_never_leads_out_of_the_project(connected: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text("---\nname: out\ndescription: Out.\n---\nx\n")
    shared = connected.root / ".agents/skills"
    shared.mkdir(parents=True)
    (shared / "out").symlink_to(outside)
    for link in link_active_skills(connected.library):
        assert os.readlink(link) == "../../.agents/skills/out"
