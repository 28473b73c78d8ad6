"""Workers of a fleet that are killed, paused, cut off: every job is done, and a sleeper that wakes up writes nothing.

The jobs here count how often they kept something, which real ones do not: those are kept under the hash of what
determines them. A worker that ends between keeping a result and saying so lets its job be done once more.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from metier.fleet.jobs import Job
from metier.fleet.queue import QueuedJobs
from metier.store.tables import meta
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.xdist_group("postgresql"), pytest.mark.slow]
WORKER = Path(__file__).with_name("fleet_worker.py")
PATIENCE = 60.0


class Crew:
    """A workspace with jobs, and workers in processes of their own."""

    def __init__(self, ws: Workspace, url: str) -> None:
        self.ws, self.url = ws, url
        self.jobs = QueuedJobs(ws.context)
        self.workers: list[subprocess.Popen[bytes]] = []

    def put(self, count: int) -> None:
        self.jobs.put([Job(kind="count", key=str(number), given={"number": number}) for number in range(count)])

    def start(self, seconds: float) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(WORKER), str(self.ws.root), str(seconds)]
        environ = {**os.environ, "METIER_STORE": self.url}
        self.workers.append(subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL))
        return self.workers[-1]

    def facts(self, word: str, count: int) -> list[int]:
        with self.ws.context.store.read() as transaction:
            return [int(meta.get(transaction, f"{word} {number}", "0")) for number in range(count)]

    def wait(self, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not ready():
            assert time.monotonic() < deadline, self.jobs.status()
            time.sleep(0.05)

    def is_done(self) -> bool:
        found = self.jobs.status()
        return not (found.waiting or found.running or found.failed)


@pytest.fixture
def crew(new_postgres: str, tmp_path: Path) -> Iterator[Crew]:
    (tmp_path / "shop").mkdir()
    with Workspace.open(tmp_path / "shop", flags={"store": new_postgres}) as ws:
        made = Crew(ws, new_postgres)
        yield made
        for worker in made.workers:
            worker.send_signal(signal.SIGCONT)
            worker.kill()
            worker.wait(10)


def test_jobs_of_killed_workers_are_taken_over(crew: Crew) -> None:
    crew.put(24)
    for _ in range(2):
        dying = crew.start(0.5)
        crew.wait(lambda: crew.jobs.status().running != ())
        time.sleep(0.3)
        dying.kill()
    crew.start(0.1)
    crew.wait(crew.is_done)
    assert min(crew.facts("kept", 24)) == 1
    assert max(crew.facts("begun", 24)) > 1  # some were begun by the dead, and kept by the living


def test_a_paused_worker_that_wakes_up_keeps_nothing_of_what_others_took_over(crew: Crew) -> None:
    crew.put(8)
    sleeper = crew.start(1.0)
    crew.wait(lambda: sum(crew.facts("begun", 8)) >= 4)
    sleeper.send_signal(signal.SIGSTOP)
    crew.start(0.1)
    crew.wait(lambda: sum(crew.facts("kept", 8)) >= 7)
    sleeper.send_signal(signal.SIGCONT)
    crew.wait(crew.is_done)
    time.sleep(2.0)  # what the sleeper had begun has ended by now
    assert crew.facts("kept", 8) == [1] * 8
    assert crew.jobs.status().failed == ()
    assert sleeper.poll() is None  # it goes on with other jobs


def test_workers_whose_connections_are_cut_go_on(crew: Crew) -> None:
    crew.put(30)
    crew.start(0.2)
    crew.start(0.2)
    crew.wait(lambda: crew.jobs.status().workers > 1)  # one that is cut off while it starts ends at once
    for _ in range(3):
        crew.wait(lambda: crew.jobs.status().running != ())
        with crew.ws.context.store.read() as transaction:
            transaction.all(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        time.sleep(1.0)
    crew.wait(crew.is_done)
    assert min(crew.facts("kept", 30)) == 1
    assert [worker.poll() for worker in crew.workers] == [None, None]


def test_sigterm_ends_what_is_under_way_and_begins_no_other(crew: Crew) -> None:
    crew.put(12)
    worker = crew.start(1.0)
    crew.wait(lambda: sum(crew.facts("begun", 12)) >= 4)
    worker.terminate()
    assert worker.wait(20) == 0
    assert (sum(crew.facts("begun", 12)), sum(crew.facts("kept", 12))) == (4, 4)
    found = crew.jobs.status()
    assert (len(found.waiting), len(found.running), len(found.failed)) == (8, 0, 0)
