"""What the training engine costs: wall time against 24 calls always in flight, CPU per call, kills, budgets.

A server process on loopback answers every call after 50 ms: rollouts by the simulated world, the optimiser's questions
by its proposer. Peers: the ideal (calls x 50 ms / 24), and the CPU that the OpenAI SDK takes for one call in the same
run (installed into a folder of its own with pip; left out where that fails).

python benchmarks/training/training.py [--runs 7] [--kills 20] [--budgets 50] [--preset default] [--quick]
python benchmarks/training/training.py --wall    wall figures alone: answers after 250 ms, then 50 ms
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

if TYPE_CHECKING:
    from collections.abc import Generator

LATENCY, WORKERS = 0.05, 24
WALL_LIMIT, CPU_LIMIT_MS = 1.3, 3.0
WALLS = ((0.25, 1.25), (LATENCY, WALL_LIMIT))
"""Seconds for an answer, and the limit of the wall time against the ideal."""
CHILD = """
import json, resource, sys, time
from metier.training.presets import spec_of
from metier.training.train import train
from metier.training.service.inputs import cases_from
from metier.training.service.order import Order, TrainLimits
from metier.skills.package import Package
from metier.workspace import Workspace

folder, model = sys.argv[1:3]
limits, settings, workers = (json.loads(word) for word in sys.argv[3:6])
package = Package(files={"SKILL.md": open(folder + "/SKILL.md", "rb").read()})
cases, _ = cases_from(folder + "/cases.jsonl", package)
with Workspace.open(folder) as ws:
    order = Order(skill=folder + "/simulated", start=package, cases=cases, target="chat=" + model, optimiser=model,
                  spec=spec_of(**settings), limits=TrainLimits(**limits), workers=workers)
    began, cpu = time.monotonic(), time.process_time()
    events = train(ws.context, order)
    try:
        while True:
            next(events)
    except StopIteration as end:
        finished = end.value
    print(json.dumps({"wall": time.monotonic() - began, "cpu": time.process_time() - cpu,
                      "hash": finished.trained.best.hash(), "stopped": finished.trained.stopped,
                      "scores": finished.report["scores"], "rollouts": finished.report["rollouts"],
                      "calls": finished.report["calls"], "steps": len(finished.trained.steps)}))
"""
SDK = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from openai import OpenAI
client = OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
def one(number):
    client.chat.completions.create(model="m", max_tokens=64, temperature=0,
        messages=[{"role": "system", "content": "x" * 600}, {"role": "user", "content": f"Job t{number:04d}: do it."}])
with ThreadPoolExecutor(24) as pool:
    list(pool.map(one, range(48)))
    began = time.process_time()
    list(pool.map(one, range(1000, 1600)))
    print((time.process_time() - began) / 600 * 1000)
"""


