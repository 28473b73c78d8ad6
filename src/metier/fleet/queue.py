"""The jobs of a workspace on PostgreSQL, handed out by procrastinate (`docs/design/012-fleet.md`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from metier.errors import ConfigError
from metier.store.tables.fleet import queue
from metier.store.tables.fleet.status import read_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.fleet.jobs import Job
    from metier.store.engines.engine import Transaction
    from metier.store.tables.fleet.status import FleetStatus


class QueuedJobs:
    """The jobs of one workspace in its store."""

    def __init__(self, ctx: Context) -> None:
        check_store(ctx)
        self._ctx = ctx
        install(ctx)

    def put(self, jobs: Sequence[Job]) -> int:
        """Hand jobs in, all or none; says how many are new."""
        with self._ctx.store.write() as transaction:
            return self.put_in(transaction, jobs)

    def put_in(self, transaction: Transaction, jobs: Sequence[Job]) -> int:
        """The same, together with whatever else a transaction writes."""
        waiting = queue.waiting_keys(transaction)
        fresh = {job.key: job for job in jobs if job.key not in waiting}
        queue.put(transaction, [self._row(job) for job in fresh.values()])
        return len(fresh)

    def status(self) -> FleetStatus:
        """How they stand."""
        with self._ctx.store.read() as transaction:
            return read_status(transaction)

    def retry(self, jobs: Sequence[int]) -> list[int]:
        """Hand failed jobs out again; says which they were."""
        with self._ctx.store.write() as transaction:
            return queue.retry_failed(transaction, jobs)

    def drop(self, jobs: Sequence[int]) -> list[int]:
        """Remove failed jobs; says which they were."""
        with self._ctx.store.write() as transaction:
            return queue.drop_failed(transaction, jobs)

    def _row(self, job: Job) -> tuple[str, int, str | None, str]:
        lock = f"{job.kind} {queue.queue_of(self._ctx.name)}" if job.alone else None
        return job.kind, job.priority, lock, json.dumps({**job.given, "key": job.key})


def check_store(ctx: Context) -> None:
    """Refuse a workspace that no other machine can see."""
    if not ctx.config.store:
        raise ConfigError(
            f"The workspace {ctx.root} keeps its store in a file, which no other machine can use. A fleet needs"
            " PostgreSQL: metier config set store postgresql://… (take along what is there: metier store copy)"
        )


def install(ctx: Context) -> None:
    """Make the engine's tables, if they are not there yet; of several who come first, one does."""
    with ctx.store.read() as transaction:
        if queue.is_installed(transaction):
            return
    statements = schema()
    with ctx.store.write() as transaction:
        if not queue.is_installed(transaction):
            transaction.all(statements)


def schema() -> str:
    """The engine's own statements for its tables."""
    try:
        from procrastinate.schema import SchemaManager
    except ImportError:
        raise ConfigError("The fleet's job engine is missing: pip install 'metier[fleet]'.") from None
    return SchemaManager.get_schema()
