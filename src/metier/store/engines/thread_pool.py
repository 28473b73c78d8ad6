"""Connections that many threads share: each has one for as long as its transaction lasts (psycopg_pool)."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from metier.errors import UnreachableError

try:
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError:  # an older set-up: each thread has a connection of its own
    ConnectionPool = None
    PoolTimeout = TimeoutError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from psycopg import Connection

    from metier.store.engines.engine import Row

MOST = 12
"""Connections, whatever the number of threads."""
IDLE = 60.0
"""Seconds after which one that nobody needs is closed."""


class ThreadPool:
    """A pool of connections to one database; a thread that has one and asks again gets the same."""

    def __init__(self, url: str, given: Mapping[str, Any], wait: float) -> None:
        assert ConnectionPool is not None  # noqa: S101 - see `is_there`
        logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())  # who waits is told
        self._mine = threading.local()
        self._wait = wait
        self._pool = ConnectionPool(
            url,
            kwargs={"connect_timeout": 10, **given},
            min_size=0,
            max_size=MOST,
            timeout=wait,
            max_idle=IDLE,
            num_workers=2,
            configure=_prepare,
            check=ConnectionPool.check_connection,
            open=True,
        )

    @contextmanager
    def connection(self) -> Generator[Connection[Row]]:
        """One that is alive, for this thread alone; UnreachableError when there is none for too long."""
        held = getattr(self._mine, "connection", None)
        if held is not None:
            yield held
            return
        try:
            taken = self._pool.getconn()
        except PoolTimeout:
            raise UnreachableError(
                f"PostgreSQL gave no connection within {self._wait:g} s. Run the same again: nothing is kept twice."
            ) from None
        self._mine.connection = connection = cast("Connection[Row]", taken)
        try:
            yield connection
        finally:
            self._mine.connection = None
            self._pool.putconn(taken)

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


def is_there() -> bool:
    """Whether connections can be pooled here."""
    return ConnectionPool is not None


def _prepare(connection: Connection[Any]) -> None:
    connection.execute("SET search_path TO metier")
    connection.commit()
