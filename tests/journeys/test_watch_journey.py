"""`metier watch` as a person or systemd runs it: a real process, runs recorded by other processes, real signals."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import forked
import pytest
from allowing import allow
from states import state_of
from waiting import join, line_of

from metier.formats.run_json import parse_run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

METIER = str(Path(sys.executable).with_name("metier"))
PATIENCE = 60.0
TASKS = ("fix the flaky login test", "the flaky login test needs a fix", "please fix the login test, it is flaky")


def runs(start: int, count: int) -> str:
    """Successful runs of one kind of work, a line each."""
    lines = [
        {
            "id": f"r{number}", "session": f"s{number}", "status": "completed", "message": TASKS[number % len(TASKS)],
            "output": "The login test waits for the cookie now and passes.",
            "tools": [
                {"name": "Bash", "ok": True, "input": "pytest tests/test_login.py -x"},
                {"name": "Edit", "ok": True, "input": "tests/test_login.py"},
                {"name": "Bash", "ok": True, "input": "pytest tests/test_login.py"},
            ],
        }
        for number in range(start, start + count)
    ]  # fmt: skip
    return "\n".join(map(json.dumps, lines))


def record(folder: Path, count: int) -> None:
    """The same, recorded in this process: quicker than one of its own."""
    with Workspace.open(folder) as ws:
        ws.deliver([parse_run(json.loads(line)) for line in runs(0, count).splitlines()])


def metier(folder: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return forked.metier(*words, cwd=folder, given=stdin)


def rows(folder: Path, *words: str) -> list[dict[str, object]]:
    done = metier(folder, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Watching:
    """A `metier watch --json` and what it has said so far."""

    def __init__(self, folder: Path, *words: str) -> None:
        command = [METIER, "watch", "--json", *words]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.events: list[dict[str, object]] = []
        self._reader = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(60)
        join([self._reader])
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def end(self, number: int) -> tuple[int, float, str]:
        """Send a signal; the exit code, how long the end took, and what it said on stderr."""
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        assert self.process.stderr is not None
        return code, time.monotonic() - began, self.process.stderr.read()

    def passes(self) -> list[str]:
        return [str(one["text"]) for one in list(self.events) if (one["event"], one["stage"]) == ("ended", "pass")]

    def notes(self) -> list[str]:
        return [str(one["text"]) for one in list(self.events) if (one["event"], one["stage"]) == ("noted", "watch")]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(json.loads(line))


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A model that takes every request and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("METIER_MODEL", "openai:silent")
        monkeypatch.setenv("METIER_MODEL_URL", f"http://127.0.0.1:{server.getsockname()[1]}/v1")
        monkeypatch.setenv("METIER_MODEL_KEY", "none")
        yield server


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A workspace that learns after runs."""
    folder = tmp_path / "shop"
    folder.mkdir()
    Workspace.open(folder).close()
    (state_of(folder) / "metier.toml").write_text('mode = "draft"\n')
    return folder


@pytest.fixture
def asking(shop: Path, silent: socket.socket) -> Path:
    """The same, with a yes to the model that never answers."""
    with Workspace.open(shop) as ws:
        allow(ws)
    return shop


def test_a_watch_learns_once_from_a_burst_and_ends_cleanly(shop: Path) -> None:
    with Watching(shop) as watching:
        until(watching.notes)
        assert metier(shop, "record", stdin=runs(0, 4)).returncode == 0
        until(watching.passes)
        time.sleep(2.5)  # a second pass would have begun by now
        code, took, said = watching.end(signal.SIGTERM)
    assert (code, said.count("\n")) == (0, 1)
    assert said.startswith("Stopped.")
    assert took < 5
    assert len(watching.passes()) == 1
    assert watching.passes()[0].startswith("4 new runs -> 1 draft (metier drafts list)")
    assert [draft["status"] for draft in rows(shop, "drafts", "list")] == ["candidate"]
    assert [row["why"] for row in rows(shop, "watch", "--check")] == ["waits for the next run"]


def test_what_is_due_is_said_without_doing_it(shop: Path) -> None:
    record(shop, 2)
    assert [(row["when"], row["why"]) for row in rows(shop, "watch", "--check")] == [("now", "2 new runs")]
    done = metier(shop, "--set", "mode=observe", "watch", "--check")
    assert "never" in done.stdout
    assert "To learn: set mode" in done.stderr


def test_once_is_for_cron(shop: Path) -> None:
    record(shop, 3)
    done = metier(shop, "watch", "--once")
    assert done.returncode == 0
    assert "shop: 3 new runs -> 1 draft" in done.stderr
    assert done.stdout == ""
    assert "Stopped" not in done.stderr


def test_a_folder_without_a_workspace_is_refused_with_what_to_do(tmp_path: Path) -> None:
    done = metier(tmp_path, "watch")
    assert done.returncode == 2
    assert "metier init" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_hangup_reads_the_settings_again_and_an_interrupt_ends(shop: Path) -> None:
    with Watching(shop) as watching:
        until(watching.notes)
        watching.process.send_signal(signal.SIGHUP)
        until(lambda: len(watching.notes()) == 2)
        code, took, _ = watching.end(signal.SIGINT)
    assert code == 0
    assert took < 5


def test_a_closed_pipe_ends_it_without_a_word(shop: Path) -> None:
    process = subprocess.Popen([METIER, "watch", "--json"], cwd=shop, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert line_of(process, process.stdout)
    process.stdout.close()
    process.send_signal(signal.SIGHUP)  # it has something to say
    with process.stderr:
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""


def test_a_terminal_that_is_closed_ends_it(shop: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen([METIER, "watch"], cwd=shop, stdin=follower, stderr=follower)
    os.close(follower)
    assert select.select([leader], [], [], PATIENCE)[0], "it said nothing"
    assert b"learns after runs" in os.read(leader, 4096)
    process.send_signal(signal.SIGHUP)
    assert process.wait(PATIENCE) == 0
    os.close(leader)


def test_a_second_signal_ends_even_a_pass_that_hangs_at_once(asking: Path, silent: socket.socket) -> None:
    record(asking, 2)
    with Watching(asking) as watching:
        silent.settimeout(PATIENCE)
        asked, _ = silent.accept()
        watching.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        assert watching.process.poll() is None
        code, took, _ = watching.end(signal.SIGTERM)
        asked.close()
    assert code == 128 + signal.SIGTERM
    assert took < 2


@pytest.mark.slow
def test_a_pass_that_hangs_is_left_behind_after_a_few_seconds(asking: Path, silent: socket.socket) -> None:
    record(asking, 2)
    with Watching(asking) as watching:
        silent.settimeout(PATIENCE)
        asked, _ = silent.accept()
        code, took, _ = watching.end(signal.SIGTERM)
        asked.close()
    assert code == 0
    assert took < 9
    assert watching.passes() == []
    assert [row["why"] for row in rows(asking, "watch", "--check")] == ["2 new runs"]
