"""The child process of the fault tests: does one thing to a workspace and acknowledges on stdout what is kept.

It acknowledges with `writev`, which no sweep counts or disturbs.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from typing import Any, NoReturn

from metier.errors import MetierError
from metier.types import Run, SkillTrace
from metier.workspace import Workspace

MOST_HOOKS = 40
"""Hooks at the same time, however slow the machine is."""
AT_ONCE = os.WEXITED | os.WNOHANG | os.WNOWAIT
SHOWN = ("external_id", "source", "message", "status")


def acknowledge(text: str) -> None:
    os.writev(1, [text.encode() + b"\n"])


def keep(ws: Workspace, name: str) -> None:
    """Record one run and acknowledge it once it is kept."""
    run = Run(message=f"task {name}", external_id=name, status="completed", skills=SkillTrace(path=("testing",)))
    if ws.finish(run).kept:
        acknowledge(name)


def record(folder: str, prefix: str, number: str = "", gate: str = "") -> None:
    """Record so many runs, or go on for ever; begin when the gate file is there."""
    while gate and not Path(gate).exists():
        time.sleep(0.0005)
    with Workspace.open(folder) as ws:
        for index in islice(count(), int(number) if number else None):
            keep(ws, f"{prefix}-{index}")


def block(folder: str, number: str) -> None:
    """Record through the context manager: acknowledge when the block has begun, and when it has ended."""
    with Workspace.open(folder) as ws:
        for _ in range(int(number)):
            with ws.record("a block of work") as run:
                if run.delivery and run.delivery.kept:
                    acknowledge(f"begun:{run.delivery.id}")
                run.answer("done")
            if run.delivery.kept:
                acknowledge(f"ended:{run.delivery.id}")


def opened(folder: str, rounds: str = "1") -> None:
    """Open and close, which takes in the spool."""
    for _ in range(int(rounds)):
        with Workspace.open(folder):
            pass


def placed(folder: str) -> None:
    """Make the state folder, and no database in it."""
    from metier.context.state_folder import make_place, state_home

    make_place(folder, state_home(os.environ), os.environ)


def hooks(_folder: str, stop: str) -> None:
    """Start a hook every 5 ms until the stop file is there; each acknowledges what it has kept."""
    children: list[int] = []
    for index in count():
        if Path(stop).exists():
            break
        if not (child := os.fork()):
            _be_hook(f"hook-{index}")
        children.append(child)
        time.sleep(0.005)
        while children and (len(children) > MOST_HOOKS or os.waitid(os.P_PID, children[0], AT_ONCE)):
            os.waitpid(children.pop(0), 0)
    for child in children:
        os.waitpid(child, 0)


def _be_hook(name: str) -> NoReturn:
    """Record as the hook does that an agent started with this object, in the current folder."""
    from metier.hooks import record as hook
    from metier.hooks.process import run_hook

    def work(*given: Any) -> None:
        hook.record(*given)
        acknowledge(name)

    source, target = os.pipe()
    os.write(target, json.dumps({"id": name, "message": f"task {name}"}).encode())
    os.close(target)
    os.dup2(source, 0)
    sys.argv = ["record", os.environ["METIER_HOME"]]
    run_hook("record", work, seconds=hook.SECONDS)
    raise AssertionError("a hook ends its process")


def listed(folder: str) -> None:
    """Say what is there, as JSON."""
    with Workspace.open(folder, create=False) as ws:
        rows = [(one.id, *(getattr(one.run, name) for name in SHOWN)) for one in ws.runs(100_000)]
    sys.stdout.write(json.dumps([dict(zip(("id", *SHOWN), row, strict=True)) for row in rows]))


def delete(folder: str, run: str) -> None:
    """Remove a run for good, unless it is gone already."""
    from metier.errors import NotFoundError
    from metier.maintenance.retention import remove_runs

    with Workspace.open(folder) as ws, suppress(NotFoundError):
        list(remove_runs(ws.context, [run], "a test"))


def backup(folder: str, file: str) -> None:
    """Back the workspace up, unless that is done already."""
    from metier.maintenance.backup import write_backup as write

    with Workspace.open(folder) as ws:
        if not Path(file).exists():
            write(ws.context, Path(file))


def restore(folder: str, file: str) -> None:
    """Bring a backup back."""
    from metier.maintenance.backup import restore_backup as bring_back

    with Workspace.open(folder) as ws:
        bring_back(ws.context, Path(file))


def mix(folder: str, stop: str) -> None:
    """Read and write: list, search, mark, until the stop file is there."""
    from metier.runs.verdicts import mark_run

    with Workspace.open(folder) as ws:
        for index in count():
            records = ws.runs(20)
            ws.search("task", 5)
            if records:
                mark_run(ws.context, records[index % len(records)].id, "good" if index % 2 else "bad", "looked at")
            if Path(stop).exists():
                acknowledge(str(index + 1))
                return


def hold(folder: str) -> None:
    """Take the lock and keep it."""
    with Workspace.open(folder) as ws, ws.context.store.write():
        acknowledge("held")
        time.sleep(60)


def pause(folder: str, gate: str) -> None:
    """Record, wait for the gate file, record again: with what other processes did in between."""
    with Workspace.open(folder) as ws:
        ws.runs()
        keep(ws, "paused-0")
        for _ in range(6000):
            if Path(gate).exists():
                break
            time.sleep(0.005)
        keep(ws, "paused-1")
        os._exit(0)


def fork(folder: str, children: str, number: str) -> None:
    """Let forked children go on with the parent's open workspace, beside the parent."""
    ws = Workspace.open(folder)
    keep(ws, "before-0")
    pids: list[int] = []
    for child in range(int(children)):
        pid = os.fork()
        if pid == 0:
            for index in range(int(number)):
                keep(ws, f"child{child}-{index}")
            ws.close()
            return
        pids.append(pid)
    for index in range(int(number)):
        keep(ws, f"parent-{index}")
    assert all(os.waitpid(pid, 0)[1] == 0 for pid in pids)
    keep(ws, "after-0")
    ws.close()


