"""The fleet's engine: PostgreSQL, all tables in the schema `metier`, writers in line behind one advisory lock.

The thread that comes first has a connection of its own, and so has whoever holds a lock at the server; all other
threads take theirs from a pool.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from metier.errors import BusyError, ConfigError, InputError, RefusedError, StoreError, UnreachableError
from metier.store.engines import thread_pool
from metier.store.engines.dialect import NOT_TEXT, POSTGRESQL
from metier.store.engines.exclusive import try_lock

try:
    import psycopg
except ImportError:  # the extra is not installed; open_postgres says so
    psycopg = None

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path
    from typing import LiteralString

    from psycopg import Connection

    from metier.store.engines.engine import Row, Value

LOCK = 0x7AC17
"""The advisory lock that every write transaction holds until it ends."""

SERVER = (
    "pg_postmaster_start_time()::text || coalesce("
    "(SELECT backend_start::text FROM pg_stat_activity WHERE backend_type = 'checkpointer'), '')"
)
"""Another text after a server began again, of itself or after a crash of one of its processes."""
IDLE = 60
"""Seconds after which a process that stops in the middle of a write no longer holds up all others."""
NOTICE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}
"""How a connection notices that the server's machine is gone, or the way to it; an address may say otherwise."""


class PostgresTransaction:
    """One transaction on one connection."""

    dialect = POSTGRESQL

    def __init__(self, connection: Connection[Row], workspace: str) -> None:
        self._connection = connection
        self.workspace = workspace

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run one statement and return all its rows."""
        cursor = self._connection.execute(_literal(POSTGRESQL.sql(sql)), values or None)
        return cursor.fetchall() if cursor.description else []

    def many(self, sql: str, rows: Sequence[Sequence[Value]]) -> int:
        """Run one statement once per row of values; returns how many rows it changed."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_literal(POSTGRESQL.sql(sql)), rows)
            return cursor.rowcount if rows else 0


@dataclass(slots=True)
class Line:
    """A connection, and whose turn it is."""

    connection: Connection[Row]
    turn: threading.RLock = field(default_factory=threading.RLock)


