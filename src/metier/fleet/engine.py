"""procrastinate as Metier uses it: only the word of the attempt that has a job counts, and dead workers are noticed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from procrastinate import App, PsycopgConnector, exceptions
from procrastinate.jobs import Status
from procrastinate.manager import JobManager
from procrastinate.retry import BaseRetryStrategy, RetryDecision
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from metier.errors import BusyError, LostJobError, RefusedError, UnreachableError
from metier.store.tables.fleet.queue import FINISH, RETRY

if TYPE_CHECKING:
    from datetime import datetime
    from typing import LiteralString

    from procrastinate.jobs import Job

TRIES = 3
"""How often a job is tried that fails by itself."""
PAUSE = 5
"""Seconds before a job is tried again; doubled for each further try."""
SOON = 1
"""The same for one that a worker refused: another one may do it."""
LONGEST = 60
"""The longest pause."""
LOST = (0.1, 0.5, 2.0, 5.0, 10.0)
"""Seconds before a change of a job's state is tried again whose connection was lost."""
PASSING = 20
"""How often a job is tried that only found something busy or away, or whose worker died."""


class FencedJobManager(JobManager):
    """Ends a job, or hands it out again, for the attempt that has it now and for no other."""

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:  # noqa: FBT001 - procrastinate's
        """End a job."""
        await self._change(FINISH, job, status=status.value, delete_job=delete_job)

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """Hand a job out again."""
        await self._change(RETRY, job, retry_at=retry_at, priority=priority, queue=queue, lock=lock)

    async def _change(self, sql: str, job: Job, **words: object) -> None:
        """Change a job's state; a connection that is lost just then must not leave it under way for ever."""
        query = cast("LiteralString", sql)
        for pause in (*LOST, None):
            try:
                await self.connector.execute_query_async(query, job_id=job.id, attempts=job.attempts, **words)
            except exceptions.ConnectorException:
                if pause is None:
                    raise
                await asyncio.sleep(pause)  # to say it twice changes nothing: only the attempt that has the job counts
            else:
                return


class Patience(BaseRetryStrategy):
    """Again after a pause: a few times for what fails, often for what passes, never for a job that was taken over."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When to try again, if at all."""
        if isinstance(exception, LostJobError):
            return None
        most = PASSING if isinstance(exception, BusyError | UnreachableError) else TRIES
        if job.attempts + 1 >= most:
            return None
        pause = SOON if isinstance(exception, RefusedError) else PAUSE
        return RetryDecision(retry_in={"seconds": min(LONGEST, pause * 2**job.attempts)})


def open_app(url: str) -> App:
    """The engine on a store's address; its tables are in the store's schema."""
    given = conninfo_to_dict(url)
    options = f"{given.get('options') or ''} -c search_path=metier".strip()
    conninfo = make_conninfo(url, options=options, connect_timeout=10)
    app = App(connector=PsycopgConnector(conninfo=conninfo, min_size=1, max_size=4, timeout=15.0))
    app.job_manager = FencedJobManager(app.connector)
    return app


async def take_over(app: App, heartbeat: float) -> int:
    """Hand out again what workers had that were silent for so many seconds; says how many jobs."""
    stalled = list(await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=heartbeat))
    for job in stalled:
        if job.attempts + 1 < PASSING:
            await app.job_manager.retry_job(job)
        else:
            await app.job_manager.finish_job(job, Status.FAILED, delete_job=False)
    return len(stalled)


async def keep_taking_over(app: App, heartbeat: float) -> None:
    """The same, again and again; a lost connection is for the next time."""
    while True:
        await asyncio.sleep(heartbeat / 2)
        with suppress(exceptions.ConnectorException):
            await take_over(app, heartbeat)
