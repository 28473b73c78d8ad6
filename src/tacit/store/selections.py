"""Selections in the store, linked to the run each one served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.store.codec import dumps, loads
from tacit.types import Selection

if TYPE_CHECKING:
    from tacit.store.engine import Transaction


def put(transaction: Transaction, selection: Selection) -> None:
    """Store a selection, or the run it turned out to serve."""
    transaction.all(
        "INSERT INTO selections (id, workspace, run, body) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET run = excluded.run, body = excluded.body",
        (selection.id, selection.workspace, selection.run, dumps(selection)),
    )


def listed(transaction: Transaction, workspace: str, limit: int = 100) -> list[Selection]:
    """A workspace's selections, newest first."""
    sql = "SELECT body FROM selections WHERE workspace = ? ORDER BY sequence DESC LIMIT ?"
    return [loads(Selection, row[0]) for row in transaction.all(sql, (workspace, limit))]
