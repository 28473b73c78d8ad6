"""What a person does to skills between two looks is noticed by the next one."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from shelves import package
from states import state_of

from metier.library.changes import new_version, ship_changes
from metier.library.disk.slot import ABSENT
from metier.library.versions.apply import SkillChange
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def _put(folder: Path, name: str) -> Path:
    place = folder / ".agents/skills" / name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_bytes(package(name).document)
    return place


@pytest.mark.parametrize("forgotten", [False, True], ids=["", "the database was lost meanwhile"])
def test_a_skill_shipped_and_removed_between_two_looks_is_noticed_as_removed(forgotten: bool, tmp_path: Path) -> None:
    place, other = _put(tmp_path, "deploy"), _put(tmp_path, "other")
    with Workspace.open(tmp_path, environ={"HOME": str(tmp_path / "home"), "PATH": ""}) as ws:
        ws.record_hand_edits()
        shutil.rmtree(place)
        ws.record_hand_edits()
    if forgotten:
        for file in state_of(tmp_path, {"HOME": str(tmp_path / "home")}).glob("metier.db*"):
            file.unlink()
        shutil.rmtree(other)
    with Workspace.open(tmp_path, environ={"HOME": str(tmp_path / "home"), "PATH": ""}) as ws:
        found = ws.library.find("deploy")
        last = found.last()
        assert last
        version = new_version(ws.context, found, "apply", status="active", like=last, summary="a test")
        change = SkillChange(root=found.root.real, package=package("deploy", "again"), base=ABSENT, version=version)
        ship_changes(ws.context, [(found, change)])
        shutil.rmtree(place)
        ws.record_hand_edits()
        actions = [one.action for one in found.history().versions]
        assert actions == ["found", "hand-delete", "apply", "hand-delete"]
        others = [one.action for one in ws.library.find("other").history().versions]
        assert others == (["found", "hand-delete"] if forgotten else ["found"])
