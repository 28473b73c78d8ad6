"""Which spool files were ingested, so that none is ingested twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from metier.store.engines.engine import Transaction


def known_names(transaction: Transaction) -> set[str]:
    """Names of files whose content is in the store already."""
    return {str(row[0]) for row in transaction.all("SELECT name FROM spooled")}


def add(transaction: Transaction, names: Collection[str], now: str) -> None:
    """Note that these files were ingested, in the transaction that stored their content."""
    transaction.many(
        "INSERT INTO spooled (name, ingested) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
        [(name, now) for name in names],
    )


def forget(transaction: Transaction, names: Collection[str]) -> None:
    """Drop the notes on files that are gone from the spool."""
    transaction.many("DELETE FROM spooled WHERE name = ?", [(name,) for name in names])
