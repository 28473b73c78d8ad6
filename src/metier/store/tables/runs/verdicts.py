"""Verdicts: one per run, stored once; a person's replaces any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.store.tables.run_keys import in_parts
from metier.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Row, Transaction, Value

COLUMNS = "run, success, reason, judge, prompt_hash, decided"


def put(transaction: Transaction, verdict: Verdict) -> None:
    """Store a verdict; the first stays, unless a person speaks."""
    if verdict.judge == "person":
        transaction.all("DELETE FROM verdicts WHERE run = ?", (verdict.run,))
    put_all(transaction, [verdict])


def put_all(transaction: Transaction, found: Sequence[Verdict]) -> None:
    """Store verdicts of judges; one that is there already stays."""
    transaction.many(
        f"INSERT INTO verdicts ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run) DO NOTHING",
        [_row(one) for one in found],
    )


def get(transaction: Transaction, run: str) -> Verdict | None:
    """The verdict on a run, if there is one."""
    rows = transaction.all(f"SELECT {COLUMNS} FROM verdicts WHERE run = ?", (run,))
    return _verdict(rows[0]) if rows else None


def get_many(transaction: Transaction, runs: Sequence[str]) -> dict[str, Verdict]:
    """The verdicts on some runs, by run."""
    found: dict[str, Verdict] = {}
    for part in in_parts(runs):
        sql = f"SELECT {COLUMNS} FROM verdicts WHERE run IN ({', '.join('?' * len(part))})"
        found.update((one.run, one) for one in map(_verdict, transaction.all(sql, part)))
    return found


def _row(verdict: Verdict) -> tuple[Value, ...]:
    success = None if verdict.success is None else int(verdict.success)
    return verdict.run, success, verdict.reason, verdict.judge, verdict.prompt_hash, verdict.decided


def _verdict(row: Row) -> Verdict:
    key, success, reason, judge, prompt_hash, decided = row
    return Verdict(
        run=str(key),
        success=None if success is None else bool(success),
        reason=str(reason),
        judge=str(judge),
        prompt_hash=str(prompt_hash),
        decided=str(decided),
    )


def clear(transaction: Transaction, run: str) -> None:
    """Forget the verdict on a run."""
    transaction.all("DELETE FROM verdicts WHERE run = ?", (run,))
