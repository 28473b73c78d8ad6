"""Where a database file may lie: a plain file, on a disk of this machine."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from metier.errors import StoreError

MOUNTS = Path("/proc/self/mountinfo")
"""Linux's list of what is mounted where; other systems have none, and there nothing is refused."""
REMOTE = frozenset(("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "coda", "ceph", "lustre", "gpfs", "beegfs"))
FUSE = frozenset(("fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "fuse.cephfs"))
"""Kinds of file systems that several machines may write to: their locks and shared memory do not hold."""


def check_place(file: Path, mounts: Path = MOUNTS) -> None:
    """Refuse a database that would hang or lose what it acknowledged; nothing is opened for that."""
    for part in (file, file.with_name(f"{file.name}-wal")):
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(part.stat().st_mode):
                raise StoreError(f"{part} is not a plain file. Move it away, then run the command again.")
    kind = _kind_of(file.parent, mounts)
    if kind in REMOTE or kind in FUSE:
        raise StoreError(
            f"{file.parent} is on a network file system ({kind}), where a database can lose what it acknowledged. "
            "Keep Metier's state on a disk of this machine, or use PostgreSQL (the setting store)."
        )


def _kind_of(folder: Path, mounts: Path) -> str:
    """The kind of file system that a folder lies on; empty: the system does not say."""
    try:
        device = folder.stat().st_dev
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    wanted = f"{os.major(device)}:{os.minor(device)}"
    found = (line.split(" - ", 1)[1].split()[0] for line in lines if line.split()[2] == wanted and " - " in line)
    return next(found, "")
