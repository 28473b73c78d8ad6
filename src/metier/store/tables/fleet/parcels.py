"""What jobs need, under its hash, and what they give back, under their key: the way between who asks and who works."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.store.engines.engine import Transaction


def put_inputs(transaction: Transaction, inputs: Mapping[str, bytes], now: str) -> None:
    """Keep inputs under their hashes; one that is there is as new again."""
    transaction.many(
        "INSERT INTO job_inputs (workspace, hash, stored, body) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (workspace, hash) DO UPDATE SET stored = excluded.stored",
        [(transaction.workspace, name, now, body) for name, body in inputs.items()],
    )


def get_input(transaction: Transaction, name: str) -> bytes | None:
    """The input of a hash, if it is there."""
    sql = "SELECT body FROM job_inputs WHERE workspace = ? AND hash = ?"
    rows = transaction.all(sql, (transaction.workspace, name))
    return bytes(cast("bytes", rows[0][0])) if rows else None


def put_result(transaction: Transaction, job: str, body: str, now: str) -> None:
    """Keep what a job gives back; the last word counts."""
    transaction.all(
        "INSERT INTO job_results (workspace, job, stored, body) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (workspace, job) DO UPDATE SET stored = excluded.stored, body = excluded.body",
        (transaction.workspace, job, now, body),
    )


def get_results(transaction: Transaction, jobs: Sequence[str]) -> dict[str, str]:
    """What these jobs gave back so far."""
    if not jobs:
        return {}
    marks = ", ".join("?" * len(jobs))
    sql = f"SELECT job, body FROM job_results WHERE workspace = ? AND job IN ({marks})"
    return {str(job): str(body) for job, body in transaction.all(sql, (transaction.workspace, *jobs))}


def drop_results(transaction: Transaction, jobs: Sequence[str]) -> None:
    """Forget what these jobs gave back."""
    sql = "DELETE FROM job_results WHERE workspace = ? AND job = ?"
    transaction.many(sql, [(transaction.workspace, job) for job in jobs])


def drop_old(transaction: Transaction, before: str) -> None:
    """Forget inputs and results that are older."""
    for table in ("job_inputs", "job_results"):
        transaction.all(f"DELETE FROM {table} WHERE workspace = ? AND stored < ?", (transaction.workspace, before))
