from __future__ import annotations

import io
import json
import tarfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hostile import SKILL, attacker, poisoned

import metier
from metier.errors import InputError, RefusedError, SchemaError, StoreError
from metier.maintenance.backup import restore_backup, write_backup
from metier.store.tables.library import drafts
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

RUN = metier.Run(message="fix the login test", external_id="1", status="completed", output="done")


def test_a_backup_brings_everything_back_on_another_machine(ws: Workspace, tmp_path: Path) -> None:
    ws.deliver([replace(RUN, external_id=str(number)) for number in range(5)])
    (ws.state / "metier.toml").write_text("mode = 'draft'\n")
    (ws.state / "objects" / "ab").mkdir(parents=True)
    (ws.state / "objects" / "ab" / "cd").write_bytes(b"\x00object")
    write_backup(ws.context, tmp_path / "b.tar.gz")
    (tmp_path / "other").mkdir()
    with Workspace.open(tmp_path / "other") as other:
        assert restore_backup(other.context, tmp_path / "b.tar.gz") is None
    with Workspace.open(tmp_path / "other") as other:
        assert len(other.runs()) == 5
        assert other.config.mode == "draft"
        assert (other.state / "objects" / "ab" / "cd").read_bytes() == b"\x00object"
        assert other.finish(replace(RUN, external_id="later")).how == "new"


def test_the_redaction_key_never_leaves(ws: Workspace, tmp_path: Path) -> None:
    ws.finish(RUN)
    write_backup(ws.context, tmp_path / "b.tar.gz")
    with tarfile.open(tmp_path / "b.tar.gz") as archive:
        assert archive.getnames() == ["manifest.json", "metier.db"]
    assert (tmp_path / "b.tar.gz").stat().st_mode & 0o077 == 0


def test_restoring_keeps_what_was_there_and_can_be_undone(ws: Workspace, tmp_path: Path) -> None:
    ws.finish(RUN)
    write_backup(ws.context, tmp_path / "b.tar.gz")
    ws.finish(replace(RUN, external_id="2"))
    saved = restore_backup(ws.context, tmp_path / "b.tar.gz")
    assert saved is not None
    assert len(ws.runs()) == 1
    restore_backup(ws.context, saved)
    assert len(ws.runs()) == 2


def test_an_existing_file_is_never_overwritten(ws: Workspace, tmp_path: Path) -> None:
    (tmp_path / "b").write_text("mine")
    with pytest.raises(RefusedError, match=r"already exists"):
        write_backup(ws.context, tmp_path / "b")
    assert (tmp_path / "b").read_text() == "mine"
    with pytest.raises(StoreError, match=r"cannot be written"):
        write_backup(ws.context, tmp_path / "nowhere" / "b")
    assert not list(ws.state.glob("backup-*"))


def test_a_file_that_is_no_backup_changes_nothing(ws: Workspace, tmp_path: Path) -> None:
    ws.finish(RUN)
    write_backup(ws.context, tmp_path / "good.tar.gz")
    good = (tmp_path / "good.tar.gz").read_bytes()
    for content in (b"", b"not an archive", good[: len(good) // 2], good[:-200]):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(InputError, match=r"bad|incomplete|manifest"):
            restore_backup(ws.context, tmp_path / "bad")
    with pytest.raises(InputError, match=r"No such file"):
        restore_backup(ws.context, tmp_path / "missing")
    assert len(ws.runs()) == 1
    assert not list(ws.state.glob("restore-*"))


def archive_of(file: Path, files: dict[str, bytes], manifest: object) -> None:
    with tarfile.open(file, "w:gz") as archive:
        for name, data in {"manifest.json": json.dumps(manifest).encode(), **files}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "redact.key", "spool/x", "objects/../../evil"])
def test_a_backup_cannot_write_anywhere_else(ws: Workspace, tmp_path: Path, name: str) -> None:
    archive_of(tmp_path / "b", {name: b"x"}, {"workspace": "w", "files": {name: "0", "metier.db": "0"}})
    with pytest.raises(InputError, match=r"does not belong"):
        restore_backup(ws.context, tmp_path / "b")


def test_changed_content_is_noticed(ws: Workspace, tmp_path: Path) -> None:
    archive_of(tmp_path / "b", {"metier.db": b"x"}, {"workspace": "w", "files": {"metier.db": "0" * 64}})
    with pytest.raises(InputError, match=r"is damaged"):
        restore_backup(ws.context, tmp_path / "b")


def test_a_backup_of_a_newer_metier_is_refused_before_anything_changes(ws: Workspace, tmp_path: Path) -> None:
    ws.finish(RUN)
    with ws.context.store.write() as transaction:
        transaction.all("INSERT INTO migrations (number, name, applied) VALUES (999, 'future', 'x')")
    write_backup(ws.context, tmp_path / "b.tar.gz")
    with ws.context.store.write() as transaction:
        transaction.all("DELETE FROM migrations WHERE number = 999")
    with pytest.raises(SchemaError):
        restore_backup(ws.context, tmp_path / "b.tar.gz")
    assert len(ws.runs()) == 1


def test_a_yes_of_another_person_does_not_come_back_with_their_backup(ws: Workspace, tmp_path: Path) -> None:
    with attacker(poisoned(tmp_path / "theirs", shipped=False)) as theirs:
        write_backup(theirs.context, tmp_path / "b.tar.gz")
    restore_backup(ws.context, tmp_path / "b.tar.gz")
    with Workspace.open(ws.root) as again, again.context.store.read() as transaction:
        (found,) = drafts.list_everywhere(transaction)
    assert (found.target, found.approved, found.seal) == (SKILL, "", "")
