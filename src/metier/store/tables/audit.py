"""The audit log: append-only, each entry bound to the one before by its hash."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from metier.store.engines.engine import Row, Transaction

COLUMNS = "sequence, happened, actor, action, subject, reason, previous, hash, workspace"


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
    workspace: str = ""
    """Empty in entries from before it was noted."""


def add(transaction: Transaction, entry: AuditEntry) -> str:
    """Append an entry about this workspace; returns its hash."""
    entry = replace(entry, workspace=transaction.workspace)
    rows = transaction.all("SELECT hash FROM audit ORDER BY sequence DESC LIMIT 1")
    previous = str(rows[0][0]) if rows else ""
    digest = _hash(entry, previous)
    transaction.all(
        "INSERT INTO audit (happened, actor, action, subject, reason, workspace, previous, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*(entry.happened, entry.actor, entry.action, entry.subject, entry.reason, entry.workspace), previous, digest),
    )
    return digest


def list_own(transaction: Transaction) -> list[AuditEntry]:
    """The entries about this workspace, the first one first."""
    return [one for one in list_all(transaction) if one.workspace in ("", transaction.workspace)]


def list_all(transaction: Transaction) -> list[AuditEntry]:
    """The entries of every workspace that shares the store, the first one first: they are one chain."""
    return [_entry(row) for row in transaction.all(f"SELECT {COLUMNS} FROM audit ORDER BY sequence")]


def list_about(transaction: Transaction, *things: str) -> list[AuditEntry]:
    """The entries about this workspace whose subject begins with one of these names or ids, the first one first."""
    starts = [f"{one} " for one in things]
    about = " OR ".join("substr(subject || ' ', 1, ?) = ?" for _ in starts)
    values = [value for one in starts for value in (len(one), one)]
    rows = transaction.all(
        f"SELECT {COLUMNS} FROM audit WHERE workspace IN ('', ?) AND ({about or '1 = 0'}) ORDER BY sequence",
        (transaction.workspace, *values),
    )
    return [_entry(row) for row in rows]


def list_newest(transaction: Transaction, limit: int, below: int = 0, *, about: str = "") -> list[AuditEntry]:
    """The newest entries about this workspace, the newest first; `below`: older than that one; `about`: a word."""
    rows = transaction.all(
        f"SELECT {COLUMNS} FROM audit WHERE workspace IN ('', ?) AND (? = 0 OR sequence < ?)"
        " AND action LIKE ? ORDER BY sequence DESC LIMIT ?",
        (transaction.workspace, below, below, f"%{about}%", limit),
    )
    return [_entry(row) for row in rows]


def _entry(row: Row) -> AuditEntry:
    return AuditEntry(
        sequence=cast("int", row[0]),
        happened=str(row[1]),
        actor=str(row[2]),
        action=str(row[3]),
        subject=str(row[4]),
        reason=str(row[5]),
        previous=str(row[6]),
        hash=str(row[7]),
        workspace=str(row[8]),
    )


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
    parts += [entry.workspace] if entry.workspace else []
    return sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()
