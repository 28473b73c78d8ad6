"""The embedded engine: SQLite in WAL mode, every write transaction and every checkpoint under one lock.

SQLite before 3.51.3 can lose a commit when a write races a reset of the write-ahead log. So automatic checkpoints are
off, and whoever writes or checkpoints holds the lock (`docs/design/001-store.md`).
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, cast

from metier.errors import BusyError, DamagedError, InputError, ReadOnlyError, StoreError
from metier.store.engines.dialect import NOT_TEXT, SQLITE
from metier.store.engines.file_place import MOUNTS, check_place
from metier.store.engines.write_lock import hold_write_lock

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from metier.store.engines.engine import Row, Value

CHECKPOINT_BYTES = 8 * 1024 * 1024
"""The write-ahead log is folded into the database when it is larger than this."""
BUSY_MS = 10_000
INHERITED: list[sqlite3.Connection] = []
"""Connections of a parent process, kept so that a forked child never closes them."""
WRITING = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA wal_autocheckpoint = 0",
    f"PRAGMA journal_size_limit = {CHECKPOINT_BYTES}",
    "PRAGMA secure_delete = ON",
    "PRAGMA cache_size = -16384",
    "PRAGMA temp_store = MEMORY",
)


class SqliteTransaction:
    """One transaction on one connection."""

    dialect = SQLITE

    def __init__(self, connection: sqlite3.Connection, workspace: str) -> None:
        self._connection = connection
        self.workspace = workspace

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run one statement and return all its rows."""
        return self._connection.execute(SQLITE.sql(sql), values).fetchall()

    def many(self, sql: str, rows: Sequence[Sequence[Value]]) -> int:
        """Run one statement once per row of values; returns how many rows it changed."""
        return self._connection.executemany(SQLITE.sql(sql), rows).rowcount if rows else 0


