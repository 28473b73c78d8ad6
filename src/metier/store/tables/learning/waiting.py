"""Runs that learning has looked at and that stay new: they wait for company, or they are no evidence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from metier.store.tables.run_keys import OWN, id_of, in_parts, key_of
from metier.types.grouping import WaitingRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.store.engines.engine import Row, Transaction, Value

PUT = (
    "INSERT INTO waiting (key, workspace, reason, success, text, hints, label, embedder, vector)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (key) DO UPDATE SET reason = excluded.reason, success = excluded.success, text = excluded.text,"
    " hints = excluded.hints, label = excluded.label, embedder = excluded.embedder, vector = excluded.vector"
)


def put(transaction: Transaction, runs: Iterable[WaitingRun]) -> None:
    """Note runs that stay new."""
    transaction.many(PUT, [(key_of(one.run), transaction.workspace, *_values(one)) for one in runs])


def evidence(transaction: Transaction) -> list[WaitingRun]:
    """The runs that wait for others like them."""
    sql = (
        "SELECT key, reason, success, text, hints, label, embedder, vector FROM waiting"
        " WHERE workspace = ? AND text <> '' ORDER BY key"
    )
    return [_waits(row) for row in transaction.all(sql, (transaction.workspace,))]


def list_all(transaction: Transaction) -> list[WaitingRun]:
    """Every run that stays new, with its reason alone."""
    sql = (
        "SELECT w.key, w.reason, w.success, '', '[]', '', '', NULL FROM waiting w JOIN runs r ON r.key = w.key"
        " WHERE w.workspace = ? ORDER BY r.sequence"
    )
    return [_waits(row) for row in transaction.all(sql, (transaction.workspace,))]


def get(transaction: Transaction, run: str) -> WaitingRun | None:
    """Why a run stays new, if it does."""
    sql = f"SELECT key, reason, success, text, hints, label, embedder, NULL FROM waiting WHERE key = ? AND {OWN}"
    rows = transaction.all(sql, (key_of(run), transaction.workspace))
    return _waits(rows[0]) if rows else None


def which_wait(transaction: Transaction, runs: Sequence[str]) -> set[str]:
    """Those of some runs that wait; one that changed or went away does not any more."""
    found: set[str] = set()
    for part in in_parts(runs):
        sql = f"SELECT key FROM waiting WHERE key IN ({', '.join('?' * len(part))}) AND {OWN}"
        rows = transaction.all(sql, (*map(key_of, part), transaction.workspace))
        found.update(id_of(str(row[0])) for row in rows)
    return found


def drop(transaction: Transaction, keys: Sequence[str]) -> None:
    """Forget that these were looked at."""
    for part in in_parts(keys):
        sql = f"DELETE FROM waiting WHERE key IN ({', '.join('?' * len(part))}) AND {OWN}"
        transaction.all(sql, (*part, transaction.workspace))


def forget(transaction: Transaction) -> None:
    """Forget every look: all new runs are looked at again."""
    transaction.all("DELETE FROM waiting WHERE workspace = ?", (transaction.workspace,))


def _bit(value: bool | None) -> int | None:  # noqa: FBT001
    return None if value is None else int(value)


def _values(waits: WaitingRun) -> tuple[Value, ...]:
    """All but whose it is, in the order of PUT."""
    went = _bit(waits.success)
    return waits.reason, went, waits.text, json.dumps(waits.hints), waits.label, waits.embedder, waits.vector


def _waits(row: Row) -> WaitingRun:
    key, reason, success, text, hints, label, embedder, vector = row
    return WaitingRun(
        run=id_of(str(key)),
        reason=str(reason),
        success=None if success is None else bool(success),
        text=str(text),
        hints=tuple(json.loads(str(hints))),
        label=str(label),
        embedder=str(embedder),
        vector=bytes(cast("bytes", vector or b"")),
    )
