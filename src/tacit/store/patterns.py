"""Patterns in the store: whole values, found by id, status or workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.store.codec import dumps, loads
from tacit.types import Pattern, PatternStatus

if TYPE_CHECKING:
    from tacit.store.engine import Transaction


def put(transaction: Transaction, pattern: Pattern) -> None:
    """Store a pattern as it is now."""
    transaction.all(
        "INSERT INTO patterns (id, workspace, label, status, body) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET label = excluded.label, status = excluded.status, body = excluded.body",
        (pattern.id, pattern.workspace, pattern.label, pattern.status, dumps(pattern)),
    )


def listed(transaction: Transaction, workspace: str, status: PatternStatus | None = None) -> list[Pattern]:
    """A workspace's patterns in the order they first appeared."""
    sql, values = "SELECT body FROM patterns WHERE workspace = ?", (workspace,)
    if status is not None:
        sql, values = sql + " AND status = ?", (workspace, status)
    return [loads(Pattern, row[0]) for row in transaction.all(sql + " ORDER BY sequence", values)]
