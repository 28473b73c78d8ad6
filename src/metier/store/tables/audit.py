"""The audit log: append-only, each entry bound to the one before by its hash."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction

COLUMNS = "sequence, happened, actor, action, subject, reason, previous, hash"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """Who did what to which thing, when and why."""

    happened: str
    actor: str
    action: str
    subject: str
    reason: str = ""
    sequence: int = 0
    previous: str = ""
    hash: str = ""


def add(transaction: Transaction, entry: AuditEntry) -> str:
    """Append an entry; returns its hash."""
    rows = transaction.all("SELECT hash FROM audit ORDER BY sequence DESC LIMIT 1")
    previous = str(rows[0][0]) if rows else ""
    digest = _hash(entry, previous)
    transaction.all(
        "INSERT INTO audit (happened, actor, action, subject, reason, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (entry.happened, entry.actor, entry.action, entry.subject, entry.reason, previous, digest),
    )
    return digest


def list_all(transaction: Transaction) -> list[AuditEntry]:
    """All entries, the first one first."""
    return [
        AuditEntry(
            sequence=cast("int", row[0]),
            happened=str(row[1]),
            actor=str(row[2]),
            action=str(row[3]),
            subject=str(row[4]),
            reason=str(row[5]),
            previous=str(row[6]),
            hash=str(row[7]),
        )
        for row in transaction.all(f"SELECT {COLUMNS} FROM audit ORDER BY sequence")
    ]


def first_broken(transaction: Transaction) -> AuditEntry | None:
    """The first entry that does not follow from the one before, if any: somebody changed the log."""
    previous = ""
    for entry in list_all(transaction):
        if entry.previous != previous or entry.hash != _hash(entry, previous):
            return entry
        previous = entry.hash
    return None


def _hash(entry: AuditEntry, previous: str) -> str:
    parts = [previous, entry.happened, entry.actor, entry.action, entry.subject, entry.reason]
    return sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()
