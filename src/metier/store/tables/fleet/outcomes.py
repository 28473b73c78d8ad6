"""What came of attempts at jobs, by workspace: the text of a failure, or what was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.store.engines.engine import Row, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOutcome:
    """How one attempt at a job ended."""

    job: int
    attempt: int
    kind: str
    worker: str
    """Machine and process."""
    ended: str
    ok: bool
    text: str


def put(transaction: Transaction, outcome: JobOutcome) -> None:
    """Keep how an attempt ended; the last word about it counts."""
    transaction.all(
        "INSERT INTO job_outcomes (workspace, job, attempt, kind, worker, ended, ok, text)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace, job, attempt) DO UPDATE SET"
        " worker = excluded.worker, ended = excluded.ended, ok = excluded.ok, text = excluded.text",
        (
            *(transaction.workspace, outcome.job, outcome.attempt, outcome.kind, outcome.worker),
            *(outcome.ended, int(outcome.ok), outcome.text),
        ),
    )


def list_newest(transaction: Transaction, limit: int) -> list[JobOutcome]:
    """How the newest attempts of this workspace ended, the newest first."""
    sql = (
        "SELECT job, attempt, kind, worker, ended, ok, text FROM job_outcomes WHERE workspace = ?"
        " ORDER BY ended DESC, job DESC, attempt DESC LIMIT ?"
    )
    return [_outcome(row) for row in transaction.all(sql, (transaction.workspace, limit))]


def of_job(transaction: Transaction, job: int) -> list[JobOutcome]:
    """How the attempts at a job of this workspace ended, the newest last."""
    sql = (
        "SELECT job, attempt, kind, worker, ended, ok, text FROM job_outcomes WHERE workspace = ? AND job = ?"
        " ORDER BY attempt"
    )
    return [_outcome(row) for row in transaction.all(sql, (transaction.workspace, job))]


def _outcome(row: Row) -> JobOutcome:
    return JobOutcome(
        job=int(str(row[0])),
        attempt=int(str(row[1])),
        kind=str(row[2]),
        worker=str(row[3]),
        ended=str(row[4]),
        ok=bool(row[5]),
        text=str(row[6]),
    )
