"""What agents wait for: the launcher in its cases, and the commands that a person runs beside an agent.

python benchmarks/agents/agents.py [--skills 1000] [--runs 100000] [--library 10000]

The launcher and the MCP server's first answer are measured by the clock, the least of many calls, because starting
processes is their cost: run this on a quiet machine. Everything else is CPU time.
Each figure has its limit beside it. The hook that selects (`hook.py`) and
agents as models (`agent_as_model.py`) have benchmarks of their own, which this one starts at the end. Python may keep
its bytecode here, as it does for whoever installs a package.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import median
from string import ascii_lowercase
from typing import TYPE_CHECKING

from startup import cpu_ms

from metier.hooks.notes import Note, write_notes
from metier.types import Run, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

LAUNCHER = str(files("metier.agents") / "plugin/bin/metier-hook")
LAUNCHER_MS = 5
"""Milliseconds where there is nothing to say."""
SELECT_MS, DOCTOR_MS, MCP_MS = 700, 2_000, 150
ROUNDS = 60
TASKS = 9
TOPICS = [
    "deploy",
    "test",
    "database",
    "login",
    "migration",
    "cache",
    "queue",
    "invoice",
    "email",
    "report",
    "chart",
    "export",
    "import",
    "backup",
    "search",
    "payment",
    "shipping",
    "order",
    "coupon",
    "image",
    "video",
    "network",
    "proxy",
    "docker",
    "python",
    "rust",
    "java",
    "react",
    "css",
    "html",
    "sql",
    "redis",
    "kafka",
    "nginx",
    "git",
]


def wall_ms(command: list[str], stdin: str, folder: Path, home: Path) -> float:
    """The least time of many calls, in milliseconds."""
    best = float("inf")
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(command, input=stdin.encode(), cwd=folder, env=env, check=True, capture_output=True)
        best = min(best, time.perf_counter() - began)
    return best * 1000


def launcher_times(home: Path) -> dict[str, float]:
    """The launcher outside a workspace, inside one, and before a tool."""
    outside, inside = home / "outside/a/b/c", home / "inside"
    outside.mkdir(parents=True)
    inside.mkdir()
    with Workspace.open(inside) as ws:
        state = str(ws.state)
    call = json.dumps({"hook_event_name": "PreToolUse", "tool_input": {"command": "git status"}, "cwd": str(inside)})
    large = json.dumps({"hook_event_name": "PreToolUse", "tool_input": {"content": "x " * 50_000}, "cwd": str(inside)})
    found = {
        "sh itself": wall_ms(["sh", "-c", "exit 0"], "", outside, home),
        "outside a workspace": wall_ms(["sh", LAUNCHER, "prompt"], call, outside, home),
        "before a tool, no notes": wall_ms(["sh", LAUNCHER, "before"], call, inside, home),
    }
    write_notes(state, [Note("before", "x", f"some command {number}") for number in range(100)])
    found["before a tool, 100 notes, none fits"] = wall_ms(["sh", LAUNCHER, "before"], call, inside, home)
    found["the same with a call of 100 KB"] = wall_ms(["sh", LAUNCHER, "before"], large, inside, home)
    return found


def random_words(count: int) -> list[str]:
    """Words that mean nothing, always the same ones."""
    chance = random.Random(7)
    return ["".join(chance.choices(ascii_lowercase, k=chance.randint(4, 9))) for _ in range(count)]


def put_skills(root: Path, count: int, words: Sequence[str], lines: int) -> None:
    """Skills of some words, with bodies of so many lines."""
    chance = random.Random(1)
    for number in range(count):
        first, second, third = chance.sample(words, 3)
        folder = root / f".agents/skills/{first}-{second}-{number}"
        folder.mkdir(parents=True)
        body = "\n".join(f"- {' '.join(chance.choices(words, k=12))}" for _ in range(lines))
        head = f"name: {folder.name}\ndescription: How to handle {first} with {second}. Use when {third} breaks."
        (folder / "SKILL.md").write_text(f"---\n{head}\n---\n\n# {first}\n\n{body}\n", encoding="utf-8")


def mcp_time(folder: Path) -> float:
    """Milliseconds from the start of the MCP server to its answer to `initialize`, the least of several."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}) + "\n"
    best = float("inf")
    for _ in range(10):
        began = time.perf_counter()
        command = [sys.executable, "-I", "-m", "metier", "mcp"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, text=True) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(asked)
            server.stdin.flush()
            assert "metier" in server.stdout.readline()
            best = min(best, time.perf_counter() - began)
            server.stdin.close()
    return best * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectTimes:
    """CPU time in milliseconds of commands in processes of their own, with one library."""

    init: float
    """`metier init`, which indexes and checks every skill."""
    again: float
    """`metier select` with a task that was asked before, the least of several."""
    new: list[float]
    """`metier select` with one new task after the other, in order of time."""
    unprepared: float
    """`metier select` in a workspace that was made without init, so that it indexes and checks every skill itself."""


