"""Run the benchmarks, in turns with a fixed piece of work that tells how noisy the machine is.

    python benchmarks/run.py             all of them, whole; the table goes into docs/benchmarks.md
    python benchmarks/run.py --quick     each in a small form, to see that it runs: under three minutes

The peer or limit of each is in its own docstring; its exit code says whether it holds (1: a limit is broken). Where a
benchmark runs in several rounds, all others run between two of its rounds, so that a busy minute hits no one alone.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
PLACE = re.compile(r"(?<=<!-- the last whole run -->\n).*?(?=<!-- end of the last whole run -->)", re.DOTALL)
SHARE = 9.0
"""Seconds of a benchmark in its small form; one that still works well then is stopped, and counts as running."""
GRACE = 15
"""Seconds that a stopped one has to clean up."""
LONGEST = 3_600
"""Seconds of a whole benchmark."""
LOAD = 200_000
"""Steps of the fixed piece of work."""


@dataclass(frozen=True)
class Bench:
    """A benchmark, and how it is run."""

    file: str
    whole: str = ""
    quick: str = ""
    rounds: int = 1
    needs: str = ""
    """A folder beside the repository without which it says nothing."""


@dataclass
class Went:
    """How the rounds of a benchmark went."""

    codes: list[int] = field(default_factory=list[int])
    cpu: list[float] = field(default_factory=list[float])
    tail: str = ""


BENCHMARKS = (
    Bench("agents/startup.py", rounds=3),
    Bench("agents/hook.py", quick="--skills 100", rounds=3),
    Bench("agents/told_lessons.py", quick="--lessons 10", rounds=3),
    Bench("agents/agents.py", quick="--skills 20 --runs 100 --library 50"),
    Bench("agents/agent_as_model.py"),
    Bench("capture/recording.py", whole="--million"),
    Bench("capture/parsing.py", quick="--megabytes 1", rounds=3),
    Bench("capture/importing.py", quick="1", rounds=3),
    Bench("capture/redaction.py"),
    Bench("learning/learning.py", whole="--grow", quick="--runs 60 --tasks 6"),
    Bench("learning/clustering.py"),
    Bench("learning/lessons.py"),
    Bench("learning/checkup.py", quick="--sessions 4"),
    Bench("learning/procedures.py"),
    Bench("learning/poisoning.py", quick="--quick"),
    Bench("review/review.py", whole="--held-out", quick="--sample 10 --no-time"),
    Bench("review/blind.py"),
    Bench("library/library.py", quick="--count 20"),
    Bench("library/edits.py", rounds=3),
    Bench("models/models.py"),
    Bench("selection/selection.py"),
    Bench("selection/selecting.py", quick="--skills 30"),
    Bench("selection/small_libraries.py", needs="retrieval"),
    Bench("gates/confirm.py", quick="5"),
    Bench("gates/gates.py", whole="--seeds 80", quick="--seeds 1 --worlds small"),
    Bench("training/training.py", quick="--quick --runs 1 --kills 1 --budgets 1"),
    Bench("training/world_server.py", rounds=3),
    Bench("real_model/real_model.py", whole="--seeds 8 --test", needs="intents"),
    Bench("proof/trials.py", quick="--trials 40"),
    Bench("web/dashboard.py", quick="--runs 50 --requests 1"),
    Bench("fleet/fleet_engines.py", quick="procrastinate --only throughput"),
    Bench("fleet/fleet.py", quick="--runs 4000 --requests 1 --only enqueue,pages"),
    Bench("fleet/scale.py", whole="--runs 1000000", quick="--runs 500"),
    Bench("fleet/serving.py", whole="--store postgres", quick="--seconds 1"),
)
TOOLS = {
    "learning/check_sample.py": "writes a sample for a person to read",
    "learning/work_generator.py": "prints sample runs",
    "review/fit.py": "fits weights",
    "review/likeness.py": "fits weights",
    "selection/fit.py": "fits weights",
    "real_model/server.py": "a server that a benchmark starts",
    "training/world/server.py": "a server that a benchmark starts",
    "fleet/worker.py": "a worker that a benchmark starts",
    "run.py": "this one",
}
"""Programs in this folder that measure nothing by themselves."""


def main() -> int:
    """Run what is asked for; the exit code is 1 if a benchmark does not run, or in a whole run breaks its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="files whose path holds this")
    given = parser.parse_args()
    chosen = [one for one in BENCHMARKS if given.only in one.file]
    return run_quick(chosen) if given.quick else run_whole(chosen, write=not given.only)


