"""Folders that last as long as a piece of work, even if its process does not."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable


def remove_leftovers(folders: Iterable[Path]) -> None:
    """Remove those of the work folders whose processes are gone."""
    for left in folders:
        with suppress(OSError), _held(left):
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def temporary_folder(state: Path, prefix: str) -> Generator[Path]:
    """A folder for the time of the work, held by a lock; what a killed process leaves is swept by the next."""
    with tempfile.TemporaryDirectory(dir=state, prefix=prefix) as folder, _held(Path(folder)):
        yield Path(folder)


@contextmanager
def _held(folder: Path) -> Generator[None]:
    """The folder's lock, which dies with its holder; BlockingIOError while somebody else has it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
