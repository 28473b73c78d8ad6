"""Verdicts: one per run, stored once; a person's replaces any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.types import Verdict

if TYPE_CHECKING:
    from tacit.store.engine import Transaction

COLUMNS = "run, success, reason, judge, prompt_hash, decided"


def put(transaction: Transaction, verdict: Verdict) -> None:
    """Store a verdict; the first stays, unless a person speaks."""
    if verdict.judge == "person":
        transaction.all("DELETE FROM verdicts WHERE run = ?", (verdict.run,))
    success = None if verdict.success is None else int(verdict.success)
    transaction.all(
        f"INSERT INTO verdicts ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run) DO NOTHING",
        (verdict.run, success, verdict.reason, verdict.judge, verdict.prompt_hash, verdict.decided),
    )


def get(transaction: Transaction, run: str) -> Verdict | None:
    """The verdict on a run, if there is one."""
    rows = transaction.all(f"SELECT {COLUMNS} FROM verdicts WHERE run = ?", (run,))
    if not rows:
        return None
    key, success, reason, judge, prompt_hash, decided = rows[0]
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