class SqliteEngine:
    """A database file, its lock and its connections: one that writes, one that reads per thread."""

    dialect = SQLITE

    def __init__(
        self, file: Path, *, lock: Path, wait: float = 10.0, workspace: str = "", mounts: Path = MOUNTS
    ) -> None:
        self.workspace = workspace
        self._file = file
        self._lock = lock
        self._wait = wait
        self._mounts = mounts
        self._forget()

    @contextmanager
    def read(self) -> Generator[SqliteTransaction]:
        """A consistent view through a read-only connection of this thread."""
        self._after_fork()
        with self._translated():
            connection = self._reader()
            connection.execute("BEGIN")
            try:
                yield SqliteTransaction(connection, self.workspace)
            finally:
                with suppress(sqlite3.Error):  # it has read only, and a failure must not hide the first one
                    connection.execute("ROLLBACK")

    @contextmanager
    def glance(self) -> Generator[SqliteTransaction]:
        """One statement through a read-only connection of this thread."""
        self._after_fork()
        with self._translated():
            yield SqliteTransaction(self._reader(), self.workspace)

    @contextmanager
    def write(self, *, synced: bool = True) -> Generator[SqliteTransaction]:
        """The only write transaction of this moment on this state folder."""
        self._after_fork()
        with self._translated(), self._mutex, hold_write_lock(self._lock, self._wait):
            connection = self._writer()
            if synced is not self._synced:
                connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
                self._synced = synced
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteTransaction(connection, self.workspace)
                connection.execute("COMMIT")
            except BaseException:
                self._abandon(connection)
                raise
            self._checkpoint(connection)

    def erase(self, *, compact: bool = False) -> None:
        """Fold the write-ahead log into the database and empty it; freed pages are overwritten with zeros already."""
        self._after_fork()
        with self._translated(), self._mutex, hold_write_lock(self._lock, self._wait):
            self._close_readers()
            connection = self._writer()
            if compact:
                connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise BusyError(
                f"{self._file} is being read by another process, so the deleted text is still in its log. "
                "Run the same command again once that process has ended."
            )

    def size(self) -> int:
        """Bytes in use: pages of the database that are not free."""
        with self.read() as transaction:
            pages, free, size = (
                cast("int", transaction.all(f"PRAGMA {fact}")[0][0])
                for fact in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * size

    def copy_to(self, target: Path) -> None:
        """A consistent, compact copy as one file."""
        self._after_fork()
        with self._translated():
            self._reader().execute("VACUUM INTO ?", (str(target),))

    def replace_by(self, source: Path) -> None:
        """Replace all content by that of another database file, in one transaction."""
        self._after_fork()
        with self._translated(), self._mutex, hold_write_lock(self._lock, self._wait):
            copy = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
            try:
                copy.backup(self._writer())
            finally:
                copy.close()
            self._writer().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close every connection; the last writer out folds the log away, so that happens under the lock."""
        self._after_fork()
        with self._mutex:
            if self._writing is None and not self._readers:
                return
            self._close_readers()
            if self._writing is not None:
                with suppress(StoreError), self._translated(), hold_write_lock(self._lock, self._wait):
                    self._writing.close()
                    self._writing = None

    def _forget(self) -> None:
        """Begin without connections, as a new process must: SQLite's do not survive a fork."""
        self._process = os.getpid()
        self._folded = -1
        self._synced = True
        self._mutex = threading.RLock()
        self._writing: sqlite3.Connection | None = None
        self._readers: dict[int, sqlite3.Connection] = {}

    def _after_fork(self) -> None:
        if self._process != os.getpid():
            INHERITED.extend(self._readers.values())
            INHERITED.extend([self._writing] if self._writing is not None else [])
            self._forget()

    def _writer(self) -> sqlite3.Connection:
        if self._writing is None:
            check_place(self._file, self._mounts)
            self._create()
            connection = sqlite3.connect(
                self._file, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False
            )
            for pragma in WRITING:
                connection.execute(pragma)
            self._writing, self._synced = connection, True
        return self._writing

    def _create(self) -> None:
        """Make the file, for its owner alone. One that is there is never opened: closing it drops SQLite's locks."""
        try:
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            self._close_to_others()

    def _close_to_others(self) -> None:
        """Let nobody else read the file, nor those that SQLite makes beside it with the same mode."""
        with suppress(OSError):
            if self._file.stat().st_mode & 0o077:
                self._file.chmod(0o600)

    def _reader(self) -> sqlite3.Connection:
        thread = threading.get_ident()
        if thread not in self._readers:
            check_place(self._file, self._mounts)
            self._close_to_others()
            connection = sqlite3.connect(
                reading_uri(self._file),
                uri=True,
                timeout=BUSY_MS / 1000,
                isolation_level=None,
                check_same_thread=False,
            )
            with self._mutex:
                self._readers[thread] = connection
        return self._readers[thread]

    def _close_readers(self) -> None:
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()

    def _wal(self) -> Path:
        return self._file.with_name(self._file.name + "-wal")

    def _checkpoint(self, connection: sqlite3.Connection) -> None:
        """Fold the log in when it has grown; what was committed is safe already, so a failure here is nobody's."""
        with suppress(OSError, sqlite3.Error):
            size = self._wal().stat().st_size
            if size > CHECKPOINT_BYTES and not 0 <= size - self._folded < CHECKPOINT_BYTES:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
                self._folded = size

    def _abandon(self, connection: sqlite3.Connection) -> None:
        """Roll back; a connection that cannot (a failed fsync, a full disk) is not used again."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass
        finally:
            with suppress(sqlite3.Error):
                connection.close()
            self._writing = None

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise _translate(error, self._file) from error
        except UnicodeEncodeError:
            raise InputError(NOT_TEXT) from None
        except OSError as error:
            raise StoreError(f"{self._file} cannot be opened: {error.strerror}.") from None


def reading_uri(file: Path) -> str:
    """How a database is opened to be read. On a read-only disk nobody writes: SQLite does without its shared memory."""
    writable = os.access(file.parent, os.W_OK) or file.with_name(f"{file.name}-wal").exists()
    return f"{file.absolute().as_uri()}?mode=ro" + ("" if writable else "&immutable=1")


def _translate(error: sqlite3.DatabaseError, file: Path) -> StoreError:
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
        return ReadOnlyError(
            f"{file} cannot be opened or written ({said}). Check its permissions and its folder's, "
            "and whether its disk is read-only."
        )
    if name.startswith("SQLITE_IOERR"):
        return StoreError(f"The disk refused a write or a read for {file} ({said}). Nothing was acknowledged.")
    return StoreError(f"The database {file} refused: {said}.")
