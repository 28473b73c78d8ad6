"""A link below a project, as a strange branch may bring one: nothing is written through it or taken from there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from shelves import package, snapshot

from metier.errors import NotFoundError, RefusedError
from metier.library.claude_links import link_skill, unlink_skill
from metier.library.proposals.drafts import approve_draft, draft_of_package, save_draft
from metier.library.proposals.garbage import collect_garbage
from metier.library.proposals.ship import apply_drafts
from metier.library.versions.version_store import BESIDE
from metier.skills.package import Package
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.types import Draft

LINKS = (".agents", ".agents/skills")


def opened(ws: Workspace) -> Workspace:
    """The same workspace as the next command opens it."""
    return Workspace.open(ws.root)


def outside(ws: Workspace) -> Path:
    """The person's settings, in which git would find what to run."""
    folder = ws.context.home / ".config"
    (folder / "skills").mkdir(parents=True)
    return folder


def lead_away(ws: Workspace, link: str, target: Path) -> None:
    """What a branch may bring: a link in the place of a folder."""
    place = ws.root / link
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        place.rename(ws.root / "was")
    place.symlink_to(target)


def approved(ws: Workspace, name: str, text: str = "first") -> Draft:
    """A draft of a harmless skill that a person said yes to."""
    files = package(name, text).files | {"config": b"[core]\n\tpager = true\n"}
    draft = draft_of_package(ws.library, ws.library.find(name, make=True), Package(files=files), summary="x")
    return approve_draft(ws.library, save_draft(ws.context, draft).id)


@pytest.mark.parametrize("link", LINKS)
def test_a_yes_to_a_skill_writes_nothing_where_a_link_leads(link: str, ws: Workspace) -> None:
    draft, home = approved(ws, "git"), outside(ws)
    lead_away(ws, link, home)
    before = snapshot(home)
    with opened(ws) as now, pytest.raises(RefusedError, match=rf"{link} is a link to .*\. Remove it"):
        apply_drafts(now.library, [draft.id])
    assert snapshot(home) == before


@pytest.mark.parametrize("link", LINKS)
def test_no_folder_is_made_where_a_link_leads(link: str, ws: Workspace, tmp_path: Path) -> None:
    draft, empty = approved(ws, "git"), tmp_path / "empty"
    empty.mkdir()
    lead_away(ws, link, empty)
    with opened(ws) as now, pytest.raises(RefusedError, match="is a link to"):
        apply_drafts(now.library, [draft.id])
    assert list(empty.iterdir()) == []


CHANGES: dict[str, Callable[[Workspace], object]] = {
    "roll back": lambda ws: ws.rollback("deploy"),
    "archive": lambda ws: ws.archive("deploy"),
    "pin": lambda ws: ws.pin("deploy"),
    "approve": lambda ws: approved(ws, "deploy", "third"),
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_no_change_goes_through_a_link(change: Callable[[Workspace], object], link: str, ws: Workspace) -> None:
    for text in ("first", "second"):
        apply_drafts(ws.library, [approved(ws, "deploy", text).id])
    history = ws.history("deploy")
    lead_away(ws, link, ws.root / "was")
    before = snapshot(ws.root / "was")
    with opened(ws) as now:
        with pytest.raises(RefusedError, match=rf"{link} is a link to .*\. Remove it"):
            change(now)
        now.record_hand_edits()
        assert now.history("deploy") == history, "it was not removed by hand"
    assert snapshot(ws.root / "was") == before


def test_the_skills_where_a_link_leads_out_of_the_project_are_not_the_projects(ws: Workspace, tmp_path: Path) -> None:
    (tmp_path / "theirs/deploy").mkdir(parents=True)
    (tmp_path / "theirs/deploy/SKILL.md").write_bytes(package("deploy").files["SKILL.md"])
    lead_away(ws, ".agents/skills", tmp_path / "theirs")
    with opened(ws) as now:
        assert now.skills() == []
        assert now.library.skill_folders() == []
        with pytest.raises(NotFoundError):
            now.library.find("deploy")


def test_the_skills_where_a_link_stays_in_the_project_are_read(ws: Workspace) -> None:
    (ws.root / "prompts/deploy").mkdir(parents=True)
    (ws.root / "prompts/deploy/SKILL.md").write_bytes(package("deploy").files["SKILL.md"])
    lead_away(ws, ".agents/skills", Path("../prompts"))
    with opened(ws) as now:
        assert [(one.name, one.unsaved) for one in now.record_hand_edits()] == [("deploy", False)]
        with pytest.raises(RefusedError, match="is a link"):
            now.archive("deploy")


@pytest.mark.parametrize(
    ("link", "target"), [(".agents/skills", "../.claude/skills"), (".claude/skills", "../.agents/skills")]
)
def test_of_two_roots_one_may_be_a_link_to_the_other(link: str, target: str, ws: Workspace) -> None:
    place = (ws.root / link).parent / target
    place.mkdir(parents=True)
    lead_away(ws, link, Path(target))
    with opened(ws) as now:
        apply_drafts(now.library, [approved(now, "deploy").id])
        assert [one.folder for one in now.skills()] == [place.resolve() / "deploy"]


@pytest.mark.parametrize("link", LINKS)
def test_a_persons_own_root_may_be_a_link(link: str, ws: Workspace, tmp_path: Path) -> None:
    theirs = tmp_path / "dotfiles"
    (theirs / "skills/mine").mkdir(parents=True)
    (theirs / "skills/mine/SKILL.md").write_bytes(package("mine").files["SKILL.md"])
    place = ws.context.home / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(theirs if link == ".agents" else theirs / "skills")
    with opened(ws) as now:
        now.record_hand_edits()
        now.archive("mine")
    assert not (theirs / "skills/mine").exists()


def test_nothing_is_swept_away_where_a_link_leads(ws: Workspace, tmp_path: Path) -> None:
    kept = tmp_path / "theirs/skills" / BESIDE / "new-0123456789abcdef"
    kept.mkdir(parents=True)
    lead_away(ws, ".agents", tmp_path / "theirs")
    with opened(ws) as now:
        with now.library.version_store.writing():
            pass
        collect_garbage(now.library)
    assert kept.is_dir()


@pytest.mark.parametrize("link", [".claude", ".claude/skills"])
def test_no_link_for_claude_code_is_made_or_removed_through_a_link(link: str, ws: Workspace, tmp_path: Path) -> None:
    apply_drafts(ws.library, [approved(ws, "deploy").id])
    theirs = tmp_path / "theirs"
    (theirs / "skills").mkdir(parents=True)
    own = theirs / "skills" if link == ".claude" else theirs
    (own / "other").symlink_to("../../.agents/skills/other")
    lead_away(ws, link, theirs)
    before = snapshot(theirs)
    link_skill(ws.context, ws.root, "deploy")
    unlink_skill(ws.root, ws.root / ".claude/skills", "other", ws.root)
    assert snapshot(theirs) == before
