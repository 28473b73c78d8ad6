"""One at a time: across threads and processes, gone with its holder, not inherited by its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from waiting import PATIENCE, fork, line_of, status_of

from metier.context.state_folder import exclusive_lock, file_of
from metier.errors import BusyError, UnreachableError
from metier.store.engines.exclusive import HELD, lock_by_file
from metier.store.engines.postgres import PostgresEngine
from metier.store.engines.server_lock import by_server
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

HOLDER = """
import sys, time
from metier.context.state_folder import exclusive_lock
from metier.workspace import Workspace
with Workspace.open(sys.argv[1]) as ws, exclusive_lock(ws.context, 0):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace's folder, with each kind of store in turn."""
    if request.param == "postgresql":
        monkeypatch.setenv("METIER_STORE", request.getfixturevalue("new_postgres"))
    made = tmp_path / "shop"
    made.mkdir()
    return made


@pytest.fixture
def shop(place: Path) -> Iterator[Workspace]:
    with Workspace.open(place) as ws:
        yield ws


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that has the lock."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert line_of(process, process.stdout) == "held\n"
    process.stdout.close()
    return process


def test_a_second_one_is_told_who_is_at_work(shop: Workspace) -> None:
    with (
        exclusive_lock(shop.context, 0),
        pytest.raises(BusyError, match=r"Another learn is running in .*shop: ") as caught,
        exclusive_lock(shop.context, 0),
    ):
        pass
    assert "\n" not in str(caught.value)
    assert shop.config.store or f"process {os.getpid()}." in str(caught.value)


def test_one_after_the_other_is_no_conflict(shop: Workspace) -> None:
    for _ in range(3):
        with exclusive_lock(shop.context, 0):
            pass


def test_what_fails_inside_lets_go(shop: Workspace) -> None:
    with pytest.raises(ZeroDivisionError), exclusive_lock(shop.context, 0):
        raise ZeroDivisionError
    with exclusive_lock(shop.context, 0):
        assert len(HELD) == 1
    assert not HELD


def test_a_busy_error_of_the_work_itself_is_passed_on_as_it_is(shop: Workspace) -> None:
    with pytest.raises(BusyError, match=r"^the store is busy$"), exclusive_lock(shop.context, 0):
        raise BusyError("the store is busy")


def test_another_process_excludes_and_its_death_lets_go(shop: Workspace, place: Path) -> None:
    process = holder(place)
    with pytest.raises(BusyError), exclusive_lock(shop.context, 0.05):
        pass
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    with exclusive_lock(shop.context, 5):
        pass


def test_waiting_ends_when_the_other_one_has_ended(shop: Workspace, place: Path) -> None:
    process = holder(place)
    began = time.monotonic()
    killer = subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -9 {process.pid}"])
    with exclusive_lock(shop.context, 10):
        waited = time.monotonic() - began
    assert 0.2 < waited < 5
    assert killer.wait(PATIENCE) == 0
    process.wait(PATIENCE)


def test_a_forked_child_does_not_have_it_and_does_not_let_it_go(shop: Workspace) -> None:
    go = os.pipe()
    with exclusive_lock(shop.context, 0):
        child = fork()
        if child == 0:  # it ends only when told to, and never by way of the test
            os.read(go[0], 1)
            os._exit(0)
        with pytest.raises(BusyError), exclusive_lock(shop.context, 0):
            pass
    with exclusive_lock(shop.context, 5):  # the child is still there, and yet nobody has it
        pass
    os.write(go[1], b"x")
    status_of(child)
    for end in go:
        os.close(end)


def test_a_child_that_leaves_the_block_does_not_open_it_for_others(shop: Workspace) -> None:
    child = -1
    with exclusive_lock(shop.context, 0):
        child = fork()
        if child != 0:
            status_of(child)
            with pytest.raises(BusyError), exclusive_lock(shop.context, 0):
                pass
    if child == 0:
        os._exit(0)


def test_other_work_and_other_workspaces_go_on(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    with (
        Workspace.open(folders[0]) as one,
        Workspace.open(folders[1]) as other,
        exclusive_lock(one.context, 0),
        exclusive_lock(other.context, 0),
        exclusive_lock(one.context, 0, "watch"),
    ):
        assert len({file_of(one.context, "learn"), file_of(other.context, "learn"), file_of(one.context, "watch")}) == 3


def test_a_server_that_is_away_is_an_error_a_person_understands() -> None:
    url = "postgresql://nobody@127.0.0.1:1/nothing"
    engine = PostgresEngine(url)
    with pytest.raises(UnreachableError, match="does not answer"), by_server(engine, "learn x", 0):
        pass


@pytest.mark.parametrize("content", [b"", b"nonsense\xff", b"7" * 100])
def test_a_lock_file_with_anything_in_it_still_locks(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "learn.lock"
    file.write_bytes(content)
    take: Callable[[], AbstractContextManager[None]] = lambda: lock_by_file(file, 0)  # noqa: E731
    with take():
        assert file.read_text() == f"{os.getpid()}\n"
        file.write_bytes(content)
        with pytest.raises(BusyError, match="process"), take():
            pass
