"""Patterns in the store: whole values, found by id, status or workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.formats.value_json import dumps, loads
from metier.types import Pattern, PatternStatus

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction


def put(transaction: Transaction, pattern: Pattern, *, counted: bool = True) -> None:
    """Store a pattern as it is now; `counted` says that its runs were counted just now."""
    transaction.all(
        "INSERT INTO patterns (id, workspace, label, status, body) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET label = excluded.label, status = excluded.status, body = excluded.body"
        f"{', stale = 0' if counted else ''}",
        (pattern.id, pattern.workspace, pattern.label, pattern.status, dumps(pattern)),
    )


def get(transaction: Transaction, pattern: str) -> Pattern | None:
    """One pattern by its id, if it is there."""
    rows = transaction.all("SELECT body FROM patterns WHERE id = ? AND workspace = ?", (pattern, transaction.workspace))
    return loads(Pattern, rows[0][0]) if rows else None


def stale(transaction: Transaction) -> list[Pattern]:
    """Patterns that lost runs since they were counted."""
    sql = "SELECT body FROM patterns WHERE workspace = ? AND stale = 1 ORDER BY sequence"
    return [loads(Pattern, row[0]) for row in transaction.all(sql, (transaction.workspace,))]


def list_all(transaction: Transaction, status: PatternStatus | None = None) -> list[Pattern]:
    """A workspace's patterns in the order they first appeared."""
    sql, values = "SELECT body FROM patterns WHERE workspace = ?", (transaction.workspace,)
    if status is not None:
        sql, values = sql + " AND status = ?", (transaction.workspace, status)
    return [loads(Pattern, row[0]) for row in transaction.all(sql + " ORDER BY sequence", values)]


def note_attempt(transaction: Transaction, pattern: str, basis: str, reason: str) -> None:
    """Remember that nothing came of drafting a pattern, and what that rested on."""
    sql = "UPDATE patterns SET tried = ? WHERE id = ? AND workspace = ?"
    transaction.all(sql, (f"{basis} {reason}", pattern, transaction.workspace))


def attempts(transaction: Transaction) -> dict[str, tuple[str, str]]:
    """For each pattern of which nothing came: what that rested on, and why."""
    rows = transaction.all(
        "SELECT id, tried FROM patterns WHERE workspace = ? AND tried <> ''", (transaction.workspace,)
    )
    found: dict[str, tuple[str, str]] = {}
    for pattern, text in rows:
        basis, _, reason = str(text).partition(" ")
        found[str(pattern)] = (basis, reason)
    return found