def fork_inside(folder: str) -> None:
    """Fork a long-lived child in the middle of a write, as a threaded agent may, and end the write."""
    ws = Workspace.open(folder)
    with ws.context.store.write():
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
    acknowledge("released")
    time.sleep(30)


def fill(folder: str) -> None:
    """Record until the database's log has been folded, then a few small runs more."""
    with Workspace.open(folder) as ws:
        for index in range(60):
            ws.finish(Run(message=f"{index} " + "x " * 100_000, external_id=f"big-{index}"))
        for index in range(40):
            keep(ws, f"small-{index}")


def starve(folder: str, free: str) -> None:
    """Record with hardly a file descriptor left; whatever happens, no exception comes out."""
    import resource

    with Workspace.open(folder) as ws:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        taken: list[int] = []
        try:
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            pass
        for _ in range(int(free)):
            os.close(taken.pop())
        keep(ws, "starved-0")
        for handle in taken:
            os.close(handle)
        keep(ws, "fed-0")


def migrate(folder: str) -> None:
    """Run three migrations one after the other on a bare database."""
    from metier.store.engines.migrate import Migration
    from metier.store.engines.migrate import migrate as bring_up
    from metier.store.engines.sqlite import SqliteEngine

    steps = [
        Migration(
            number=n, name=f"step{n}", statements=(f"CREATE TABLE t{n} (a BIGINT)", f"INSERT INTO t{n} VALUES (1)")
        )
        for n in (1, 2, 3)
    ]
    engine = SqliteEngine(Path(folder) / "bare.db", lock=Path(folder) / "lock")
    bring_up(engine, "2026-01-01T00:00:00Z", steps)
    engine.close()


if __name__ == "__main__":
    try:
        globals()[sys.argv[1]](*sys.argv[2:])
    except MetierError as error:
        sys.exit(f"worker: {error}")
