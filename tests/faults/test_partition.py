"""A network that parts machines from the store: nothing acknowledged is lost, and a worker that comes back changes
nothing that others did meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fleet_world import hash_of, on_fleet, opened, solver
from netns import wired_server
from train_world import cases, trained
from waiting import join, until

from metier.fleet.rollout_asks import FleetRollouts
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from netns import Wire

pytestmark = [pytest.mark.xdist_group("postgresql"), pytest.mark.slow]
HERE = Path(__file__).parent
SUPPORT = HERE.parent / "support"
SLOTS, HEARTBEAT, APART = 4, 2, 8.0


@pytest.fixture
def wired() -> Iterator[tuple[Wire, str]]:
    with wired_server() as found:
        yield found


def start(wire: Wire, words: list[str], store: str, **more: str) -> subprocess.Popen[bytes]:
    environ = {**os.environ, "METIER_STORE": store, "PYTHONPATH": str(SUPPORT), "METIER_LOCK_WAIT": "20", **more}
    return subprocess.Popen(wire.inside([sys.executable, *words]), env=environ, stderr=subprocess.DEVNULL)


def lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def test_machines_that_are_cut_off_lose_nothing_acknowledged(wired: tuple[Wire, str], tmp_path: Path) -> None:
    wire, store = wired
    (tmp_path / "shop").mkdir()
    Workspace.open(tmp_path / "shop", flags={"store": store}).close()
    notes = [tmp_path / f"notes{number}" for number in range(4)]
    writers = [
        start(wire, [str(HERE / "partition_writer.py"), str(tmp_path / "shop"), file.name, str(file)], store)
        for file in notes
    ]
    try:
        for at in (10, 25):
            until(lambda least=at: all(len(lines(file)) >= least for file in notes), f"{at} runs each", pause=0.05)
            wire.cut()
            time.sleep(APART)
            wire.mend()
        until(lambda: all(len(lines(file)) >= 40 for file in notes), "40 runs each", pause=0.05)
        for file in notes:
            Path(f"{file}.enough").touch()
        assert [writer.wait(60) for writer in writers] == [0] * 4
    finally:
        for writer in writers:
            writer.kill()
            writer.wait(10)
    with Workspace.open(tmp_path / "shop", flags={"store": store}) as ws:
        there = Counter(record.run.external_id or "" for record in ws.runs(limit=100_000))
    acknowledged = {line for file in notes for line in lines(file)}
    assert acknowledged <= there.keys()
    assert set(there.values()) == {1}


def test_a_worker_that_is_cut_off_and_comes_back_changes_nothing(wired: tuple[Wire, str], tmp_path: Path) -> None:
    wire, store = wired
    notes = tmp_path / "notes"
    asked = solver(cases=cases(220), target="python=fleet_target:solve_slowly")
    with opened(tmp_path / "many", store) as ws:
        words = ["-m", "metier", "worker", str(ws.root), "--slots", str(SLOTS), "--heartbeat", str(HEARTBEAT)]
        given = {"FLEET_NOTES": str(notes), "FLEET_SECONDS": "0.1"}
        far = start(wire, [*words, "--allow-commands"], store, **given)
        environ = {**os.environ, "METIER_STORE": store, "PYTHONPATH": str(SUPPORT), **given}
        quiet = subprocess.DEVNULL
        near = subprocess.Popen([sys.executable, *words, "--allow-commands"], env=environ, stderr=quiet)

        def part() -> None:
            until(lambda: len(lines(notes)) >= 240, "80 rollouts", pause=0.02)  # three words a line
            wire.cut()
            time.sleep(APART)
            wire.mend()

        trouble = threading.Thread(target=part, daemon=True)
        try:
            until(lambda: FleetRollouts(ws.context).workers() >= 2, "two workers")
            trouble.start()
            found = on_fleet(ws, asked, workers=16)
        finally:
            for worker in (far, near):
                worker.kill()
                worker.wait(10)
        join([trouble])
    made = Counter(line.partition(" ")[2] for line in notes.read_text(encoding="utf-8").splitlines())
    with opened(tmp_path / "alone") as ws:
        assert hash_of(found) == hash_of(trained(ws, asked))
    assert made.total() >= 300
    assert found.trained.best.hash() != found.training.base_hash
    assert sum(count - 1 for count in made.values()) <= SLOTS
