"""Two learners of one workspace at once, as real processes: one works, the other waits or is told in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from learn_world import REPORTS, TESTS, Clock, all_drafts, all_patterns, documents, everything, learned, opened, task
from sweep import ENVIRON, PATIENCE

from metier.learning.learn import learn
from metier.library.proposals.gate import NoCases

if TYPE_CHECKING:
    from pathlib import Path

    from metier.workspace import Workspace

METIER = (sys.executable, "-m", "metier")


def started(folder: Path, home: Path, *words: str) -> subprocess.Popen[str]:
    environ = {**ENVIRON, "HOME": str(home), "NO_COLOR": "1", "METIER_MODE": "apply"}
    return subprocess.Popen(
        [*METIER, "learn", "--json", *words],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def filled(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, 0, 4), *task(REPORTS, 0, 4)])


@pytest.mark.slow
def test_two_that_wait_for_each_other_do_the_work_of_one(tmp_path: Path) -> None:
    folder, home = tmp_path / "p", tmp_path / "home"
    with opened(folder, Clock()) as ws:
        filled(ws)
    both = [started(folder, home, "--wait", str(PATIENCE)) for _ in range(2)]
    said = [one.communicate(timeout=PATIENCE * 10) for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    counts = sorted(json.loads(out)["evidence"] for out, _ in said)
    assert counts == [0, 8]
    with opened(folder, Clock()) as ws:
        assert sorted(one.successes for one in all_patterns(ws)) == [4, 4]
        assert [one.status for one in all_drafts(ws)] == ["candidate"] * 2
        assert documents(ws) == {}
        before = everything(ws)
        learned(ws, NoCases(), apply=True)
        assert everything(ws) == before


def test_one_that_does_not_wait_is_told_in_one_line_and_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    with opened(folder, Clock()) as ws:
        filled(ws)
        steps = learn(ws.library)
        next(steps)
        other = started(folder, tmp_path / "home")
        out, err = other.communicate(timeout=PATIENCE * 10)
        assert (other.returncode != 0, out, err.count("\n")) == (True, "", 1), err
        assert "Another learn is running" in err
        assert "Traceback" not in err
        assert all_patterns(ws) == []
        for _ in steps:
            pass
        assert sorted(one.successes for one in all_patterns(ws)) == [4, 4]


@pytest.mark.slow
def test_a_learner_that_is_killed_is_in_nobodys_way(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    with opened(folder, Clock()) as ws:
        filled(ws)
    code = (
        "import os, signal, metier\nfrom metier.learning.learn import learn\n"
        "steps = learn(metier.open('.').library)\nnext(steps)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environ = {**ENVIRON, "HOME": str(tmp_path / "home")}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environ, timeout=PATIENCE * 10)
    assert done.returncode == -9
    with opened(folder, Clock()) as ws:
        assert learned(ws).evidence == 8
