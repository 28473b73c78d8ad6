"""`metier store copy`, killed again and again, both ways: it goes on, and in the end both stores hold the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.xdist_group("postgresql"), pytest.mark.slow]
RUNS = 4_000


def copy(source: str, target: str, seconds: float | None) -> dict[str, object] | None:
    """What the command says, or nothing if it was killed before its end."""
    command = [sys.executable, "-m", "metier", "store", "copy", source, target, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        out, err = process.communicate(timeout=seconds or 120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate(timeout=20)
        return None
    assert process.returncode == 0, err
    return json.loads(out)


def killed_until_through(source: str, target: str) -> tuple[dict[str, object], int]:
    kills = 0
    while kills < 6:
        if made := copy(source, target, 0.9 + kills * 0.35):
            return made, kills
        kills += 1
    made = copy(source, target, None)
    assert made is not None
    return made, kills


def test_a_copy_killed_again_and_again_is_whole_in_the_end(new_postgres: str, tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    with Workspace.open(shop) as ws:
        ws.deliver(Run(message=f"task {n}", output="x" * 500, external_id=str(n), session="s") for n in range(RUNS))
    there, kills = killed_until_through(str(shop), new_postgres)
    assert kills > 1
    for old in (shop / ".metier").glob("metier.db*"):
        old.unlink()
    began = time.monotonic()
    back, _ = killed_until_through(new_postgres, str(shop))
    assert time.monotonic() - began < 120
    assert back["hash"] == there["hash"]
    with Workspace.open(shop) as ws:
        assert len(ws.runs(limit=RUNS + 1)) == RUNS
