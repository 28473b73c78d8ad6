"""The one seam between Metier and a database: transactions that read, and transactions that write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from metier.store.engines.dialect import Dialect

Value = str | int | float | bytes | None
Row = tuple[Value, ...]


class Transaction(Protocol):
    """An open transaction: everything in it happens, or nothing."""

    dialect: Dialect
    workspace: str
    """The workspace whose rows it sees and writes."""

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run one statement and return all its rows."""
        ...

    def many(self, sql: str, rows: Sequence[Sequence[Value]]) -> int:
        """Run one statement once per row of values; returns how many rows it changed."""
        ...


class Engine(Protocol):
    """A database that keeps what it acknowledged, as one workspace sees it."""

    dialect: Dialect
    workspace: str
    """What its transactions are scoped to."""

    def read(self) -> AbstractContextManager[Transaction]:
        """A consistent view; never blocks a writer."""
        ...

    def glance(self) -> AbstractContextManager[Transaction]:
        """A view for one statement, which is consistent by itself: cheaper than a transaction around it."""
        ...

    def write(self, *, synced: bool = True) -> AbstractContextManager[Transaction]:
        """The only writer of this moment, committed durably on leaving; rolled back on an exception.

        Not synced: a killed process loses nothing, only a power cut may take it back until the next synced commit.
        """
        ...

    def erase(self, *, compact: bool = False) -> None:
        """Make sure that deleted content is also gone from logs and free pages, where the engine allows it."""
        ...

    def size(self) -> int:
        """Bytes on disk."""
        ...

    def copy_to(self, target: Path) -> None:
        """A consistent copy of the whole database as one SQLite file."""
        ...

    def replace_by(self, source: Path) -> None:
        """Replace the whole content by that of a copy, in one transaction."""
        ...

    def close(self) -> None:
        """Let go of every connection; the engine can be used again afterwards."""
        ...
