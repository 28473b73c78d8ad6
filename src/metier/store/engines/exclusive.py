"""Locks that one holder has for as long as it works, and that die with it: on a file; see also `alone_server`."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from metier.errors import BusyError, ReadOnlyError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

PAUSES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.25)
"""Seconds between tries, growing to the last."""
HELD: set[int] = set()
"""Open files and sockets that hold a lock; a forked child lets go of its copies, or it would keep the lock alive."""


@contextmanager
def lock_by_file(file: Path, wait: float) -> Generator[None]:
    """Hold a lock file; BusyError names the process that has it, after so many seconds."""
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        text = f"{file.parent} cannot be written: {error.strerror} (the lock file {file.name})."
        raise ReadOnlyError.unless_other(error, text) from None
    try:
        if not try_lock(lambda: try_flock(handle), wait):
            raise BusyError(f"process {_holder(handle)}")
        with let_go_by_children(handle):
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
            yield
    finally:
        os.close(handle)


def try_flock(handle: int) -> bool:
    """Whether an open file or folder could be locked at once."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def try_lock(attempt: Callable[[], bool], wait: float) -> bool:
    """Whether an attempt succeeded within so many seconds; it is made at least once."""
    deadline, tries = time.monotonic() + wait, 0
    while not attempt():
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(left, PAUSES[min(tries, len(PAUSES) - 1)]))
        tries += 1
    return True


def _holder(handle: int) -> str:
    said = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
    return said if said.isdigit() else "(unknown)"


@contextmanager
def let_go_by_children(handle: int) -> Generator[None]:
    """While this lasts, a child that is forked off has nothing of the lock."""
    _watch_forks()
    HELD.add(handle)
    try:
        yield
    finally:
        HELD.discard(handle)


@cache
def _watch_forks() -> None:
    os.register_at_fork(after_in_child=_let_go)


def _let_go() -> None:
    """In a new child: put nothing in the place of each handle, so that closing it later closes nobody else's."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for handle in HELD:
        os.dup2(nothing, handle, inheritable=False)
    os.close(nothing)
    HELD.clear()
