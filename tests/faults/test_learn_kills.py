"""A pass of learning killed anywhere: the same command again ends where an undisturbed pass would have ended."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from learn_world import (
    REPORTS,
    TESTS,
    Clock,
    documents,
    everything,
    failed,
    following,
    learned,
    opened,
    task,
    with_steps,
)
from states import copied, state_of
from waiting import fork, status_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

CALLS = frozenset(
    ("open", "write", "fsync", "rename", "replace", "mkdir", "unlink", "remove", "rmdir", "link", "symlink", "fchmod")
)
"""Calls of the system by which files change."""
STATEMENTS = frozenset(("execute", "executemany", "commit"))
"""Calls of the database: a kill comes before one, so also after the one before."""
FREEZE = "python tools/freeze_clock.py --all"
GLOBAL = "---\nname: report-care\ndescription: Cares for reports. Use for reports.\n---\n\n# Reports\n\n1. Look.\n"


class Killer:
    """Kills this process before its N-th call that changes something."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, frame: FrameType, event: str, what: object) -> None:
        if event != "c_call":
            return
        name = getattr(what, "__name__", "")
        system = name in CALLS and getattr(what, "__module__", "") == "posix"
        if system or (name in STATEMENTS and "sqlite3" in type(getattr(what, "__self__", None)).__module__):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def killed(action: Callable[[], object], at: int) -> bool:
    """Run an action in a child that is killed at its N-th call; False: it ended before that."""
    child = fork()
    if child == 0:
        code = 77
        try:
            sys.setprofile(Killer(at))
            action()
            code = 0
        finally:
            sys.setprofile(None)
            os._exit(code)
    status = status_of(child)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0, "the pass failed by itself"
    return False


def passed(folder: Path) -> None:
    """The command: one pass in mode apply."""
    with opened(folder, Clock(), mode="apply") as ws:
        learned(ws)


def prepared(folder: Path, home: Path) -> None:
    """A workspace with a skill that shipped and is to grow, a new task, a global skill to be copied, and failures."""
    place = home / ".agents/skills/report-care"
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(GLOBAL)
    with opened(folder, Clock(), mode="apply") as ws:
        ws.deliver(task(TESTS))
        assert len(learned(ws).applied) == 1
        ws.deliver([*with_steps(task(TESTS, 2, 3), FREEZE), *failed(task(TESTS, 5, 1))])
        ws.deliver(following(task(REPORTS, 0, 3), "report-care"))


def state(folder: Path) -> dict[str, object]:
    with opened(folder, Clock(), mode="apply") as ws:
        found = everything(ws)
        names = sorted(documents(ws))
        found["versions"] = {name: [(one.number, one.action, one.hash) for one in ws.history(name)] for name in names}
        found["journal"] = sorted(os.listdir(ws.state / "journal"))
        return found


def swept(tmp_path: Path, start: int, step: int) -> int:
    """Kill a pass at every step-th call; returns how many calls a whole one makes."""
    base = tmp_path / "base"
    prepared(base, tmp_path / "home")
    whole = tmp_path / "whole"
    copied(base, whole)
    passed(whole)
    wanted = state(whole)
    assert len(wanted["versions"]) == 2  # type: ignore[arg-type]
    at, going = start, True
    while going:
        folder = tmp_path / "killed"
        copied(base, folder)
        going = killed(lambda folder=folder: passed(folder), at)
        passed(folder)
        assert state(folder) == wanted, f"killed at call {at}"
        shutil.rmtree(state_of(folder))
        shutil.rmtree(folder)
        at += step
    return at


def test_a_pass_killed_here_and_there_converges(tmp_path: Path) -> None:
    assert swept(tmp_path, 31, 83) > 83 * 4


@pytest.mark.slow
def test_a_pass_killed_anywhere_converges(tmp_path: Path) -> None:
    assert swept(tmp_path, 1, 1) > 200


@pytest.mark.slow
def test_a_pass_killed_again_and_again_gets_through_in_the_end(tmp_path: Path) -> None:
    base, whole = tmp_path / "base", tmp_path / "whole"
    prepared(base, tmp_path / "home")
    copied(base, whole)
    passed(whole)
    tries = 0
    while killed(lambda: passed(base), 60 + 25 * tries):
        tries += 1
    assert tries > 2
    assert {**state(base), "versions": None} == {**state(whole), "versions": None}
