"""What `ws.select` costs in a workspace with many skills on disk, from the task to the recorded selection.

    python benchmarks/selection/selecting.py [--skills 10000] [--folder DIR]

Limits, processor time of one core at the median, in a process that lives: 15 ms for a new task, 5 ms for one that was
asked before. Besides: a new task whose skill nobody reviewed yet, the first selection of a process, a skill more. The
skills and tasks are those of `../shared/data` when they are there, else made up. With `--folder` the workspace stays
there and is used again.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from data import DATA, drawn, read_requests, read_skills

from metier.workspace import Workspace
from selection import made_up

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from metier.selection.types import Selectable

NEW, REMEMBERED = 15.0, 5.0
"""Milliseconds at the median."""
TASKS = 100


def given(count: int) -> tuple[list[Selectable], list[str]]:
    """Skills, and tasks for them."""
    if not DATA.is_dir():
        return made_up(count)
    served, _ = read_requests()
    return drawn(read_skills(), served, count), [one.text for one in served]


def filled(root: Path, skills: Sequence[Selectable]) -> None:
    """A folder for each skill; names are made to fit the standard."""
    for number, skill in enumerate(skills):
        plain = re.sub(r"[^a-z0-9]+", "-", skill.name.lower()).strip("-")[:50].strip("-") or "skill"
        place = root / plain
        if place.exists():
            place = root / f"{plain}-{number}"
        place.mkdir(parents=True)
        said = json.dumps(skill.description[:1000], ensure_ascii=False)
        text = f"---\nname: {place.name}\ndescription: {said}\n---\n\n{skill.body}\n"
        (place / "SKILL.md").write_text(text, encoding="utf-8")


def measured(name: str, works: Sequence[Callable[[], object]], limit: float = 0.0) -> bool:
    """Do some work piece by piece, and say what a piece took."""
    spent: list[tuple[float, float]] = []
    for work in works:
        began, stood = time.process_time(), time.perf_counter()
        work()
        spent.append((time.process_time() - began, time.perf_counter() - stood))
    (cpu, slow), (wall, late) = (np.percentile(np.array(each) * 1e3, (50, 95)) for each in zip(*spent, strict=True))
    held = f" (≤ {limit:g}: {cpu <= limit})" if limit else ""
    print(f"{name:<44} cpu {cpu:8.1f} / {slow:8.1f} ms{held}, wall {wall:8.1f} / {late:8.1f} ms")
    return not limit or bool(cpu <= limit)


def each(ws: Workspace, texts: Sequence[str]) -> list[Callable[[], object]]:
    """A selection for each text."""
    return [lambda text=text: ws.select(text, model=False) for text in texts]


def asked(folder: Path, tasks: Sequence[str]) -> bool:
    """New tasks, the same again, and changes; the workspace is opened anew, so that nothing is known of any skill."""
    with Workspace.open(folder) as ws:
        measured("the first selection of a process", each(ws, tasks[:1]))
        measured("a new task, its skill not reviewed yet", each(ws, tasks[1 : TASKS + 1]))
    mark = time.time_ns()  # tasks that nobody asked, about skills that were reviewed
    with Workspace.open(folder) as ws:
        ws.select(tasks[0], model=False)
        fine = measured("a new task", each(ws, [f"{text} {mark}" for text in tasks[1 : TASKS + 1]]), NEW)
        fine &= measured("a task asked before", each(ws, tasks[1 : TASKS + 1]), REMEMBERED)
        names = list(ws.pool.catalogue.in_use)[:TASKS]
        excluding = [lambda name=name: ws.select(f"{tasks[0]} {name}", model=False, exclude=[name]) for name in names]
        measured("a new task, another skill excluded each time", excluding)
        filled(folder / ".agents/skills", [made_up(1)[0][0]])
        ws.trust_skills()
        measured("a skill more, found and indexed", [lambda: list(ws.pool.refresh())])
    return fine


def command(folder: Path, task: str) -> None:
    """The command line, start included."""
    line = [sys.executable, "-m", "metier", "select", task, "--no-model"]
    environ = os.environ | {"METIER_WORKSPACE": str(folder)}
    began = os.times()
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ)
    spent = os.times()
    cpu = spent.children_user + spent.children_system - began.children_user - began.children_system
    print(
        f"{'`metier select`, nothing changed':<44} cpu {cpu * 1e3:8.0f} ms, wall {(spent[4] - began[4]) * 1e3:8.0f} ms"
    )


def main() -> int:
    """Everything; exit 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skills", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    skills, tasks = given(options.skills)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as temporary:
        folder: Path = (options.folder or Path(temporary)).resolve()
        (folder / "home").mkdir(parents=True, exist_ok=True)
        os.environ["HOME"] = str(folder / "home")
        if not (folder / ".agents").exists():
            filled(folder / ".agents/skills", skills)
            with Workspace.open(folder, trust_roots=True) as ws:
                measured(f"{len(skills):,} skills kept and indexed", [ws.pool.update_if_stale])
        time.sleep(0.2)  # what changed a moment ago is read once more
        fine = asked(folder, tasks)
        for _ in range(2):
            command(folder, tasks[0])
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
