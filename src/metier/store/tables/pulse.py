"""Whether anything changed: small numbers that are cheap to read and differ after every change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction

NEWEST = ("runs", "audit", "calls", "events", "selections")
"""Tables that grow at their end."""
WHOLE = ("lessons", "drafts", "profiles", "trainings")
"""Small tables whose rows change."""
SIZES = {
    "lessons": "length(body)",
    "drafts": "length(body)",
    "profiles": "uses",
    "trainings": "length(updated) + length(report) + length(body)",
}


def pulse(transaction: Transaction) -> dict[str, str]:
    """A text for each table that is another one after a change."""
    found = {name: _text(transaction, f"SELECT coalesce(max(sequence), 0) FROM {name}") for name in NEWEST}
    for name in WHOLE:
        sql = f"SELECT count(*), coalesce(sum({SIZES[name]}), 0) FROM {name} WHERE workspace = ?"
        found[name] = _text(transaction, sql, transaction.workspace)
    return found


def _text(transaction: Transaction, sql: str, *values: str) -> str:
    return " ".join(str(value) for value in transaction.all(sql, values)[0])
