"""Recurring work of a small team as runs, with the task each truly belongs to.

    python benchmarks/learning/work_generator.py                  what is in it
    python benchmarks/learning/work_generator.py RUNS.jsonl       the runs, as `metier record` reads them
    python benchmarks/learning/work_generator.py RUNS.jsonl LABELS.json [SEED [RUNS PER TASK]]

The second file maps the id of each run to its task, null for a request that comes up once.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))

import work

from metier.formats.run_json import dump_run


def main(arguments: list[str]) -> None:
    seed = int(arguments[2]) if arguments[2:] else work.SEED
    per_task = int(arguments[3]) if arguments[3:] else work.PER_TASK
    made = work.samples(seed, per_task)
    if arguments:
        lines = [json.dumps(dump_run(one.run), ensure_ascii=False) for one in made]
        Path(arguments[0]).write_text("\n".join([*lines, ""]), encoding="utf-8")
    if arguments[1:]:
        labels = {one.run.external_id: one.label for one in made}
        Path(arguments[1]).write_text(json.dumps(labels, indent=1), encoding="utf-8")
    counts = Counter(one.label for one in made)
    print(f"{len(made)} runs, {len(counts) - 1} recurring tasks, {counts[None]} that come up once")


if __name__ == "__main__":
    main(sys.argv[1:])
