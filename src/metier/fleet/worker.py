"""A worker: does the jobs of its workspaces until it is closed, and tells what happens as a stream of events."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Event as Flag
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, cast

import psycopg
from procrastinate import exceptions
from procrastinate.worker import Worker as EngineWorker
from psycopg_pool import PoolTimeout

from metier.errors import BusyError, ConfigError, LostJobError, MetierError, StoreError, UnreachableError
from metier.events import Began, Ended, Noted
from metier.fleet.engine import Patience, keep_taking_over, open_app, take_over
from metier.fleet.kinds import MANY
from metier.fleet.queue import check_store, install
from metier.store.engines.fenced import FencedEngine
from metier.store.tables.fleet import outcomes
from metier.store.tables.fleet.queue import JobAttempt, queue_of
from metier.store.tables.fleet.status import HEARTBEAT
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from procrastinate import App, JobContext

    from metier.events import Event
    from metier.fleet.kinds import Kind
    from metier.store.engines.postgres import PostgresEngine

AWAY = (exceptions.ConnectorException, psycopg.Error, PoolTimeout, OSError)
"""What says that the server is away, or was for a moment."""
PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds before the server is tried again, growing to the last."""
STAGE = "worker"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerEvent:
    """Something happened in a worker."""

    workspace: str
    """Empty: it is about the worker itself."""
    job: int
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPace:
    """How a worker works."""

    slots: int = 4
    """Jobs at a time."""
    heartbeat: float = HEARTBEAT
    """Seconds of silence after which a worker counts as dead; the same for all workers of a store."""
    once: bool = False
    """Whether it ends when no job waits."""


class FleetWorker:
    """Works until it is closed; iterate over `events()` in one thread, close it from anywhere."""

    def __init__(
        self, workspaces: Sequence[Workspace], kinds: Mapping[str, Kind], pace: WorkerPace | None = None
    ) -> None:
        self._url = common_store(workspaces)
        self._workspaces = {queue_of(ws.name): ws for ws in workspaces}
        self._pace = pace or WorkerPace()
        self._kinds = kinds
        self._told: SimpleQueue[WorkerEvent | Literal["ended"]] = SimpleQueue()
        self._closing = Flag()
        self._engine: EngineWorker | None = None
        self._failure: BaseException | None = None
        self.name = f"{socket.gethostname()}:{os.getpid()}"

    @property
    def closed(self) -> bool:
        """Whether somebody has closed it."""
        return self._closing.is_set()

    def close(self) -> None:
        """Begin nothing more; what is under way is ended."""
        self._closing.set()
        if self._engine is not None:
            self._engine.stop()

    def events(self) -> Iterator[WorkerEvent]:
        """What happens, until the worker is closed and its last job has ended."""
        thread = Thread(target=self._work, name=STAGE, daemon=True)
        thread.start()
        while (told := self._told.get()) != "ended":
            yield told
        thread.join()
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - raised again where the events are read
            self._failure = error
        self._told.put("ended")

    async def _serve(self) -> None:
        """Work, and begin again when the server was away."""
        tries = 0
        while not self._closing.is_set():
            try:
                await self._session()
            except AWAY as error:
                pause = PAUSES[min(tries, len(PAUSES) - 1)]
                text = f"The server is away ({_line(error)}). The next try is in {pause:.0f} s."
                self._tell(Noted(stage=STAGE, text=text, level="warning"))
                tries += 1
                await asyncio.to_thread(self._closing.wait, pause)
            else:
                if self._pace.once:
                    return
                tries = 0

    async def _session(self) -> None:
        app = self._app()
        async with app.open_async():
            await take_over(app, self._pace.heartbeat)
            sweeping = asyncio.create_task(keep_taking_over(app, self._pace.heartbeat))
            self._engine = engine = self._engine_worker(app)
            try:
                if not self._closing.is_set():
                    await engine.run()
            finally:
                self._engine = None
                sweeping.cancel()
                with suppress(asyncio.CancelledError):
                    await sweeping

    def _engine_worker(self, app: App) -> EngineWorker:
        heartbeat = self._pace.heartbeat
        return EngineWorker(
            app,
            queues=list(self._workspaces),
            concurrency=self._pace.slots,
            wait=not self._pace.once,
            fetch_job_polling_interval=min(5.0, heartbeat / 2),
            delete_jobs="successful",
            install_signal_handlers=False,
            update_heartbeat_interval=heartbeat / 3,
            stalled_worker_timeout=heartbeat * 10,
        )

    def _app(self) -> App:
        app = open_app(self._url)
        for kind in self._kinds:
            app.task(name=kind, pass_context=True, retry=Patience())(self._do)
        return app

    def _do(self, context: JobContext, **given: Any) -> None:
        """One attempt at a job, in a thread of the engine."""
        job = context.job
        ws = self._workspaces[job.queue]
        attempt = JobAttempt(job.id or 0, job.attempts)
        tell = WorkerEvent(workspace=ws.name, job=attempt.job, event=Began(stage=job.task_name))
        self._told.put(tell)
        with closing(_fenced(ws, attempt)) as own:
            try:
                text = self._kinds[job.task_name](own, given)
                if job.task_name not in MANY:
                    self._keep(own, attempt, job.task_name, text, ok=True)
            except (LostJobError, BusyError, UnreachableError) as error:
                self._told.put(replace(tell, event=Noted(stage=job.task_name, text=_line(error), level="warning")))
                raise
            except Exception as error:
                text = own.context.redact(_line(error))
                self._told.put(replace(tell, event=Noted(stage=job.task_name, text=text, level="error")))
                with suppress(StoreError):  # the job's next attempt says it again
                    self._keep(own, attempt, job.task_name, text, ok=False)
                raise
        self._told.put(replace(tell, event=Ended(stage=job.task_name, text=text)))

    def _keep(self, ws: Workspace, attempt: JobAttempt, kind: str, text: str, *, ok: bool) -> None:
        outcome = outcomes.JobOutcome(
            job=attempt.job,
            attempt=attempt.number,
            kind=kind,
            worker=self.name,
            ended=ws.context.now(),
            ok=ok,
            text=text,
        )
        with ws.context.store.write() as transaction:
            outcomes.put(transaction, outcome)

    def _tell(self, event: Event) -> None:
        self._told.put(WorkerEvent(workspace="", job=0, event=event))


def common_store(workspaces: Sequence[Workspace]) -> str:
    """The address of the store that all of them share, with the engine's tables in it."""
    for ws in workspaces:
        check_store(ws.context)
    addresses = {ws.config.store for ws in workspaces}
    if len(addresses) != 1:
        raise ConfigError("These workspaces have different stores. Start a worker for each store.")
    install(workspaces[0].context)
    return addresses.pop()


def _fenced(ws: Workspace, attempt: JobAttempt) -> Workspace:
    """A workspace for one attempt at a job: it writes only as long as the attempt has the job."""
    store = FencedEngine(cast("PostgresEngine", ws.context.store), attempt)
    return Workspace(context=replace(ws.context, store=store))


def _line(error: BaseException) -> str:
    """What went wrong, in one line."""
    text = " ".join(str(error).split())
    return text if isinstance(error, MetierError) and text else f"{type(error).__name__}: {text}".rstrip(": ")
