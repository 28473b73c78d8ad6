"""Locks that one holder has for as long as it works, and that die with it: on a file, or at a PostgreSQL server."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from tacit.errors import BusyError, ConfigError, StoreError, UnreachableError

try:
    import psycopg
except ImportError:  # the extra is not installed; by_server says so
    psycopg = None

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from psycopg import Connection

PAUSES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.25)
"""Seconds between tries, growing to the last."""
SESSION = (
    ("idle_session_timeout", "0"),
    ("tcp_keepalives_idle", "30"),
    ("tcp_keepalives_interval", "10"),
    ("tcp_keepalives_count", "3"),
)
"""What the server is told: keep an idle holder, but notice within a minute that its machine is gone."""
HELD: set[int] = set()
"""Open files and sockets that hold a lock; a forked child lets go of its copies, or it would keep the lock alive."""


@contextmanager
def by_file(file: Path, wait: float) -> Generator[None]:
    """Hold a lock file; BusyError names the process that has it, after so many seconds."""
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"{file.parent} cannot be written: {error.strerror} (the lock file {file.name}).") from None
    try:
        if not _tried(lambda: _flock(handle), wait):
            raise BusyError(f"process {_holder(handle)}")
        with _let_go_by_children(handle):
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
            yield
    finally:
        os.close(handle)


@contextmanager
def by_server(url: str, name: str, wait: float) -> Generator[None]:
    """Hold a lock at a PostgreSQL server, on a connection of its own; BusyError when another has it too long."""
    if psycopg is None:
        raise ConfigError("store is a PostgreSQL address, but its driver is missing: pip install 'tacit[postgres]'.")
    try:
        connection = psycopg.connect(url, connect_timeout=10, autocommit=True, application_name=f"tacit {name}"[:60])
    except psycopg.Error as error:
        said = " ".join(str(error).split())
        raise UnreachableError(f"The PostgreSQL server of `store` does not answer: {said}") from None
    try:
        with _let_go_by_children(connection.fileno()):
            if not _asked(connection, name, wait):
                raise BusyError("a process of this store, perhaps on another machine")
            yield
    finally:
        with suppress(psycopg.Error):  # the lock ends with its connection
            connection.close()


def _asked(connection: Connection[tuple[object, ...]], name: str, wait: float) -> bool:
    assert psycopg is not None  # noqa: S101 - there is a connection
    number = int.from_bytes(blake2b(f"tacit\0{name}".encode(), digest_size=8).digest(), signed=True)
    try:
        for setting in SESSION:  # one that this server does not have yet is left out
            connection.execute("SELECT set_config(name, %s, false) FROM pg_settings WHERE name = %s", setting[::-1])
        return _tried(lambda: _first(connection, number), wait)
    except psycopg.Error as error:
        said = " ".join(str(error).split())
        raise UnreachableError(f"The PostgreSQL server of `store` does not answer: {said}") from None


def _first(connection: Connection[tuple[object, ...]], number: int) -> bool:
    row = connection.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()
    return row is not None and row[0] is True


def _flock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _tried(attempt: Callable[[], bool], wait: float) -> bool:
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
def _let_go_by_children(handle: int) -> Generator[None]:
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