def run_quick(chosen: list[Bench]) -> int:
    """Each for a few seconds, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda one: (one, start(one, one.quick, SHARE)), chosen))
    broken = 0
    for bench, (code, _, text) in found:
        bad = "Traceback (most recent call last)" in text or code not in (0, 1, None)
        broken += bad
        how = "does not run" if bad else "runs" if code is not None else f"runs, stopped after {SHARE:.0f} s"
        print(f"{how:<24} {bench.file} {bench.quick}", flush=True)
        if bad:
            print(text[-2_000:])
    return int(broken > 0)


def run_whole(chosen: list[Bench], *, write: bool) -> int:
    """All of them in rounds, with the fixed work between."""
    noise: list[float] = []
    went = {one.file: Went() for one in chosen}
    for number in range(max(one.rounds for one in chosen)):
        for bench in (one for one in chosen if number < one.rounds and is_there(one)):
            noise.append(fixed_work())
            code, cpu, text = start(bench, bench.whole, LONGEST)
            went[bench.file].codes.append(2 if code is None else code)
            went[bench.file].cpu.append(cpu)
            print(f"== {bench.file} {bench.whole}: exit code {code}, {cpu:.1f} s of CPU\n{text}", flush=True)
    table = table_of(chosen, went, noise)
    print(table)
    if write:
        PAGE.write_text(PLACE.sub(lambda _: table, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return int(any(code for one in went.values() for code in one.codes))


def start(bench: Bench, words: str, seconds: float) -> tuple[int | None, float, str]:
    """Run one; its exit code (None: it was stopped), its CPU time, and what it said until then."""
    with tempfile.TemporaryFile("w+") as said:
        command = [sys.executable, str(HERE / bench.file), *words.split()]
        began = os.times()
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=HERE.parent, start_new_session=True)
        try:
            code = process.wait(timeout=seconds)
            text = read(said)
        except subprocess.TimeoutExpired:
            code, text = None, read(said)
            stop(process)
        ended = os.times()
        cpu = ended.children_user + ended.children_system - began.children_user - began.children_system
        return code, cpu, text


def read(said: TextIO) -> str:
    """What is in a file that is still being written."""
    return os.pread(said.fileno(), 1 << 20, 0).decode("utf-8", "replace")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a benchmark as Ctrl-C does, so that it ends its own servers; after a while, whatever it says."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(timeout=GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=GRACE)


def fixed_work() -> float:
    """Seconds by the clock of the same work each time."""
    began = time.perf_counter()
    sum(number * number for number in range(LOAD))
    return time.perf_counter() - began


def is_there(bench: Bench) -> bool:
    """Whether what it reads lies beside the repository."""
    return not bench.needs or (HERE.parent.parent / "shared" / "data" / bench.needs).is_dir()


def table_of(chosen: list[Bench], went: dict[str, Went], noise: list[float]) -> str:
    """The whole run as a table."""
    usual = statistics.median(noise)
    spread = 100 * (statistics.quantiles(noise, n=10)[-1] / usual - 1) if len(noise) > 1 else 0.0
    words = {0: "holds", 1: "broken"}
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"
    lines = [
        f"`make bench` on {machine}. Noise: the same work, done between two benchmarks, took at most {spread:.0f} %",
        "longer than usual in nine of ten cases.",
        "",
        "| benchmark | limits | CPU, s | rounds |",
        "|---|---|---|---|",
    ]
    for bench in chosen:
        one = went[bench.file]
        limits = (
            ", ".join(dict.fromkeys(words.get(code, "did not run") for code in one.codes)) or f"no data ({bench.needs})"
        )
        cpu = " to ".join(f"{value:.1f}" for value in dict.fromkeys((min(one.cpu), max(one.cpu)))) if one.cpu else ""
        lines.append(f"| `{bench.file} {bench.whole}".rstrip() + f"` | {limits} | {cpu} | {len(one.codes)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
