"""A connection to PostgreSQL that is cut right before or right after COMMIT: the same again makes it exactly once."""

from __future__ import annotations

import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from metier.errors import UnreachableError
from metier.store.tables import audit
from metier.types import Run
from metier.types.audit import AuditEntry
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.xdist_group("postgresql")


class Cutter:
    """Stands between a client and the server's socket, and cuts at the N-th COMMIT: before it, or before its answer."""

    def __init__(self, folder: Path, server: Path) -> None:
        self.server, self.when, self.at, self.seen = server, "", 0, 0
        self.muted = threading.Event()
        self.sockets: list[socket.socket] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / ".s.PGSQL.5432"))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, when: str, at: int) -> None:
        self.when, self.at, self.seen = when, at, 0
        self.muted.clear()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                self.muted.clear()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self.server))
                self.sockets += [client, server]
                for pair in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_client: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                commits = is_client and b"COMMIT" in data
                self.seen += commits
                if commits and self.when == "before" and self.seen == self.at:
                    break
                if not is_client and self.muted.is_set():
                    break  # the server has committed: this is its answer, which nobody gets
                if commits and self.when == "after" and self.seen == self.at:
                    self.muted.set()
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def cutter(new_postgres: str) -> Iterator[Cutter]:
    folder = Path(tempfile.mkdtemp(prefix="cut-"))  # the name of a socket is short
    host = parse_qs(urlsplit(new_postgres).query)["host"][0]
    made = Cutter(folder, next(Path(host).glob(".s.PGSQL.*[0-9]")))
    yield made
    for one in (made.listener, *made.sockets):
        one.close()
    (folder / ".s.PGSQL.5432").unlink()
    folder.rmdir()


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_is_there_once_wherever_the_connection_is_cut(
    cutter: Cutter, new_postgres: str, tmp_path: Path, when: str
) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    socket_folder = Path(cutter.listener.getsockname()).parent
    url = f"postgresql://postgres@/postgres?host={socket_folder}"
    with Workspace.open(folder, flags={"store": url}) as ws:
        for at in range(1, 4):
            run = Run(message=f"number {at}", external_id=f"{when}-{at}", session="s")
            cutter.arm(when, at)
            for _ in range(4):  # whoever gets no acknowledgement delivers again
                if ws.finish(run).how in ("new", "duplicate", "updated"):
                    break
            cutter.arm("", 0)
    with Workspace.open(folder, flags={"store": new_postgres}) as ws:
        assert sorted(record.run.external_id or "" for record in ws.runs()) == [f"{when}-{at}" for at in range(1, 4)]


def test_a_commit_whose_answer_is_lost_counts_and_one_that_never_arrived_does_not(
    cutter: Cutter, new_postgres: str, tmp_path: Path
) -> None:
    url = f"postgresql://postgres@/postgres?host={Path(cutter.listener.getsockname()).parent}"
    folder = tmp_path / "p"
    folder.mkdir()
    with Workspace.open(folder, flags={"store": url}) as ws:
        entry = AuditEntry(happened="2026-01-05T12:00:00Z", actor="ada", action="try", subject="the wire")
        cutter.arm("after", 1)
        with ws.context.store.write() as transaction:  # the connection is lost, and nobody has to do it again
            audit.add(transaction, entry)
        cutter.arm("before", 1)
        with pytest.raises(UnreachableError, match="Run the same again"), ws.context.store.write() as transaction:
            audit.add(transaction, entry)
        cutter.arm("", 0)
        with ws.context.store.read() as transaction:
            assert [one.action for one in audit.list_all(transaction)] == ["try"]
