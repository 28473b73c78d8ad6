"""Versions in the store: the history of every skill, append-only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.store.codec import dumps, loads
from tacit.types import Version

if TYPE_CHECKING:
    from tacit.store.engine import Transaction


def add(transaction: Transaction, version: Version) -> None:
    """Add a version to a skill's history; the same one again changes nothing."""
    transaction.all(
        "INSERT INTO versions (root, skill, number, hash, body) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (root, skill, number) DO NOTHING",
        (version.root, version.skill, version.number, version.hash, dumps(version)),
    )


def history(transaction: Transaction, root: str, skill: str) -> list[Version]:
    """All versions of a skill, the first one first."""
    rows = transaction.all("SELECT body FROM versions WHERE root = ? AND skill = ? ORDER BY number", (root, skill))
    return [loads(Version, row[0]) for row in rows]
