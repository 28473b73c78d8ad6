"""Four processes at different work on one workspace, killed at random more than 200 times beside a hook that records
every 5 ms: what must hold, holds."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
import time
import tomllib
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from cli_shell import bumps
from selection_shop import SKILLS, put
from sweep import METIER, environ_of, listed, metier, state_of, worker
from waiting import join

from metier.formats.run_json import dump_run
from metier.library.disk.packages import read_package
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

KILLS = 52
"""Kills by each of the four."""


class Worker(threading.Thread):
    """One of the four: it starts commands and kills them, and remembers what was acknowledged."""

    def __init__(self, folder: Path, number: int) -> None:
        super().__init__()
        self.folder, self.number = folder, number
        self.chance = random.Random(number)
        self.kills = self.starts = 0
        self.acknowledged: list[str] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        while self.kills < KILLS and self.starts < KILLS * 12:
            self.starts += 1
            self._once()

    def _once(self) -> None:
        words, given = self._words()
        process = subprocess.Popen(
            [METIER, "-w", str(self.folder), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ_of(self.folder),
            start_new_session=True,
        )
        killer = threading.Timer(self.chance.uniform(0.2, 2.5), lambda: self._kill(process))
        killer.start()
        out, err = process.communicate(given.encode(), timeout=60)
        killer.cancel()
        self.kills += process.returncode == -signal.SIGKILL
        if process.returncode not in (0, 1, 2, -signal.SIGKILL) or b"bug in" in err or b"Traceback" in err:
            self.wrong.append(f"{words}: {process.returncode} {err.decode()[:300]}")
        if words[0] == "record":
            with suppress(ValueError):
                self.acknowledged += json.loads(out)["ids"]

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def _words(self) -> tuple[list[str], str]:
        name = self.chance.choice(list(SKILLS))
        mark = f"{self.number}-{self.starts}"
        run = dump_run(self.chance.choice(bumps(6))) | {"id": mark, "session": mark}
        patch = json.dumps({"reasoning": "x", "edits": [{"op": "append", "content": f"Line {mark}."}]})
        document = f"{self.folder}/.agents/skills/{name}/SKILL.md"
        return self.chance.choice(
            [
                *[(["record", "--json"], json.dumps(run))] * 3,
                (["learn"], ""),
                (["select", "mend the flaky test"], ""),
                (["skills", "pin", name], ""),
                (["skills", "edit", document, "--patch", "-"], patch),
                (["skills", "list"], ""),
                (["config", "set", "min_runs", str(self.chance.randrange(2, 9))], ""),
                (["backup", str(self.folder / f"backup-{mark}.tar.gz")], ""),
                (["runs", "search", "bump"], ""),
            ]
        )


@pytest.mark.slow
def test_four_processes_at_mixed_work_survive_two_hundred_kills(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    with Workspace.open(folder, environ=environ_of(folder)) as ws:
        for name, (description, body) in SKILLS.items():
            put(ws, name, description, body)
            ws.pin(name)
    acks, stop = tmp_path / "acks", tmp_path / "stop"
    workers = [Worker(folder, number) for number in range(4)]
    with acks.open("ab") as out:
        hooks = subprocess.Popen(worker("hooks", folder, stop), cwd=folder, stdout=out, env=environ_of(folder))
    try:
        for one in workers:
            one.start()
        join(workers, seconds=1800)
    finally:
        stop.touch()
        assert hooks.wait(60) == 0
    assert sum(one.kills for one in workers) >= 200
    assert [line for one in workers for line in one.wrong] == []
    _holds(folder, [run for one in workers for run in one.acknowledged], acks.read_text().split())


def _holds(folder: Path, acknowledged: list[str], by_hooks: list[str]) -> None:
    """Nothing acknowledged is lost or twice, no skill is mixed, every version comes back, nothing is left half done."""
    began = time.monotonic()
    rows = listed(folder)
    assert time.monotonic() - began < 60
    found = Counter(str(row["id"]) for row in rows)
    assert [run for run in acknowledged if found[run] != 1] == []
    assert len(by_hooks) > KILLS * 10
    found = Counter(str(row["external_id"]) for row in rows)
    assert [name for name in by_hooks if found[name] != 1] == []
    for words in (("doctor",), ("audit", "verify")):
        done = metier(folder, *words)
        assert done.code == 0, done.out + done.err
    with Workspace.open(folder, environ=environ_of(folder)) as ws:
        for skill in ws.skills():
            past = ws.history(skill.name)
            assert read_package(folder / ".agents/skills" / skill.name).hash() == past[-1].hash
            for version in past:
                assert ws.library.find(skill.name).load(version).hash() == version.hash
    tomllib.loads((state_of(folder) / "metier.toml").read_text(encoding="utf-8"))
    assert list(state_of(folder).glob("*.part")) == []
