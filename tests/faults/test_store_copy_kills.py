"""`metier store copy`, killed again and again, both ways: it goes on, and in the end both stores hold the same.

A gate decides how far each copy gets before it is killed, so that none is too quick for it: on the way to the server
the lock that every write waits for, on the way back a table that cannot be read yet.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psycopg
import pytest
from states import state_of
from waiting import running, until

from metier.store.copying.shape import known_tables
from metier.store.engines.postgres import LOCK
from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

pytestmark = [pytest.mark.xdist_group("postgresql"), pytest.mark.slow]
RUNS = 4_000
STEPS = 9
"""Write transactions that a copy may end before it is killed; a whole one needs more than fifty."""
MANY = 40
"""Kills after which a copy must have come to its end."""
IN_FLIGHT = 0.004
"""Seconds into a further transaction, for every second kill."""
Copy = subprocess.Popen[str]


def begun(source: str, target: str) -> AbstractContextManager[Copy]:
    """A copy that is ended at the end, whatever it does."""
    command = [sys.executable, "-m", "metier", "store", "copy", source, target, "--json"]
    return running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def copied(source: str, target: str) -> dict[str, object]:
    """What a copy says that nobody kills."""
    with begun(source, target) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


def someone_waits(gate: psycopg.Connection[tuple[object, ...]]) -> bool:
    return bool(gate.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall())


def is_ended_after(process: Copy, gate: psycopg.Connection[tuple[object, ...]], steps: int) -> bool:
    """Let a copy do some steps; says whether it came to its end."""
    for _ in range(steps):
        until(lambda: process.poll() is not None or someone_waits(gate), "the next step of the copy")
        if process.poll() is not None:
            return True
        gate.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))  # one goes through
        gate.execute("SELECT pg_advisory_lock(%s)", (LOCK,))  # the next one stands behind this
    return False


def kills_on_the_way_there(source: str, target: str) -> int:
    """Kill copies at every few steps, between two transactions and within one, until one comes to its end."""
    kills = 0
    with psycopg.connect(target, autocommit=True) as gate:
        gate.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        while kills < MANY:
            with begun(source, target) as process:
                if is_ended_after(process, gate, STEPS):
                    assert process.wait(10) == 0
                    return kills
                if kills % 2:
                    gate.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))
                    time.sleep(IN_FLIGHT)
                process.kill()
                process.wait(10)
                kills += 1
                if not kills % 2:
                    gate.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
    return kills


def kill_on_the_way_back(source: str, target: str, table: str) -> None:
    """Kill a copy that has come to a certain table."""
    with psycopg.connect(source) as gate, begun(source, target) as process:
        gate.execute(f"LOCK TABLE metier.{table} IN ACCESS EXCLUSIVE MODE")  # type: ignore[arg-type]
        until(lambda: someone_waits(gate), f"a copy that reads {table}")
        assert process.poll() is None
        process.kill()
        process.wait(10)


def test_a_copy_killed_again_and_again_is_whole_in_the_end(new_postgres: str, tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    with Workspace.open(shop) as ws:
        ws.deliver(Run(message=f"task {n}", output="x" * 500, external_id=str(n), session="s") for n in range(RUNS))
    kills = kills_on_the_way_there(str(shop), new_postgres)
    assert 3 < kills < MANY
    there = copied(str(shop), new_postgres)
    for old in state_of(shop).glob("metier.db*"):
        old.unlink()
    tables = [one.name for one in known_tables()]
    for table in ("runs", *tables[len(tables) // 2 :: 6]):
        kill_on_the_way_back(new_postgres, str(shop), table)
    back = copied(new_postgres, str(shop))
    assert back["hash"] == there["hash"]
    with Workspace.open(shop) as ws:
        assert len(ws.runs(limit=RUNS + 1)) == RUNS
