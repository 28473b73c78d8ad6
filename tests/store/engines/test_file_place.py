"""Where a database may lie: a plain file on a local disk; anything else is refused in a line, and nothing hangs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from metier.context.own_database import DATABASE
from metier.errors import StoreError
from metier.store.engines.sqlite import SqliteEngine
from metier.store.tables import meta

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from metier.workspace import Workspace


def bound(file: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        os.chdir(file.parent)  # a socket's whole path may be too long
        made.bind(file.name)


STRANGE: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "socket": bound,
    "folder": lambda file: file.mkdir(),
    "device": lambda file: file.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("beside", ["", "-wal"])
@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE.keys())
def test_what_is_no_plain_file_is_neither_read_nor_written(
    make: Callable[[Path], object], beside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / f"x.db{beside}")
    engine = SqliteEngine(tmp_path / "x.db", lock=tmp_path / "lock")
    for opened in (engine.read, engine.write):
        with pytest.raises(StoreError, match="is not a plain file"), opened() as transaction:
            meta.get(transaction, "a")


@pytest.mark.parametrize("words", [["runs", "list"], ["doctor"], ["learn"]], ids=lambda words: words[0])
def test_a_command_that_meets_a_fifo_says_so_in_one_line(words: list[str], ws: Workspace) -> None:
    ws.close()
    for file in ws.state.glob(f"{DATABASE}*"):
        file.unlink()
    os.mkfifo(ws.state / DATABASE)
    command = [sys.executable, "-m", "metier", "-w", str(ws.root), *words]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert said.returncode == 1
    assert f"{DATABASE} is not a plain file" in said.stdout + said.stderr
    assert "Traceback" not in said.stderr


MOUNT = "36 35 {major}:{minor} / {folder} rw,noatime shared:1 - {kind} server:/home rw\n"


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs"])
def test_a_disk_of_another_machine_is_refused(kind: str, tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "x.db", lock=tmp_path / "lock", mounts=mounted(tmp_path, kind))
    for opened in (engine.read, engine.write):
        with pytest.raises(StoreError, match=f"network file system \\({kind}\\)"), opened():
            pass
    assert not (tmp_path / "x.db").exists()


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "overlay", "tmpfs", "virtiofs", ""])
def test_a_disk_of_this_machine_is_used(kind: str, tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "x.db", lock=tmp_path / "lock", mounts=mounted(tmp_path, kind))
    with engine.write():
        pass
    engine.close()


def mounted(folder: Path, kind: str) -> Path:
    """The system's list of mounts, in which the folder's disk is of a kind; without one the list is not there."""
    device = folder.stat().st_dev
    file = folder / "mountinfo"
    if kind:
        other = MOUNT.format(major=9999, minor=1, folder="/mnt", kind="nfs4")
        own = MOUNT.format(major=os.major(device), minor=os.minor(device), folder=folder, kind=kind)
        file.write_text(other + own)
    return file
