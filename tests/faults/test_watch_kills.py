"""A watch that is killed in a pass, and two at once: nothing is lost, nothing is done twice, nothing overlaps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from states import copied

from metier.context.state_folder import file_of
from metier.learning.learn import learn
from metier.learning.watch.watch import Watch
from metier.library.proposals.gate import NoConfirmation
from metier.store.tables.learning import patterns
from metier.store.tables.library import drafts
from metier.types import Run, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from metier.events import Event
    from metier.library.skills import Library

PATIENCE = 60.0
SCRIPTED = """
import os, sys, time
from pathlib import Path
from metier.events import Advanced, Ended
from metier.learning.watch.schedule import Pace
from metier.learning.watch.watch import Watch
from metier.runs.queries import list_runs
from metier.workspace import Workspace

folder, log, inside = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])

def note(words):
    with log.open("a") as out:
        out.write(words + "\\n")

def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # a killed process nobody has waited for is no longer at work
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"

def learn(library):
    if inside.exists() and is_alive(int(inside.read_text())):
        note("overlap")
    inside.write_text(str(os.getpid()))
    note(f"began {len(list_runs(library.ctx, 1000))}")
    for step in range(int(sys.argv[4])):
        yield Advanced(stage="learn", done=step)
        time.sleep(0.02)
    inside.unlink(missing_ok=True)
    note("ended")
    yield Ended(stage="learn", text="done")

pace = Pace(poll=0.02, quiet=0.1, retry=0.05, slowest=0.1)
for told in Watch([folder], Workspace.open, learn=learn, pace=pace, flags={"mode": "draft"}).events():
    pass
"""
"""A watch whose pass takes so many steps of 20 ms, writes a log, and notices when another one is inside."""
KILLED = """
import os, signal, sys
from pathlib import Path
from metier.learning.learn import learn as whole_pass
from metier.learning.watch.watch import Watch
from metier.library.proposals.gate import NoConfirmation
from metier.workspace import Workspace

def learn(library):
    events = whole_pass(library, gate=NoConfirmation())
    for count, event in enumerate(events, start=1):
        if count == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        yield event

watch = Watch([Path(sys.argv[1])], Workspace.open, learn=learn, once=True, flags={"mode": "apply"})
said = [told.event for told in watch.events()]
sys.exit(f"{said[-1]}" if watch.failed else 0)
"""
"""The real pass, killed at its N-th event."""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    Workspace.open(folder).close()
    return folder


STEPS = (
    "pytest -x tests/test_login.py",
    "python tools/wait_for_cookie.py login",
    "pytest tests/test_login.py --count 20",
)


def record(folder: Path, *numbers: int) -> None:
    """Record runs, all in one transaction."""
    runs = [
        Run(
            message=("fix the flaky login test", "the flaky login test needs a fix")[number % 2],
            external_id=str(number),
            session=f"s{number}",
            status="completed",
            output="The login test waits for the cookie now and passes.",
            tools=tuple(ToolCall(name="Bash", input=line, output="ok") for line in STEPS),
        )
        for number in numbers
    ]
    with Workspace.open(folder) as ws:
        ws.deliver(runs)


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


class Watches:
    """Watches in processes of their own, and the log that their passes write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log, self._inside = folder.parent / "log", folder.parent / "inside"
        self._log.touch()

    def start(self, steps: int) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-c", SCRIPTED, str(self.folder), str(self._log), str(self._inside), str(steps)]
        return subprocess.Popen(words)

    def log(self) -> list[str]:
        return self._log.read_text().splitlines()


def test_a_watch_killed_in_a_pass_makes_up_for_it_after_a_restart(shop: Path) -> None:
    watches = Watches(shop)
    record(shop, 1, 2)
    first = watches.start(steps=1000)
    until(watches.log)
    first.send_signal(signal.SIGKILL)
    first.wait(60)
    record(shop, 3)
    second = watches.start(steps=1)
    until(lambda: "ended" in watches.log())
    time.sleep(0.3)
    second.send_signal(signal.SIGKILL)
    second.wait(60)
    assert watches.log() == ["began 2", "began 3", "ended"]
    with Workspace.open(shop) as ws:
        assert sorted(str(record.run.external_id) for record in ws.runs()) == ["1", "2", "3"]


def test_when_one_of_two_watches_is_killed_in_a_pass_the_other_takes_over(shop: Path) -> None:
    watches = Watches(shop)
    with Workspace.open(shop) as ws:
        lock = file_of(ws.context, "watch")
    both = [watches.start(steps=40) for _ in range(2)]
    record(shop, 1, 2)
    until(watches.log)
    record(shop, 3)
    until(lambda: watches.log().count("ended") == 2)
    time.sleep(0.3)
    assert watches.log() == ["began 2", "ended", "began 3", "ended"]
    record(shop, 4)
    until(lambda: watches.log()[-1] == "began 4")
    os.kill(int(lock.read_text()), signal.SIGKILL)
    until(lambda: watches.log()[-1] == "ended")
    for process in both:
        process.kill()
        process.wait(60)
    assert watches.log()[4:] == ["began 4", "began 4", "ended"]


def _learned(folder: Path) -> list[Sequence[tuple[str, object]]]:
    """All that a pass has left: runs, skills with their versions, patterns with their runs, drafts."""
    with Workspace.open(folder) as ws:
        runs = sorted((record.id, record.state) for record in ws.runs())
        skills = [(one.name, len(ws.history(one.name))) for one in ws.skills()]
    with Workspace.open(folder) as ws, ws.context.store.read() as transaction:
        return [
            runs,
            skills,
            [(one.label, sorted(one.runs)) for one in patterns.list_all(transaction)],
            [(one.target, one.status) for one in drafts.list_all(transaction)],
        ]


def _sweep(shop: Path, points: range) -> None:
    """Kill a real pass at each of these events; whoever comes next arrives where an undisturbed one does."""
    record(shop, *range(6))
    reference = shop.parent / "reference"
    copied(shop, reference)
    _once(reference)
    expected = _learned(reference)
    assert expected[3] == [(name, "accepted") for name, _ in expected[1]] != []
    for point in points:
        folder = shop.parent / f"killed-{point}"
        copied(shop, folder)
        done = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(point)], timeout=120)
        if done.returncode == 0:
            assert point > 3, "the pass has more events than this"
            return
        assert done.returncode == -signal.SIGKILL
        _once(folder)
        assert _learned(folder) == expected, point
    assert len(points) == 1, "the pass never got through"


def _shipping_pass(library: Library) -> Generator[Event, None, object]:
    """A pass that ships whatever review lets through, so that the kills meet a change of skills, too."""
    return (yield from learn(library, gate=NoConfirmation()))


def _once(folder: Path) -> None:
    watch = Watch([folder], Workspace.open, learn=_shipping_pass, once=True, flags={"mode": "apply"})
    said = [told.event for told in watch.events()]
    assert not watch.failed, said[-1]


def test_a_real_pass_that_is_killed_is_made_up_for_and_nothing_is_done_twice(shop: Path) -> None:
    _sweep(shop, range(4, 5))


@pytest.mark.slow
def test_a_real_pass_may_be_killed_at_any_event(shop: Path) -> None:
    _sweep(shop, range(1, 1000))
