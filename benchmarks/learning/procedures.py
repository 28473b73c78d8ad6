"""What learned skills hold, measured on other people's runs, without a model.

    python benchmarks/learning/procedures.py

Reads `../shared/data/trajectories` where it is, and runs the scripts there: SkillLearnBench (key points of a good skill
found in the learned package) and tau-bench (half of the runs failed: does anything do harm, are broken rules named?).
The peer is the shortest run that went well, as it is; the limits are in `show_points` and `show_failures`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "trajectories"
TUNED = (
    "dbscan-parameter-tuning",
    "financial-analysis",
    "schedule-planning",
    "travel-planning",
    "weighted-gdp-calculation",
)
"""Families that constants were chosen on; the others were only looked at."""
METHOD = "metier"


def main() -> int:
    """Print both tables; 1: a claim does not hold."""
    if not (DATA / "skilllearn.py").is_file():
        print("no trajectories here")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        skills = run("skilllearn", Path(scratch), "--label", METHOD)
        held = show_skills(skills)
        return 0 if show_failures(run("taubench", Path(scratch))) and held else 1


def run(name: str, scratch: Path, *more: str) -> dict[str, Any]:
    """What a script of the benchmark found."""
    out = scratch / f"{name}.json"
    words = ["run", "--data", str(DATA / name), "--command", f"{sys.executable} -m metier", *more]
    subprocess.run(
        [sys.executable, str(DATA / f"{name}.py"), *words, "--work", str(scratch / name), "--out", str(out)],
        stdout=subprocess.DEVNULL, check=True, timeout=1_800,
    )  # fmt: skip
    return json.loads(out.read_text(encoding="utf-8"))


def show_skills(found: dict[str, Any]) -> bool:
    """The row of the learned packages beside that of a raw run, and both halves of the families."""
    columns = ("covered", "new", "one-off", "made up", "tokens")
    table = {METHOD: found["table"][METHOD], "shortest run": found["table"]["shortest other run: actions + answer"]}
    print("SkillLearnBench    " + "".join(f"{column:>9}" for column in columns))
    for name, row in table.items():
        print(f"  {name:<17}" + "".join(f"{row[column]:>9}" for column in columns))
    for name, tuned in (("tuned on", True), ("not tuned on", False)):
        rows = [one for one in found["rows"][METHOD] if (one["instance"].rsplit("-", 1)[0] in TUNED) == tuned]
        print(f"  {name:<17}{mean(one['covered'] for one in rows):>9.2f}")
    print(f"  named after its subject {found['named after its subject']}, drafts {found['draft states']}")
    ours, raw = table[METHOD], table["shortest run"]
    held = ours["covered"] >= max(0.4, raw["covered"] - 0.001) and ours["tokens"] <= 3_500
    return held and ours["one-off"] <= 0.13 and ours["made up"] <= 0.03 and found["named after its subject"] >= 0.9


def show_failures(found: dict[str, Any]) -> bool:
    """What is made of runs of which half failed."""
    named, due = (
        found["rules"]["of them in the output"],
        found["rules"]["rules broken in failing runs of 2 tasks or more"],
    )
    areas = found["failures"]["failing areas with a problem"]
    harm = found["harm"]["first messages where following it makes a wrong write"]
    ids = found["one-off ids in the text"]
    print(f"tau-bench: harm {harm}, skills with an id {len(ids)}, broken rules named {len(named)} of {len(due)},")
    print(f"  failing areas with a problem {len(areas)} of {len(found['failures']['failing areas'])}")
    return harm == 0 and not ids and len(named) >= 4 and len(areas) >= 5


if __name__ == "__main__":
    raise SystemExit(main())
