"""Locks at a PostgreSQL server, for a store that several machines share: they live on a connection of the store."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from metier.errors import BusyError, StoreError
from metier.store.engines.exclusive import let_go_by_children, try_lock

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.store.engines.postgres import Line, PostgresEngine

SESSION = (
    ("idle_session_timeout", "0"),
    ("tcp_keepalives_idle", "30"),
    ("tcp_keepalives_interval", "10"),
    ("tcp_keepalives_count", "3"),
)
"""What the server is told: keep an idle holder, but notice within a minute that its machine is gone."""


@contextmanager
def by_server(engine: PostgresEngine, name: str, wait: float) -> Generator[None]:
    """Hold a lock at the server, on this thread's connection; BusyError when another has it too long.

    One connection is enough: a pool or a server may give no second one. The lock ends with its connection.
    """
    number = int.from_bytes(blake2b(f"metier\0{name}".encode(), digest_size=8).digest(), signed=True)
    line = engine.line()  # the work may go on in another thread, the lock stays where it is
    for setting in SESSION:  # one that this server does not have yet is left out
        engine.run_on(line, "SELECT set_config(name, ?, false) FROM pg_settings WHERE name = ?", setting[::-1])
    if not try_lock(lambda: _take(engine, line, number), wait):
        raise BusyError("a process of this store, perhaps on another machine")
    try:
        with let_go_by_children(line.connection.fileno()):
            yield
    finally:
        engine.held.discard(number)
        with suppress(StoreError):  # a lost connection has lost the lock as well
            engine.run_on(line, "SELECT pg_advisory_unlock(?)", (number,))


def _take(engine: PostgresEngine, line: Line, number: int) -> bool:
    """Take the lock if nobody has it; the server would give it to the same connection twice."""
    if number in engine.held or engine.run_on(line, "SELECT pg_try_advisory_lock(?)", (number,)) != [(True,)]:
        return False
    engine.held.add(number)
    return True
