"""The memo: what was paid for once, under the hash of what determined it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tacit.store.engine import Transaction


def put(transaction: Transaction, key: str, value: bytes, now: str) -> None:
    """Keep a value; the first one under a key stays."""
    transaction.all(
        "INSERT INTO memo (key, value, stored) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING", (key, value, now)
    )


def get(transaction: Transaction, key: str) -> bytes | None:
    """The value under a key, if it is there."""
    rows = transaction.all("SELECT value FROM memo WHERE key = ?", (key,))
    return cast("bytes", rows[0][0]) if rows else None
