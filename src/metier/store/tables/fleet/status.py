"""How the jobs of a workspace stand: what waits, runs and failed, and who works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.store.tables.fleet import outcomes, queue

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction
    from metier.store.tables.fleet.outcomes import JobOutcome
    from metier.store.tables.fleet.queue import QueueRow

HEARTBEAT = 30.0
"""Seconds of silence after which a worker counts as dead."""
NEWEST = 20
"""Outcomes that are shown."""
SILENT = "nothing was said: its workers died, or were held up too often"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRow:
    """A worker of the store, for any workspace."""

    number: int
    silent: float
    """Seconds since it was heard of."""
    jobs: int
    """Jobs of this workspace that it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetStatus:
    """How the jobs of a workspace stand."""

    workers: int
    """Workers of this store that were heard of lately."""
    waiting: tuple[QueueRow, ...] = ()
    running: tuple[QueueRow, ...] = ()
    failed: tuple[QueueRow, ...] = ()
    """Tried as often as they may be; they wait for a person."""
    outcomes: tuple[JobOutcome, ...] = ()
    """How the newest attempts ended."""

    def reason(self, job: int) -> str:
        """Why a job failed, as its last attempt said."""
        return next((one.text for one in self.outcomes if one.job == job and not one.ok), SILENT)


def read_status(transaction: Transaction) -> FleetStatus:
    """How this workspace's jobs stand; a store without the engine's tables has none."""
    if not queue.is_installed(transaction):
        return FleetStatus(workers=0)
    rows = queue.list_open(transaction)
    failed = tuple(row for row in rows if row.state == "failed")
    newest = outcomes.list_newest(transaction, NEWEST)
    known = {one.job for one in newest}
    older = [one for row in failed if row.job not in known for one in outcomes.of_job(transaction, row.job)[-1:]]
    return FleetStatus(
        workers=queue.workers_alive(transaction, HEARTBEAT),
        waiting=tuple(row for row in rows if row.state == "todo"),
        running=tuple(row for row in rows if row.state == "doing"),
        failed=failed,
        outcomes=(*newest, *older),
    )


def list_workers(transaction: Transaction) -> list[WorkerRow]:
    """The workers of this store that were heard of lately, those first that were heard of last."""
    sql = (
        "SELECT w.id, extract(epoch FROM now() - w.last_heartbeat)::double precision, count(j.id)"
        " FROM procrastinate_workers w LEFT JOIN procrastinate_jobs j"
        " ON j.worker_id = w.id AND j.status = 'doing' AND j.queue_name = ?"
        " WHERE w.last_heartbeat > now() - make_interval(secs => ?) GROUP BY w.id, w.last_heartbeat ORDER BY 2, 1"
    )
    found = transaction.all(sql, (queue.queue_of(transaction.workspace), HEARTBEAT))
    return [
        WorkerRow(number=int(str(number)), silent=max(0.0, float(str(silent))), jobs=int(str(jobs)))
        for number, silent, jobs in found
    ]