@contextmanager
def server(latency: float = LATENCY, **weather: float) -> Generator[str]:
    """A simulated world on loopback; its address."""
    more = [word for name, value in weather.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    command = [
        sys.executable,
        str(Path(__file__).with_name("world") / "server.py"),
        "--seed",
        "1",
        "--latency",
        str(latency),
        *more,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        yield said["address"]
    finally:
        process.terminate()
        process.wait()


def counted(address: str) -> int:
    """Calls the server has had."""
    root = address.removesuffix("/v1")
    with urlopen(f"{root}/count") as reply:
        said = json.load(reply)
    return int(said.get("calls", said.get("total", 0)))


def prepared(folder: Path, cases: tuple[int, int, int]) -> None:
    """A skill and its cases."""
    from metier.cli.demo.world.jobs import cases as jobs
    from metier.cli.demo.world.world import World, WorldSpec, document
    from metier.training.cases.read import dump_case

    world = World(spec=WorldSpec(seed=1))
    parts = zip(("train", "val", "test"), cases, strict=True)
    lines = [dump_case(case) for part, count in parts for case in jobs(world, part, count)]
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "SKILL.md").write_text(document(), encoding="utf-8")


def child(
    folder: Path, address: str, settings: dict[str, object], limits: dict[str, object], workers: int = WORKERS
) -> list[str]:
    """The command line of one training in a process of its own."""
    model = f"openai:simulated@{address}"
    return [sys.executable, "-c", CHILD, str(folder), model, json.dumps(limits), json.dumps(settings), str(workers)]


def trained(
    folder: Path, address: str, settings: dict[str, object], limits: dict[str, object] | None = None
) -> dict[str, object]:
    """One training to its end."""
    done = subprocess.run(child(folder, address, settings, limits or {}), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"The training failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def fresh(cases: tuple[int, int, int]) -> Path:
    """A folder with a skill and cases."""
    folder = Path(tempfile.mkdtemp(prefix="training-"))
    prepared(folder, cases)
    return folder


def speed(
    runs: int,
    cases: tuple[int, int, int],
    settings: dict[str, object],
    latency: float = LATENCY,
    limit: float = WALL_LIMIT,
) -> str:
    """Wall and CPU of several equal runs, each in a new workspace; the hash they all end with."""
    hashes: set[str] = set()
    ratios: list[float] = []
    for number in range(runs):
        folder = fresh(cases)
        with server(latency) as address:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            began = time.monotonic()
            found = trained(folder, address, settings)
            whole = time.monotonic() - began
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            calls = counted(address)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        ideal = calls * latency / WORKERS
        wall = float(str(found["wall"]))
        hashes.add(str(found["hash"]))
        ratios.append(wall / ideal)
        print(
            f"run {number + 1}: {calls} calls, {wall:.2f} s (with the start of Python {whole:.2f} s), ideal"
            f" {ideal:.2f} s: {wall / ideal:.2f}x (limit {limit});"
            f" CPU {1000 * float(str(found['cpu'])) / calls:.2f} ms a call,"
            f" {1000 * cpu / calls:.2f} ms with the start (limit {CPU_LIMIT_MS}); scores {found['scores']}"
        )
        shutil.rmtree(folder)
    held = "holds" if max(ratios) <= limit else "DOES NOT HOLD"
    print(
        f"answers after {1000 * latency:.0f} ms, {WORKERS} workers, {runs} runs: {min(ratios):.2f} to {max(ratios):.2f}"
        f" times the ideal, limit {limit} {held}; {len(hashes)} hash{'' if len(hashes) == 1 else 'es'}"
    )
    return hashes.pop()


def kills(count: int, cases: tuple[int, int, int], settings: dict[str, object], expected: str) -> None:
    """One training killed at random moments and taken up again each time."""
    folder = fresh(cases)
    with server() as address:
        plain = fresh(cases)
        trained(plain, address, settings)
        undisturbed = counted(address)
        shutil.rmtree(plain)
        draw = random.Random(7)
        for _ in range(count):
            process = subprocess.Popen(
                child(folder, address, settings, {}), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(draw.uniform(0.8, 2.0))
            process.send_signal(signal.SIGKILL)
            process.wait()
        found = trained(folder, address, settings)
        disturbed = counted(address) - undisturbed
    extra = disturbed - undisturbed
    same = "same" if found["hash"] == expected else "ANOTHER"
    print(
        f"{count} kills: {same} hash; {extra} calls more than the {undisturbed}"
        f" of an undisturbed run (limit {count * WORKERS}, or what was begun ahead)"
    )
    shutil.rmtree(folder)


def budgets(most: int, cases: tuple[int, int, int], settings: dict[str, object]) -> None:
    """Trainings that may make N calls: the server counts."""
    worst = 0
    for limit in range(1, most + 1):
        folder = fresh(cases)
        with server(latency=0.01) as address:
            trained(folder, address, settings, {"calls": limit})
            worst = max(worst, counted(address) - limit)
        shutil.rmtree(folder)
    print(f"budgets of 1 to {most} calls with {WORKERS} workers: at most {max(0, worst)} calls too many")


def sdk() -> None:
    """The CPU that the OpenAI SDK takes for a call to the same server."""
    folder = Path(tempfile.mkdtemp(prefix="sdk-"))
    try:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(folder / "bin/pip"), "install", "-q", "openai"], check=True, capture_output=True)
        with server() as address:
            environ = {"PATH": os.environ["PATH"], "HOME": str(folder)}
            done = subprocess.run(
                [str(folder / "bin/python"), "-c", SDK, address],
                capture_output=True,
                text=True,
                env=environ,
                check=True,
            )
        print(f"OpenAI SDK: {float(done.stdout):.2f} ms CPU a call")
    except (subprocess.CalledProcessError, ValueError) as error:
        print(f"OpenAI SDK: could not be measured ({error})")
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--budgets", type=int, default=50)
    parser.add_argument("--preset", default="classic")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--wall", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("METIER_BUDGET_CALLS", "1000000")  # the simulated model has no price: else 100 calls a day
    small: dict[str, object] = {"preset": given.preset, "epochs": 2, "batch": 20}
    cases, settings = ((40, 20, 20), small) if given.quick else ((200, 100, 100), {"preset": given.preset})
    if given.wall:
        for latency, limit in WALLS:
            speed(min(given.runs, 3), cases, settings, latency, limit)
        return
    sdk()
    expected = speed(given.runs, cases, settings)
    if given.kills:
        kills(given.kills, cases, settings, expected)
    if given.budgets:
        budgets(given.budgets, (40, 20, 20), small)


if __name__ == "__main__":
    main()
