"""Lessons from real sessions, measured: how many of the first proposals are right, and what mining costs.

    python benchmarks/learning/lessons.py [PROJECT ...]

Reads annotated projects from `../shared/data/lessons` where they are; the cost is measured on
made-up sessions. Limits: 10 s CPU for all runs, half a second for new ones.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metier.formats.run_json import parse_run
from metier.learning.stages.learn_lessons import learn_lessons
from metier.types import Run, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.types.lessons import Lesson

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "lessons"
PROJECTS = ("spotter", "bookminder", "minsky")
RUNS, NEW = 10_000, 100
LIMIT, LIMIT_NEW = 10.0, 0.5
"""CPU seconds for all runs, and for a few new ones."""


def main(wanted: Sequence[str]) -> int:
    """Print precision for each project that is there, then the cost; 1: a claim does not hold."""
    holds = True
    for project in wanted or PROJECTS:
        if (DATA / project / "runs.jsonl.gz").is_file():
            holds &= measure_precision(project)
        else:
            print(f"{project}: no data here")
    return 0 if measure_cost() and holds else 1


def measure_precision(project: str) -> bool:
    """The share of the first proposals that somebody who read the sessions wrote down as well; is it high enough?"""
    with gzip.open(DATA / project / "runs.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = learned(parse_run(json.loads(line)) for line in lines)
    gold, junk = (rows(DATA / project / name) for name in ("gold.jsonl", "junk.jsonl"))
    print(project)
    holds = True
    for name, kinds, least in (("fixes and facts", ("fix", "fact"), 0.6), ("repeated corrections", ("rule",), 0.5)):
        chosen = [one for one in found if one.kind in kinds]
        for first in (5, 10):
            right = sum(is_gold(one.text, gold) for one in chosen[:first])
            print(f"  {name:<22} precision@{first:<3} {right} of {len(chosen[:first])}")
            holds &= first > 5 or right >= least * len(chosen[:first])
    bad = sum(bool(re.search(row["pattern"], one.text)) for one in found for row in junk)
    print(f"  junk {bad}, lessons {len(found)}")
    return holds and not bad


def learned(runs: Iterable[Run]) -> list[Lesson]:
    """The lessons from runs, without a model."""
    with tempfile.TemporaryDirectory() as folder, Workspace.open(folder) as ws:
        ws.deliver(runs)
        return lessons_of(ws)


def lessons_of(ws: Workspace) -> list[Lesson]:
    """One pass over what is new, for lessons alone."""
    steps = learn_lessons(ws.context, save=True)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return list(end.value)


def is_gold(text: str, gold: Sequence[dict[str, Any]]) -> bool:
    """Whether a line says one of the annotated lessons."""
    flat = " ".join(text.split())[:600]
    return any(
        all(any(re.search(one, flat, re.IGNORECASE) for one in group) for group in lesson["match"]) for lesson in gold
    )


def rows(path: Path) -> list[dict[str, Any]]:
    """A file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def session_runs(count: int, start: int = 0) -> list[Run]:
    """Made-up sessions of ten messages with five calls each, one in ten of which fails."""
    made: list[Run] = []
    for number in range(start, start + count):
        calls = [
            ToolCall(name="Bash", input=f"pytest tests/test_{number % 97}_{at}.py -q", output=f"{number} passed")
            for at in range(4)
        ]
        if number % 2:
            calls.append(
                ToolCall(name="Bash", ok=False, input="git push", output=f"fatal: no upstream branch for b{number}")
            )
            calls.append(ToolCall(name="Bash", input=f"git push --set-upstream origin b{number}", output="ok"))
        message = f"please add feature {number} to module {number % 31}, and make sure you run the tests"
        made.append(
            Run(message=message, output="Done.", status="completed", session=f"s{number // 10}", tools=tuple(calls))
        )
    return [replace(one, external_id=str(start + at)) for at, one in enumerate(made)]


def measure_cost() -> bool:
    """CPU seconds of mining many runs, and of a few new ones beside them; are they few enough?"""
    with tempfile.TemporaryDirectory() as folder, Workspace.open(folder) as ws:
        ws.deliver(session_runs(RUNS))
        first = cpu_seconds(ws)
        ws.deliver(session_runs(NEW, start=RUNS))
        again = cpu_seconds(ws)
    print(f"mining {RUNS:,} runs: {first:.1f} s CPU (limit {LIMIT:g}); {NEW} new: {again:.2f} s (limit {LIMIT_NEW:g})")
    return first <= LIMIT and again <= LIMIT_NEW


def cpu_seconds(ws: Workspace) -> float:
    """What one pass for lessons takes."""
    began = time.process_time()
    lessons_of(ws)
    return time.process_time() - began


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
