"""A training that is killed anywhere ends as if it had not been, and repeats nothing that was kept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from train_worker import SPEC, WORKERS
from train_world import Agent, cases, order, place, trained
from waiting import until

from metier.workspace import Workspace

if TYPE_CHECKING:
    from metier.training.train import Finished

WORKER = Path(__file__).parents[1] / "support" / "train_worker.py"


def kill(folder: Path, notes: Path, at: int) -> None:
    """Start the training, and kill it as soon as so many rollouts were begun in all."""
    environ = {**os.environ, "PYTHONPATH": str(WORKER.parent)}
    words = [sys.executable, str(WORKER), str(folder), str(notes)]
    process = subprocess.Popen(words, env=environ, stderr=subprocess.PIPE, text=True)

    def reached() -> bool:
        return process.poll() is not None or (notes.exists() and notes.read_bytes().count(b"\n") >= at)

    until(reached, f"{at} rollouts", pause=0.002)
    process.kill()
    _, err = process.communicate(timeout=60)
    assert process.returncode == -9, err


def story(tmp_path: Path, kills: tuple[int, ...]) -> None:
    whole, cut, notes = tmp_path / "whole", tmp_path / "cut", tmp_path / "notes"
    results: list[Finished] = []
    for folder in (whole, cut):
        folder.mkdir()
        place(folder)
        for at in kills if folder is cut else ():
            kill(folder, notes, at)
        agent = Agent(notes=notes if folder is cut else tmp_path / "other")
        with Workspace.open(folder) as ws:
            results.append(trained(ws, order(cases=cases(60), target=agent, workers=WORKERS, spec=SPEC)))
    made = [Counter(file.read_text(encoding="utf-8").splitlines()) for file in (tmp_path / "other", notes)]
    one, other = results
    assert other.trained == one.trained
    assert other.report["decision"] == one.report["decision"]
    assert other.training.id == one.training.id
    repeated = made[1] - made[0]
    assert not made[0] - made[1]  # nothing was left out
    # each worker may lose what it had in flight, and what it had just finished
    assert repeated.total() <= len(kills) * WORKERS * 2


def test_a_training_that_was_killed_ends_as_one_that_was_not(tmp_path: Path) -> None:
    story(tmp_path, (18,))


@pytest.mark.slow
def test_a_training_killed_at_many_points_ends_as_one_that_was_not(tmp_path: Path) -> None:
    story(tmp_path, (1, 2, 9, 15, 24, 31, 44, 52, 60, 75, 90, 120))
