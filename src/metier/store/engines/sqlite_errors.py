"""What SQLite says, as something a person can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import BusyError, DamagedError, StoreError

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path


def translate(error: sqlite3.DatabaseError, file: Path) -> StoreError:
    """What SQLite said, as something a person can act on."""
    said = str(error)
    name = getattr(error, "sqlite_errorname", "")
    if "locked" in said or "busy" in said:
        return BusyError(f"{file} is held by another process ({said}). Try again when it is done.")
    if "disk is full" in said or name == "SQLITE_FULL":
        return StoreError(f"The disk is full: this was not written to {file}. Free some space, then try again.")
    if "not a database" in said or "malformed" in said:
        return DamagedError(f"{file} is damaged ({said}). Bring back a backup: metier restore FILE.")
    if "readonly" in said or "unable to open" in said:
        return StoreError(f"{file} cannot be opened or written ({said}). Check its permissions and its folder's.")
    if name.startswith("SQLITE_IOERR"):
        return StoreError(f"The disk refused a write or a read for {file} ({said}). Nothing was acknowledged.")
    return StoreError(f"The database {file} refused: {said}.")
