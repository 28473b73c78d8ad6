"""The lock of `alone` at a PostgreSQL server, for a store that several machines share."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from metier.errors import BusyError, ConfigError, UnreachableError
from metier.store.engines.exclusive import let_go_by_children, try_lock

try:
    import psycopg
except ImportError:  # the extra is not installed; by_server says so
    psycopg = None

if TYPE_CHECKING:
    from collections.abc import Generator

    from psycopg import Connection

SESSION = (
    ("idle_session_timeout", "0"),
    ("tcp_keepalives_idle", "30"),
    ("tcp_keepalives_interval", "10"),
    ("tcp_keepalives_count", "3"),
)
"""What the server is told: keep an idle holder, but notice within a minute that its machine is gone."""


@contextmanager
def by_server(url: str, name: str, wait: float) -> Generator[None]:
    """Hold a lock at a PostgreSQL server, on a connection of its own; BusyError when another has it too long."""
    if psycopg is None:
        raise ConfigError("store is a PostgreSQL address, but its driver is missing: pip install 'metier[postgres]'.")
    try:
        connection = psycopg.connect(url, connect_timeout=10, autocommit=True, application_name=f"metier {name}"[:60])
    except psycopg.Error as error:
        said = " ".join(str(error).split())
        raise UnreachableError(f"The PostgreSQL server of `store` does not answer: {said}") from None
    try:
        with let_go_by_children(connection.fileno()):
            if not _asked(connection, name, wait):
                raise BusyError("a process of this store, perhaps on another machine")
            yield
    finally:
        with suppress(psycopg.Error):  # the lock ends with its connection
            connection.close()


def _asked(connection: Connection[tuple[object, ...]], name: str, wait: float) -> bool:
    assert psycopg is not None  # noqa: S101 - there is a connection
    number = int.from_bytes(blake2b(f"metier\0{name}".encode(), digest_size=8).digest(), signed=True)
    try:
        for setting in SESSION:  # one that this server does not have yet is left out
            connection.execute("SELECT set_config(name, %s, false) FROM pg_settings WHERE name = %s", setting[::-1])
        return try_lock(lambda: _first(connection, number), wait)
    except psycopg.Error as error:
        said = " ".join(str(error).split())
        raise UnreachableError(f"The PostgreSQL server of `store` does not answer: {said}") from None


def _first(connection: Connection[tuple[object, ...]], number: int) -> bool:
    row = connection.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()
    return row is not None and row[0] is True
