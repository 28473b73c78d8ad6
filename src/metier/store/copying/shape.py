"""The tables of this version's schema: their columns, keys and serial numbers, as the migrations make them."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cache

from metier.store.engines.dialect import SQLITE
from metier.store.engines.migrate import LEDGER, known_migrations, statements_of

DERIVED = ("sqlite_", "runs_text", "skill_words", "migrations")
"""How the names of tables begin that are made anew in each store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTable:
    """One table."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    """Its primary key; empty: it has none, and its rows are only copied all at once."""
    serial: str
    """The column that the database numbers; empty: none."""


@cache
def known_tables() -> tuple[StoredTable, ...]:
    """Every table that holds what was kept, by name."""
    made = sqlite3.connect(":memory:")
    try:
        made.execute(LEDGER)
        for step in known_migrations():
            for statement in statements_of(step, SQLITE):
                made.execute(SQLITE.sql(statement))
        found = made.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        return tuple(_table(made, name, sql) for name, sql in found if not name.startswith(DERIVED))
    finally:
        made.close()


def _table(made: sqlite3.Connection, name: str, sql: str) -> StoredTable:
    columns = made.execute(f"PRAGMA table_info({name})").fetchall()
    key = [str(column) for _, column, _, _, _, place in sorted(columns, key=lambda one: one[5]) if place]
    return StoredTable(
        name=name,
        columns=tuple(str(column[1]) for column in columns),
        key=tuple(key),
        serial=key[0] if "AUTOINCREMENT" in sql else "",
    )