class PostgresEngine:
    """A PostgreSQL database; connections are opened again after the server was away.

    Where the server gives no more connections, threads take turns on one.
    """

    dialect = POSTGRESQL

    def __init__(self, url: str, *, wait: float = 10.0, workspace: str = "") -> None:
        if psycopg is None:
            raise ConfigError(
                "store is a PostgreSQL address, but its driver is missing: pip install 'metier[postgres]'."
            )
        self.url = url
        self.workspace = workspace
        self.wait = wait
        self._lines: dict[int, Line] = {}
        self._pool: thread_pool.ThreadPool | None = None
        self._opening = threading.Lock()
        self.idle = IDLE
        self.held: set[int] = set()
        """Numbers of the server's locks that this engine holds."""

    @contextmanager
    def read(self) -> Generator[PostgresTransaction]:
        """A consistent view of everything committed so far."""
        with self._session("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY") as transaction:
            yield transaction

    @contextmanager
    def glance(self) -> Generator[PostgresTransaction]:
        """One statement: every session here is a transaction anyway."""
        with self.read() as transaction:
            yield transaction

    @contextmanager
    def write(self, *, synced: bool = True) -> Generator[PostgresTransaction]:
        """The only write transaction of this moment in this database.

        If the connection is lost while it is committed, the server is asked what became of it.
        """
        limits = (
            f"SELECT set_config('lock_timeout', '{int(self.wait * 1000) or 1}', true),"
            f" set_config('idle_in_transaction_session_timeout', '{self.idle}s', true)"
        )
        number, server, is_whole = "", "", False
        try:
            with self._session(limits) as transaction:
                if not synced:
                    transaction.all("SET LOCAL synchronous_commit = off")
                transaction.all("SELECT pg_advisory_xact_lock(?)", (LOCK,))
                number, server = map(str, transaction.all(f"SELECT pg_current_xact_id()::text, {SERVER}")[0])
                yield transaction
                is_whole = True
        except UnreachableError:
            if not is_whole or not self._was_committed(number, server):
                raise

    def _was_committed(self, number: str, server: str) -> bool:
        """Whether a transaction was committed whose end nobody heard of; not, if that cannot be found out in time.

        A server that crashed in between may have given the number to another transaction: then nobody can say.
        """
        found: list[Row] = []

        def is_known() -> bool:
            with suppress(UnreachableError), self._session("SET TRANSACTION READ ONLY") as transaction:
                # it may be starting again
                found[:] = transaction.all(f"SELECT pg_xact_status(?::xid8), {SERVER}", (number,))
            return bool(found) and found[0][0] != "in progress"

        return try_lock(is_known, self.wait) and tuple(found[0]) == ("committed", server)

    def erase(self, *, compact: bool = False) -> None:
        """Let PostgreSQL reclaim deleted rows; its own log is the database administrator's."""
        with self._connection() as connection, self._translated(connection):
            connection.autocommit = True
            try:
                connection.execute("VACUUM FULL" if compact else "VACUUM")
            finally:
                connection.autocommit = False

    def size(self) -> int:
        """Bytes of all tables and indexes in the schema."""
        with self.read() as transaction:
            rows = transaction.all(
                "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
                " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'metier' AND c.relkind = 'r'"
            )
        return int(rows[0][0] or 0)

    def copy_to(self, target: Path) -> None:  # noqa: ARG002
        """Not for PostgreSQL: it has better tools of its own."""
        raise RefusedError("The store is PostgreSQL: back it up with pg_dump.")

    def replace_by(self, source: Path) -> None:  # noqa: ARG002
        """Not for PostgreSQL: it has better tools of its own."""
        raise RefusedError("The store is PostgreSQL: bring it back with pg_restore.")

    def brief(self, idle: int) -> PostgresEngine:
        """The same store for short writes: whoever stops in the middle of one holds up others so many seconds only."""
        view = PostgresEngine(self.url, wait=self.wait, workspace=self.workspace)
        view.share_connections(self)
        view.idle = idle
        return view

    def share_connections(self, other: PostgresEngine) -> None:
        """Use another engine's connections from now on."""
        self._lines, self.held, self._pool = other._lines, other.held, other.pool()

    def close(self) -> None:
        """Close every connection."""
        for line in self._lines.values():
            line.connection.close()
        self._lines.clear()
        if self._pool is not None:
            self._pool.close()
        self._pool = None

    def run_on(self, line: Line, sql: str, values: Sequence[Value]) -> list[Row]:
        """Run one statement on a certain connection: what belongs to a session is not for any other."""
        with self._session("SET TRANSACTION READ ONLY", line) as transaction:
            return transaction.all(sql, values)

    @contextmanager
    def _session(self, first: str, line: Line | None = None) -> Generator[PostgresTransaction]:
        with self._connection(line) as connection, self._translated(connection), connection.transaction():
            transaction = PostgresTransaction(connection, self.workspace)
            transaction.all(first)
            yield transaction

    @contextmanager
    def _connection(self, line: Line | None = None) -> Generator[Connection[Row]]:
        """A certain connection; else this thread's own, or one of the pool."""
        line = line or self._lines.get(threading.get_ident())
        if line is None and self._lines and (pool := self.pool()):
            with pool.connection() as connection:
                yield connection
        else:
            with self._turn(line or self.line()) as connection:
                yield connection

    def pool(self) -> thread_pool.ThreadPool | None:
        """The connections that threads share; None where there can be no more than one."""
        with self._opening:
            if self._pool is None and thread_pool.is_there():
                with suppress(UnreachableError):
                    self._connect().close()  # says at once whether there can be another one
                    self._pool = thread_pool.ThreadPool(self.url, noticing(self.url), self.wait)
        return self._pool

    @contextmanager
    def _turn(self, line: Line) -> Generator[Connection[Row]]:
        """A connection for one thread at a time, alive."""
        if not line.turn.acquire(timeout=self.wait):
            raise BusyError(f"Another thread has had the only connection to the store for more than {self.wait:g} s.")
        try:
            if not _alive(line.connection):
                line.connection.close()
                line.connection = self._connect()
            yield line.connection
        finally:
            line.turn.release()

    def line(self) -> Line:
        """The connection of this thread; if there can be no further one, that of another thread."""
        thread = threading.get_ident()
        if thread not in self._lines:
            others = list(self._lines.values())
            try:
                self._lines[thread] = Line(self._connect())
            except UnreachableError:
                if not others:
                    raise
                self._lines[thread] = others[0]
        return self._lines[thread]

    def _connect(self) -> Connection[Row]:
        assert psycopg is not None  # noqa: S101 - checked by __init__
        try:
            connection = psycopg.connect(self.url, connect_timeout=10, autocommit=True, **noticing(self.url))
            with _closed_on_error(connection):
                connection.execute("CREATE SCHEMA IF NOT EXISTS metier")
                connection.execute("SET search_path TO metier")
                connection.autocommit = False
        except psycopg.errors.UniqueViolation:  # two first comers made the schema at once
            return self._connect()
        except psycopg.Error as error:
            raise UnreachableError(f"The PostgreSQL server of `store` does not answer: {_said(error)}") from None
        return cast("Connection[Row]", connection)

    @contextmanager
    def _translated(self, connection: Connection[Row]) -> Generator[None]:
        assert psycopg is not None  # noqa: S101 - checked by __init__
        try:
            yield
        except UnicodeEncodeError:
            raise InputError(NOT_TEXT) from None
        except psycopg.errors.LockNotAvailable:
            raise BusyError(f"Another process has been writing to the store for more than {self.wait:g} s.") from None
        except psycopg.OperationalError as error:
            with suppress(psycopg.Error):
                connection.close()
            raise UnreachableError(
                f"The connection to PostgreSQL was lost ({_said(error)}). Run the same again: nothing is kept twice."
            ) from error
        except psycopg.Error as error:
            raise StoreError(f"PostgreSQL refused: {_said(error)}") from error


@contextmanager
def _closed_on_error(connection: Connection[Any]) -> Generator[None]:
    """Leave no connection behind that could not be made ready."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _alive(connection: Connection[Row]) -> bool:
    """Whether the server still answers; costs one round trip, and only between transactions."""
    assert psycopg is not None  # noqa: S101 - there is a connection
    try:
        connection.execute("SELECT 1")
        connection.rollback()
    except psycopg.Error:
        return False
    return True


def noticing(url: str) -> dict[str, Any]:
    """How connections to an address notice a server that is gone, where the address does not say."""
    return {name: value for name, value in NOTICE.items() if f"{name}=" not in url}


def _literal(sql: str) -> LiteralString:
    """All SQL is written in `store/`; values always travel apart from it."""
    return cast("LiteralString", sql)


def _said(error: Exception) -> str:
    return " ".join(str(error).split())
