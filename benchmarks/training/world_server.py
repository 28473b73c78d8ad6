"""What the simulated world's server costs: CPU per request, measured in the server, under eight clients at once.

It stands for the model when trainers are compared, so it must not be what they wait for. Limit: 0.3 ms CPU a rollout.

python benchmarks/training/world_server.py
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from metier.cli.demo.world.jobs import cases
from metier.cli.demo.world.world import World, document, line

CLIENTS, CALLS, LIMIT_MS = 8, 400, 0.3
SKILL = document(line("G", rule) for rule in range(10))
CASES = cases(World(), "train", 200)


def count(port: int) -> dict[str, float]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/count")
    return json.loads(connection.getresponse().read())


def work(port: int) -> None:
    """One client on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for number in range(CALLS):
        said = [{"role": "system", "content": SKILL}, {"role": "user", "content": CASES[number % len(CASES)].input}]
        connection.request("POST", "/v1/chat/completions", json.dumps({"model": "any", "messages": said}))
        answer = connection.getresponse()
        if b"-done-" not in (body := answer.read()) and b"-open-" not in body:
            raise SystemExit(f"no answer: {answer.status} {body[:200]!r}")


def main() -> int:
    command = [sys.executable, str(Path(__file__).with_name("world") / "server.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, ThreadPoolExecutor(CLIENTS) as pool:
        assert server.stdout is not None
        port = json.loads(server.stdout.readline())["port"]
        work(port)
        before = count(port)
        list(pool.map(work, [port] * CLIENTS))
        after = count(port)
        server.terminate()
    calls = after["calls"] - before["calls"]
    cost = (after["cpu_seconds"] - before["cpu_seconds"]) / calls * 1000
    print(f"{calls:,.0f} rollouts by {CLIENTS} clients: {cost:.3f} ms CPU each in the server (limit {LIMIT_MS} ms)")
    return 0 if cost <= LIMIT_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
