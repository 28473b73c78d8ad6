"""A worker of one job engine, as `fleet_engines.py` starts, stops, pauses and kills it.

    python benchmarks/fleet/worker.py ENGINE URL HEARTBEAT

Every job writes a line when it begins and when it ends, on a connection of its own: what really ran is known whatever
the engine believes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import time
from contextlib import suppress
from datetime import timedelta
from typing import Any

import psycopg

SLOTS = 4
"""Jobs that one worker does at a time."""


def work(url: str, job: int, seconds: float, *, fails: bool) -> None:
    """What a job does: note that it begins, take its time, note that it is done."""
    with psycopg.connect(url, autocommit=True) as note:
        note.execute("INSERT INTO trace (job, worker, what) VALUES (%s, %s, 'begin')", (job, os.getpid()))
    time.sleep(seconds)
    if fails:
        raise RuntimeError("this job always fails")
    with psycopg.connect(url, autocommit=True) as note:
        note.execute("INSERT INTO trace (job, worker, what) VALUES (%s, %s, 'end')", (job, os.getpid()))


async def pgqueuer_psycopg(url: str, heartbeat: float) -> None:
    """PgQueuer on psycopg, the driver that Metier uses."""
    from pgqueuer import PgQueuer

    connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
    await pgqueuer_worker(PgQueuer.from_psycopg_connection(connection), url, heartbeat)


async def pgqueuer_asyncpg(url: str, heartbeat: float) -> None:
    """PgQueuer on a pool of asyncpg."""
    import asyncpg
    from pgqueuer import PgQueuer

    async with asyncpg.create_pool(url, min_size=1, max_size=4) as pool:
        await pgqueuer_worker(PgQueuer.from_asyncpg_pool(pool), url, heartbeat)


async def pgqueuer_worker(queue: Any, url: str, heartbeat: float) -> None:
    """PgQueuer: it takes over the jobs of a silent worker by itself."""
    from pgqueuer.core.executors import DatabaseRetryEntrypointExecutor

    def retrying(parameters: object) -> DatabaseRetryEntrypointExecutor:
        return DatabaseRetryEntrypointExecutor(
            parameters=parameters,  # type: ignore[arg-type]
            max_attempts=2,
            initial_delay=timedelta(seconds=0.1),
        )

    @queue.entrypoint("threaded", on_failure="hold", executor_factory=retrying)
    async def threaded(job: object) -> None:
        given = json.loads(job.payload)  # type: ignore[attr-defined]
        await asyncio.to_thread(work, url, given["job"], given["seconds"], fails=given["fails"])

    @queue.entrypoint("blocking", on_failure="hold")
    async def blocking(job: object) -> None:
        given = json.loads(job.payload)  # type: ignore[attr-defined]
        work(url, given["job"], given["seconds"], fails=given["fails"])

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, queue.shutdown.set)
    await queue.run(
        batch_size=SLOTS // 2,
        max_concurrent_tasks=SLOTS,
        dequeue_timeout=timedelta(seconds=heartbeat / 2),
        heartbeat_timeout=timedelta(seconds=heartbeat),
    )


async def procrastinate_worker(url: str, heartbeat: float) -> None:
    """procrastinate: the jobs of a silent worker must be looked for; every worker does."""
    import procrastinate

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url, min_size=1, max_size=4))

    @app.task(name="threaded", queue="q", retry=procrastinate.RetryStrategy(max_attempts=2))
    def threaded(job: int, seconds: float, fails: bool) -> None:  # noqa: FBT001
        work(url, job, seconds, fails=fails)

    @app.task(name="blocking", queue="q")
    async def blocking(job: int, seconds: float, fails: bool) -> None:  # noqa: FBT001
        work(url, job, seconds, fails=fails)

    async def sweep() -> None:
        while True:
            await asyncio.sleep(heartbeat / 2)
            with suppress(procrastinate.exceptions.ConnectorException):
                for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=heartbeat):
                    with suppress(procrastinate.exceptions.ConnectorException):  # another worker was first
                        await app.job_manager.retry_job(job)

    async with app.open_async():
        sweeping = asyncio.create_task(sweep())
        try:
            await app.run_worker_async(
                queues=["q"],
                concurrency=SLOTS,
                fetch_job_polling_interval=heartbeat / 2,
                update_heartbeat_interval=heartbeat / 4,
                stalled_worker_timeout=heartbeat * 10,
            )
        finally:
            sweeping.cancel()


ENGINES = {
    "pgqueuer": pgqueuer_psycopg,
    "pgqueuer+asyncpg": pgqueuer_asyncpg,
    "procrastinate": procrastinate_worker,
}


def main() -> None:
    if len(sys.argv) < 4:
        print(__doc__)
        return
    engine, url, heartbeat = sys.argv[1], sys.argv[2], float(sys.argv[3])
    logging.disable(logging.CRITICAL)
    asyncio.run(ENGINES[engine](url, heartbeat))


if __name__ == "__main__":
    main()
