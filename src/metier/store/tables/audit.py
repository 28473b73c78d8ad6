"""The audit log: append-only, each entry bound to the one before by its hash."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from metier.errors import NotFoundError
from metier.types.audit import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Row, Transaction, Value

COLUMNS = "sequence, happened, actor, action, subject, reason, previous, hash, workspace, way, seen"


def add(transaction: Transaction, entry: AuditEntry) -> str:
    """Append an entry about this workspace; returns its hash."""
    entry = replace(entry, workspace=transaction.workspace)
    rows = transaction.all("SELECT hash FROM audit ORDER BY sequence DESC LIMIT 1")
    previous = str(rows[0][0]) if rows else ""
    digest = _hash(entry, previous)
    transaction.all(
        "INSERT INTO audit (happened, actor, action, subject, reason, workspace, way, seen, previous, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(entry.happened, entry.actor, entry.action, entry.subject, entry.reason),
            *(entry.workspace, entry.way, entry.seen, previous, digest),
        ),
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
    about = " OR ".join(f"({_ABOUT})" for _ in things)
    rows = transaction.all(
        f"SELECT {COLUMNS} FROM audit WHERE workspace IN ('', ?) AND ({about or '1 = 0'}) ORDER BY sequence + 0",
        (transaction.workspace, *(value for one in things for value in _about(one))),
    )
    return [_entry(row) for row in rows]


def last_about(transaction: Transaction, things: Sequence[str]) -> dict[str, int]:
    """The newest entry about each of these names or ids, by its number."""
    if not things:
        return {}
    one = f"SELECT ? AS thing, max(sequence + 0) FROM audit WHERE workspace IN ('', ?) AND {_ABOUT}"
    rows = transaction.all(
        " UNION ALL ".join(one.replace("? AS", f"{number} AS") for number in range(len(things))),
        [value for thing in things for value in (transaction.workspace, *_about(thing))],
    )
    return {things[cast("int", row[0])]: cast("int", row[1]) for row in rows if row[1] is not None}


_START = "substr(subject, 1, 100)$bytewise"
_ABOUT = f"{_START} >= ? AND {_START} < ? AND substr(subject || ' ', 1, ?) = ?"
"""Whether a subject is a thing, alone or followed by a space; the index of subjects finds those that can be."""


def _about(thing: str) -> tuple[Value, ...]:
    end = f"{thing}!" if len(thing) < 100 else f"{thing[:100]}\U0010ffff"  # "!" is what comes after a space
    return (thing[:100], end, len(thing) + 1, f"{thing} ")


def get(transaction: Transaction, sequence: int) -> AuditEntry:
    """The entry about this workspace with this number."""
    rows = transaction.all(
        f"SELECT {COLUMNS} FROM audit WHERE sequence = ? AND workspace IN ('', ?)", (sequence, transaction.workspace)
    )
    if not rows:
        raise NotFoundError(f"There is no entry {sequence} in the audit log of this workspace.")
    return _entry(rows[0])


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
        way=str(row[9]),
        seen=str(row[10]),
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
    parts += [entry.way, entry.seen] if entry.way else []
    return sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()
