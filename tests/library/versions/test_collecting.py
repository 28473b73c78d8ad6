"""What `gc` frees beside the objects: folders that were left in a root on another disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shelves import on_another_disk

from metier.library.proposals.garbage import collect_garbage
from metier.library.versions.version_store import BESIDE, retired_name
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_left_in_a_root_on_another_disk_goes_and_what_may_be_read_stays(tmp_path: Path) -> None:
    with on_another_disk(tmp_path) as there:
        recent = retired_name()
        for name in ("new-0123456789abcdef", "old-00000000000000000001-ab", recent, "somebody-elses"):
            (there / BESIDE / name / "deep").mkdir(parents=True)
            (there / BESIDE / name / "deep" / "file").write_bytes(b"x")
        environ = {"HOME": str(tmp_path / "home"), "PATH": ""}
        with Workspace.open(tmp_path, flags={"skill_roots": [str(there)]}, environ=environ) as ws:
            ws.record_hand_edits()
            with ws.library.version_store.writing():
                pass
            collect_garbage(ws.library)
        assert sorted(file.name for file in (there / BESIDE).iterdir()) == sorted([recent, "somebody-elses"])
