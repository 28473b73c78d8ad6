"""One writer at a time per state folder: a kernel lock that dies with its holder."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from metier.errors import BusyError, ReadOnlyError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

PAUSES = (0.0005, 0.001, 0.002, 0.004, 0.008)
"""Seconds between tries, growing to the last."""


@contextmanager
def hold_write_lock(file: Path, wait: float) -> Generator[None]:
    """Hold the lock file exclusively, waiting at most that many seconds for another holder."""
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        text = f"{file.parent} cannot be written: {error.strerror} (the lock file {file.name})."
        raise ReadOnlyError.unless_other(error, text) from None
    try:
        _acquire(handle, file, wait)
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)  # closing alone would leave it to a child forked meanwhile
        os.close(handle)


def _acquire(handle: int, file: Path, wait: float) -> None:
    deadline = time.monotonic() + wait
    tries = 0
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise BusyError(
                    f"Another process has been writing to {file.parent} for more than {wait:g} s. "
                    "Wait for it, or raise the setting lock_wait."
                ) from None
            time.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1
        else:
            return
