"""A training on a fleet whose workers are killed and paused ends as the undisturbed one, and pays again for nothing
but what was in flight."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fleet_world import hash_of, on_fleet, opened, solver
from train_world import cases, trained
from waiting import until

from metier.fleet.rollout_asks import FleetRollouts

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.training.service.order import Order
    from metier.training.train import Finished

pytestmark = [pytest.mark.xdist_group("postgresql"), pytest.mark.slow]
SUPPORT = Path(__file__).parents[1] / "support"
SLOTS, HEARTBEAT = 4, 2
Worker = subprocess.Popen[bytes]


def start(root: Path, store: str, notes: Path, seconds: float) -> Worker:
    """A worker as a person starts it."""
    environ = {**os.environ, "METIER_STORE": store, "PYTHONPATH": str(SUPPORT)}
    environ |= {"FLEET_NOTES": str(notes), "FLEET_SECONDS": str(seconds)}
    words = ["worker", str(root), "--slots", str(SLOTS), "--heartbeat", str(HEARTBEAT), "--allow-commands"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-m", "metier", *words], env=environ, stdout=quiet, stderr=quiet)


def asked() -> Order:
    return solver(cases=cases(220), target="python=fleet_target:solve_slowly")


def lines(notes: Path) -> list[str]:
    return notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []


def story(
    tmp_path: Path, store: str, disturb: Callable[[list[Worker], Path], None], *, each: float = 0.1
) -> tuple[Finished, Counter[str]]:
    """A training on three workers that are disturbed meanwhile, and what was asked more often than once."""
    notes = tmp_path / "notes"
    with opened(tmp_path / "many", store) as ws:
        workers = [start(ws.root, store, notes, each) for _ in range(3)]
        trouble = threading.Thread(target=disturb, args=(workers, notes), daemon=True)
        try:
            until(lambda: FleetRollouts(ws.context).workers() >= 3, "three workers")
            trouble.start()
            found = on_fleet(ws, asked(), workers=24)
        finally:
            for worker in workers:
                worker.send_signal(signal.SIGCONT)
                worker.kill()
                worker.wait(10)
    trouble.join(60)
    made = Counter(line.partition(" ")[2] for line in lines(notes))
    assert made.total() >= 300
    assert found.trained.best.hash() != found.training.base_hash
    return found, Counter({what: count - 1 for what, count in made.items() if count > 1})


def undisturbed(tmp_path: Path) -> str:
    with opened(tmp_path / "alone") as ws:
        return hash_of(trained(ws, asked()))


def test_a_worker_killed_in_the_middle_costs_what_it_had_in_flight(tmp_path: Path, new_postgres: str) -> None:
    def disturb(workers: list[Worker], notes: Path) -> None:
        until(lambda: len(lines(notes)) >= 120, "120 rollouts", seconds=120)
        workers[0].kill()

    found, again = story(tmp_path, new_postgres, disturb)
    assert hash_of(found) == undisturbed(tmp_path)
    assert again.total() <= SLOTS


@pytest.mark.parametrize(
    ("asleep", "each"), [(3 * HEARTBEAT, 0.1), (60, 2.0)], ids=["longer than its heartbeat", "a whole minute"]
)
def test_a_worker_that_sleeps_and_wakes_up_changes_nothing(
    asleep: float, each: float, tmp_path: Path, new_postgres: str
) -> None:
    went_on: list[int] = []

    def disturb(workers: list[Worker], notes: Path) -> None:
        until(lambda: len(lines(notes)) >= 100, "100 rollouts", seconds=120)
        workers[0].send_signal(signal.SIGSTOP)
        time.sleep(asleep)
        before = len(lines(notes))
        workers[0].send_signal(signal.SIGCONT)
        mine = f"{workers[0].pid} "
        until(lambda: any(line.startswith(mine) for line in lines(notes)[before:]), "work of the woken", seconds=60)
        went_on.append(before)

    found, again = story(tmp_path, new_postgres, disturb, each=each)
    assert hash_of(found) == undisturbed(tmp_path)
    assert went_on  # it woke up while there was work, and took its share
    assert again.total() <= SLOTS
