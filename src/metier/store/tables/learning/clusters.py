"""What tells whether another request belongs to a pattern: a few numbers and words for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.types.grouping import StoredCluster

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.store.engines.engine import Transaction


def put(transaction: Transaction, clusters: Iterable[StoredCluster]) -> None:
    """Keep clusters as they are now."""
    transaction.many(
        "INSERT INTO clusters (pattern, workspace, body, vectors) VALUES (?, ?, ?, ?) ON CONFLICT (workspace, pattern)"
        " DO UPDATE SET body = excluded.body, vectors = excluded.vectors",
        [(one.pattern, transaction.workspace, one.body, one.vectors) for one in clusters],
    )


def drop(transaction: Transaction, patterns: Iterable[str]) -> None:
    """Forget the clusters of patterns that have no runs left."""
    transaction.many(
        "DELETE FROM clusters WHERE workspace = ? AND pattern = ?",
        [(transaction.workspace, pattern) for pattern in patterns],
    )


def list_all(transaction: Transaction) -> list[StoredCluster]:
    """The clusters of a workspace."""
    sql = "SELECT pattern, body, vectors FROM clusters WHERE workspace = ? ORDER BY pattern"
    return [
        StoredCluster(pattern=str(pattern), body=str(body), vectors=bytes(cast("bytes", vectors)))
        for pattern, body, vectors in transaction.all(sql, (transaction.workspace,))
    ]