def select_times(folder: Path, skills: int, words: Sequence[str], lines: int) -> SelectTimes:
    """What a selection takes, by a library of skills of some words."""
    chance = random.Random(2)
    tasks = [f"the {chance.choice(words)} breaks after a {chance.choice(words)}" for _ in range(TASKS)]
    for name in ("prepared", "unprepared"):
        put_skills(folder / name, skills, words, lines)
        Workspace.open(folder / name, trust_roots=True).close()

    def call(name: str, *words: str) -> list[str]:
        return [sys.executable, "-m", "metier", "-w", str(folder / name), *words]

    return SelectTimes(
        init=cpu_ms(call("prepared", "init", "--no-connect"), rounds=1),
        new=sorted(cpu_ms(call("prepared", "select", task, "--json"), rounds=1) for task in tasks),
        again=cpu_ms(call("prepared", "select", tasks[0], "--json")),
        unprepared=cpu_ms(call("unprepared", "select", tasks[0], "--json"), rounds=1),
    )


def show_select_times(name: str, found: SelectTimes, skills: int) -> bool:
    """Print what a selection takes; whether it is within the limit."""
    new, worst = median(found.new), found.new[-1]
    print(f"metier select, {skills:,} skills ({name}), asked before: {found.again:.0f} ms CPU (limit {SELECT_MS})")
    print(f"  asked for the first time: {new:.0f} ms CPU (limit {SELECT_MS}), the slowest of {TASKS}: {worst:.0f} ms")
    print(f"  while every skill is new: init {found.init:.0f} ms, else select {found.unprepared:.0f} ms CPU")
    return max(found.again, new) <= SELECT_MS


def doctor_time(folder: Path, runs: int) -> float:
    """CPU time of `metier doctor` with many runs."""
    folder.mkdir()
    tool = ToolCall(name="Bash", input="pytest -q", output="ok " * 100)
    with Workspace.open(folder) as ws:
        for start in range(0, runs, 10_000):
            part = range(start, min(start + 10_000, runs))
            ws.deliver(
                Run(
                    message=f"fix bug {n}",
                    output="done " * 50,
                    status="completed",
                    session=f"s{n // 10}",
                    tools=(tool,),
                )
                for n in part
            )
        for _ in ws.index():
            pass
    return cpu_ms([sys.executable, "-m", "metier", "-w", str(folder), "doctor", "--json"])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--skills", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--library", type=int, default=10_000, help="Skills of the library that the hook searches.")
    given = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    ok, home = True, os.environ.get("HOME", "")
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOME"] = place
        for name, took in launcher_times(Path(place)).items():
            ok &= took <= LAUNCHER_MS
            print(f"launcher, {name}: {took:.1f} ms (limit {LAUNCHER_MS})")
        answered = mcp_time(Path(place) / "inside")
        selected = {
            "35 topics": select_times(Path(place) / "topics", given.skills, TOPICS, 25),
            "random words": select_times(Path(place) / "words", given.skills, random_words(6_000), 30),
        }
        checked = doctor_time(Path(place) / "runs", given.runs)
    print(f"MCP server, from its start to the answer to initialize: {answered:.0f} ms (limit {MCP_MS})")
    for name, times in selected.items():
        ok &= show_select_times(name, times, given.skills)
    print(f"metier doctor, {given.runs:,} runs: {checked:.0f} ms CPU (limit {DOCTOR_MS})")
    ok &= answered <= MCP_MS and checked <= DOCTOR_MS
    here = Path(__file__).parent
    for words in (["hook.py", "--skills", str(given.library), "--corpus", "none"], ["agent_as_model.py"]):
        print(f"{words[0]}:", flush=True)
        command, environ = [sys.executable, str(here / words[0]), *words[1:]], os.environ | {"HOME": home}
        ok &= subprocess.run(command, env=environ, check=False).returncode == 0
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
