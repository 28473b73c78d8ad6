"""The memo: what was paid for once, under the hash of what determined it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction


PUT = "INSERT INTO memo (key, value, stored, workspace) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"


def put(transaction: Transaction, key: str, value: bytes, now: str) -> None:
    """Keep a value on behalf of a workspace; the first one under a key stays."""
    transaction.all(PUT, (key, value, now, transaction.workspace))


def put_all(transaction: Transaction, rows: list[tuple[str, bytes, str, str]]) -> None:
    """Keep many: key, value, moment, workspace of each."""
    transaction.many(PUT, rows)


def get(transaction: Transaction, key: str) -> bytes | None:
    """The value under a key, if it is there: for every workspace, as the key covers all that was asked."""
    rows = transaction.all("SELECT value FROM memo WHERE key = ?", (key,))
    return bytes(cast("bytes", rows[0][0])) if rows else None


def drop_before(transaction: Transaction, moment: str) -> int:
    """Forget what a workspace kept before a moment; returns how much that was."""
    return transaction.many("DELETE FROM memo WHERE workspace = ? AND stored < ?", [(transaction.workspace, moment)])


def clear(transaction: Transaction) -> int:
    """Forget all that a workspace kept: when runs are removed for good, a reply may still quote them."""
    return transaction.many("DELETE FROM memo WHERE workspace = ?", [(transaction.workspace,)])
