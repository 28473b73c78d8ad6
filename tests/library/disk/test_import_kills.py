"""Import and the shipping of drafts, killed before every call by which files change: the same again converges."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from crash import killed
from states import state_of

from metier.library.disk.packages import read_package
from metier.library.proposals.drafts import (
    approve_draft,
    draft_of_package,
    finish_interrupted_drafts,
    list_drafts,
    save_draft,
)
from metier.library.proposals.parcels import export_skill, import_skill
from metier.library.proposals.ship import apply_drafts
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = (
    "---\nname: {name}\ndescription: Deploys the shop. Use when a release is ready.\n---\n\n# Deploy\n\n1. Test.\n"
)


def put(folder: Path, name: str) -> Path:
    place = folder / ".agents/skills" / name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(DOCUMENT.format(name=name), encoding="utf-8")
    return place


def imported(folder: Path, parcel: Path) -> None:
    """Bring a parcel in, unless that is done; approve and ship it, unless that is done."""
    with Workspace.open(folder) as ws:
        if not (folder / ".agents/skills/deploy").exists():
            draft = next(iter(list_drafts(ws.library)), None) or import_skill(ws.library, parcel)
            approve_draft(ws.library, draft.id)
            apply_drafts(ws.library, [draft.id])
        finish_interrupted_drafts(ws.library)


def shipped(folder: Path) -> None:
    """Ship both drafts as one change, unless that is done."""
    with Workspace.open(folder) as ws:
        waiting = [draft.id for draft in list_drafts(ws.library)]
        if waiting:
            apply_drafts(ws.library, waiting)


@pytest.mark.parametrize("every", [23, pytest.param(1, marks=pytest.mark.slow)])
def test_an_import_killed_anywhere_converges_to_one_skill_with_its_history(every: int, tmp_path: Path) -> None:
    source = tmp_path / "source"
    folder = put(source, "deploy")
    with Workspace.open(source) as ws:
        ws.record_hand_edits()
        (folder / "more.md").write_text("more\n")
        ws.record_hand_edits()
        parcel = tmp_path / "deploy.zip"
        parcel.write_bytes(export_skill(ws.library, "deploy"))
    at, done = 0, False
    while not done:
        at += every
        place = tmp_path / f"p{at}"
        place.mkdir()
        Workspace.open(place).close()
        done = not killed(partial(imported, place, parcel), at)
        imported(place, parcel)
        assert read_package(place / ".agents/skills/deploy") == read_package(folder)
        with Workspace.open(place) as ws:
            assert [one.action for one in ws.history("deploy")] == ["found", "hand-edit", "import"]
            assert [one.status for one in list_drafts(ws.library, every=True)] == ["accepted"]
        assert not list((state_of(place) / "journal").iterdir())
    assert at > 18


@pytest.mark.parametrize("every", [19, pytest.param(1, marks=pytest.mark.slow)])
def test_two_drafts_shipped_as_one_are_both_old_or_both_new_after_a_kill(every: int, tmp_path: Path) -> None:
    at, done = 0, False
    while not done:
        at += every
        place = tmp_path / f"p{at}"
        folders = [put(place, "one"), put(place, "two")]
        with Workspace.open(place) as ws:
            ws.record_hand_edits()
            for folder in folders:
                package = read_package(folder).with_files({"notes.md": b"new\n"})
                approve_draft(
                    ws.library,
                    save_draft(
                        ws.context, draft_of_package(ws.library, ws.library.find(folder.name), package, summary="notes")
                    ).id,
                )
        done = not killed(partial(shipped, place), at)
        with Workspace.open(place) as ws:
            ws.record_hand_edits()
            assert len({(folder / "notes.md").exists() for folder in folders}) == 1, at
        shipped(place)
        with Workspace.open(place) as ws:
            assert all((folder / "notes.md").read_bytes() == b"new\n" for folder in folders)
            assert [len(ws.history(name)) for name in ("one", "two")] == [2, 2]
            assert [one.status for one in list_drafts(ws.library, every=True)] == ["accepted", "accepted"]
    assert at > 14
