"""Many processes on one workspace, killed and stopped at random: none of their runs is lost, none is there twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sweep import (
    ENVIRON,
    METIER,
    PATIENCE,
    clear_line,
    environ_of,
    folder_of,
    hook,
    leftovers,
    listed,
    metier,
    names,
    run,
    spool,
    state_of,
    worker,
)
from waiting import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class Crowd:
    """Processes that run at the same time; what is left of them ends with the test."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, command: list[str], acks: Path | None = None) -> subprocess.Popen[bytes]:
        out = acks.open("ab") if acks else subprocess.PIPE
        made = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
            env=environ_of(folder_of(command)),
            start_new_session=True,
        )
        if acks:
            out.close()
        self.processes.append(made)
        return made

    def end(self) -> None:
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)
            for pipe in (process.stdout, process.stderr):
                if pipe:
                    pipe.close()


@pytest.fixture
def crowd() -> Iterator[Crowd]:
    made = Crowd()
    yield made
    made.end()


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A workspace without runs."""
    folder = tmp_path / "ws"
    folder.mkdir()
    assert run(worker("record", folder, "old", 0)).code == 0
    return folder


def _said(process: subprocess.Popen[bytes]) -> str:
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err.decode()
    return out.decode()


def _stop(process: subprocess.Popen[bytes]) -> None:
    os.kill(process.pid, signal.SIGSTOP)


def _first_line(process: subprocess.Popen[bytes]) -> str:
    return line_of(process, process.stdout).decode().strip()


@pytest.mark.parametrize(
    ("writers", "number"), [(4, 50), pytest.param(8, 200, marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_writers_beside_a_reader_that_marks_lose_nothing(
    writers: int, number: int, made: Path, crowd: Crowd, tmp_path: Path
) -> None:
    mixing = crowd.start(worker("mix", made, tmp_path / "stop"))
    writing = [crowd.start(worker("record", made, f"w{index}", number)) for index in range(writers)]
    acknowledged = [name for process in writing for name in _said(process).split()]
    (tmp_path / "stop").touch()
    assert int(_said(mixing)) > 1
    assert sorted(acknowledged) == sorted(f"w{one}-{two}" for one in range(writers) for two in range(number))
    assert names(made) == set(acknowledged)


@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_kills_under_four_writers_lose_nothing_acknowledged(
    kills: int, made: Path, crowd: Crowd, tmp_path: Path
) -> None:
    chance = random.Random(kills)
    acks = tmp_path / "acks"
    writers = [crowd.start(worker("record", made, f"w{index}"), acks) for index in range(4)]
    seen = 0
    for kill in range(kills):
        seen = _grown(acks, seen)
        time.sleep(chance.uniform(0, 0.15))
        victim = chance.randrange(4)
        writers[victim].kill()
        writers[victim].wait(60)
        writers[victim] = crowd.start(worker("record", made, f"k{kill}"), acks)
    crowd.end()
    acknowledged = acks.read_text().split()
    assert len(acknowledged) >= kills
    assert set(acknowledged) <= names(made)


def _grown(acks: Path, seen: int) -> int:
    """The size of the file once something more is acknowledged, however slow the machine is."""
    end = time.monotonic() + PATIENCE
    while (size := acks.stat().st_size) <= seen:
        assert time.monotonic() < end, "nobody acknowledges anything"
        time.sleep(0.002)
    return size


@pytest.mark.parametrize("hooks", [12, pytest.param(600, marks=pytest.mark.slow)])
def test_hooks_beside_two_that_ingest_deliver_each_run_once(hooks: int, made: Path, crowd: Crowd) -> None:
    ingesting = [crowd.start(worker("opened", made, 40 if hooks < 100 else 1500)) for _ in range(2)]
    waiting: list[subprocess.Popen[bytes]] = []
    for index in range(hooks):
        begun = subprocess.Popen(hook(made), stdin=subprocess.PIPE, cwd=made, env=ENVIRON)
        assert begun.stdin
        begun.stdin.write(json.dumps({"message": f"hook {index}"}).encode())
        begun.stdin.close()
        waiting.append(begun)
        if len(waiting) == 4:
            waiting.pop(0).wait(60)
    assert {one.wait(60) for one in waiting} == {0}
    for process in ingesting:
        _said(process)
    found = Counter(str(row["message"]) for row in listed(made))
    assert found == Counter(f"hook {index}" for index in range(hooks))


def _wait_for_lock(process: subprocess.Popen[bytes], made: Path) -> None:
    """Until the process has the lock file open, and so has read what lies in the spool."""
    deadline = time.monotonic() + 10
    lock = str(state_of(made) / "lock")
    while time.monotonic() < deadline:
        try:
            if lock in [os.readlink(file) for file in Path(f"/proc/{process.pid}/fd").iterdir()]:
                return
        except OSError:
            pass
        time.sleep(0.005)
    pytest.fail("the process never came to the lock")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_one_that_read_the_spool_long_ago_does_not_deliver_it_again(made: Path, crowd: Crowd) -> None:
    holder = crowd.start(worker("hold", made))
    assert _first_line(holder) == "held"
    spool(made, {"message": "only once"})
    slow = crowd.start(worker("opened", made))
    _wait_for_lock(slow, made)
    _stop(slow)
    holder.kill()
    assert run(worker("opened", made)).code == 0
    spool(made, {"message": "another"})
    assert run(worker("opened", made)).code == 0
    os.kill(slow.pid, signal.SIGCONT)
    _said(slow)
    assert sorted(str(row["message"]) for row in listed(made)) == ["another", "only once"]


@pytest.mark.parametrize("rounds", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_processes_that_make_a_workspace_at_the_same_moment_share_it(rounds: int, crowd: Crowd, tmp_path: Path) -> None:
    for number in range(rounds):
        folder, gate = tmp_path / f"ws{number}", tmp_path / f"gate{number}"
        folder.mkdir()
        both = [crowd.start(worker("record", folder, f"w{index}", 3, gate)) for index in range(3)]
        time.sleep(0.4)
        gate.touch()
        for process in both:
            _said(process)
        assert names(folder) == {f"w{one}-{two}" for one in range(3) for two in range(3)}
        assert leftovers(folder) == []


def test_a_process_that_closes_takes_nothing_from_one_that_goes_on(made: Path, crowd: Crowd, tmp_path: Path) -> None:
    going_on = crowd.start(worker("pause", made, tmp_path / "gate"))
    assert _first_line(going_on) == "paused-0"
    assert run(worker("record", made, "other", 2)).code == 0
    (tmp_path / "gate").touch()
    assert _said(going_on).split() == ["paused-1"]
    assert names(made) == {"paused-0", "paused-1", "other-0", "other-1"}


def test_the_lock_of_a_killed_holder_is_free_at_once(made: Path, crowd: Crowd) -> None:
    holder = crowd.start(worker("hold", made))
    assert _first_line(holder) == "held"
    writer = crowd.start(worker("record", made, "next", 1))
    time.sleep(0.5)
    assert writer.poll() is None
    holder.kill()
    killed = time.monotonic()
    assert _said(writer) == "next-0\n"
    assert time.monotonic() - killed < 2


@pytest.mark.parametrize("waiting", [False, True], ids=["", "a file waits in the spool"])
def test_a_stopped_holder_delays_writers_for_the_set_time_and_readers_not(
    waiting: bool, made: Path, crowd: Crowd
) -> None:
    assert run(worker("record", made, "old", 1)).code == 0
    holder = crowd.start(worker("hold", made))
    assert _first_line(holder) == "held"
    _stop(holder)
    if waiting:
        spool(made, {"id": "hook-0", "message": "waits"})
    began = time.monotonic()
    ended = run([METIER, "-w", str(made), "--set", "lock_wait=0.5", "record", "--json"], '{"id": "x", "message": "x"}')
    assert 0.5 <= time.monotonic() - began < 5
    clear_line(ended)
    assert "lock_wait" in ended.err
    shown = metier(made, "--set", "lock_wait=0.5", "runs", "list", "--json")
    assert shown.code == 0, shown.err
    assert [row["external_id"] for row in json.loads(shown.out)] == ["old-0"]
    holder.kill()
    assert names(made) == {"old-0"} | ({"hook-0"} if waiting else set())


def test_forked_children_go_on_with_the_parents_workspace(made: Path) -> None:
    ended = run(worker("fork", made, 3, 10))
    assert ended.code == 0, ended.err
    expected = {"before-0", "after-0"} | {f"{who}-{index}" for who in FAMILY for index in range(10)}
    assert sorted(ended.acknowledged) == sorted(expected)
    assert names(made) == expected


FAMILY = ("parent", "child0", "child1", "child2")


def test_a_child_forked_during_a_write_does_not_keep_the_lock(made: Path, crowd: Crowd) -> None:
    parent = crowd.start(worker("fork_inside", made))
    assert _first_line(parent) == "released"
    assert run(worker("record", made, "next", 1), METIER_LOCK_WAIT="2").acknowledged == ["next-0"]
