"""Two hundred and more runs of fourteen recurring tasks and forty single ones, the same for the same seed.

Written before the learning stage was tuned, and kept as it is: what it says is the truth the stage is measured by.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import work_english
import work_german

from metier.runs.derive import record_of
from metier.types import Outcome, Run, SkillTrace, Tokens, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from work_story import Failing, Move, Task

    from metier.types import Record

TASKS: tuple[Task, ...] = (*work_english.TASKS, *work_german.TASKS)
WORKSPACE = "harbor"
PER_TASK = 15
SEED = 20260105
NAMES = {
    "claude-code": {"bash": "Bash", "read": "Read", "edit": "Edit", "web": "WebFetch", "grep": "Grep"},
    "codex": {"bash": "shell", "read": "read_file", "edit": "apply_patch", "web": "web_search", "grep": "grep_files"},
    "api": {"bash": "Bash", "read": "Read", "edit": "Edit", "web": "WebFetch", "grep": "Grep"},
}
STRAY = (
    ("bash", "git status --short", " M harbor/cart.py"),
    ("bash", "ls", "CHANGELOG.md harbor tests"),
    ("read", "README.md", "Harbor shop: a small web shop."),
    ("read", "docs/style.md", "Lines have 120 characters at most."),
    ("bash", "git diff --stat", " 2 files changed, 14 insertions(+)"),
    ("bash", "pwd", "/home/ada/harbor-shop"),
)
"""Moves that belong to no task and turn up everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A run, and the recurring task it truly belongs to."""

    label: str | None
    """None: it comes up once."""
    run: Run


def samples(seed: int = SEED, per_task: int = PER_TASK) -> list[Sample]:
    """Runs of every task in a mixed order, oldest first."""
    random = Random(seed)
    made = [sample for task in TASKS for sample in _of_task(task, random, per_task)]
    made += [Sample(label=None, run=_single(message, random)) for message in work_german.NOISE]
    random.shuffle(made)
    return _timed(made, random)


def records(seed: int = SEED, per_task: int = PER_TASK) -> list[tuple[str | None, Record]]:
    """The samples as the store would give them back, with their labels."""
    return list(_records(seed, per_task))


@cache
def _records(seed: int, per_task: int) -> tuple[tuple[str | None, Record], ...]:
    found = [(one.label, record_of(one.run, WORKSPACE, one.run.ended or "")) for one in samples(seed, per_task)]
    return tuple((label, replace(record, sequence=number)) for number, (label, record) in enumerate(found, 1))


def of_task(label: str, seed: int = SEED, per_task: int = PER_TASK) -> list[Record]:
    """The records of one task."""
    return [record for one, record in records(seed, per_task) if one == label]


def task(label: str) -> Task:
    """One task by its label."""
    return next(one for one in TASKS if one.label == label)


def _of_task(task: Task, random: Random, count: int) -> Iterator[Sample]:
    asks = list(task.asks)
    random.shuffle(asks)
    failing = max(1, count // 5)
    for number in range(count):
        values = {name: random.choice(choices) for name, choices in task.values.items()}
        message = asks[number % len(asks)].format(**values)
        agent = random.choice(tuple(NAMES))
        bad = task.failings[number % len(task.failings)] if number < failing else None
        run = _failed(task, bad, values, random, agent) if bad else _worked(task, values, random, agent)
        yield Sample(label=task.label, run=replace(run, message=_dressed(message, task.language, random), agent=agent))


def _dressed(message: str, language: str, random: Random) -> str:
    """A request with one of the openings and endings that people put around it."""
    before = ("", "", "", "Hi, ", "Morning! ") if language == "en" else ("", "", "", "Hallo, ", "Moin! ")
    after = ("", "", "", " Thanks!", " It is urgent.") if language == "en" else ("", "", "", " Danke!", " Es eilt.")
    return random.choice(before) + message + random.choice(after)


def _worked(task: Task, values: dict[str, str], random: Random, agent: str) -> Run:
    tools: list[ToolCall] = []
    for move in task.moves:
        if random.random() < move.chance:
            tools += _made(move, values, random, agent)
        if random.random() < 0.12:
            tools.append(_stray(random, agent))
    stated = Outcome(success=True, by="verifier", reason="checked") if random.random() < 0.2 else None
    answer = random.choice(task.answers).format(**values)
    skills = SkillTrace(path=task.skill, active=task.skill)
    return Run(message="", output=answer, status="completed", tools=tuple(tools), outcome=stated, skills=skills)


def _failed(task: Task, bad: Failing, values: dict[str, str], random: Random, agent: str) -> Run:
    tools = [call for move in task.moves[: bad.after] for call in _made(move, values, random, agent)]
    tools += [call for move in bad.extra for call in _made(move, values, random, agent)]
    status = "completed" if bad.correction else bad.status
    if not bad.correction and bad.after < len(task.moves):
        tools.append(_call(task.moves[bad.after], values, agent, ok=False))
    correction = bad.correction.format(**values) or None
    return Run(message="", output=bad.answer, status=status, tools=tuple(tools), correction=correction)


def _made(move: Move, values: dict[str, str], random: Random, agent: str) -> Iterator[ToolCall]:
    if random.random() < move.fails:
        yield _call(move, values, agent, ok=False)
        for fix in move.fix:
            if random.random() < fix.chance:
                yield _call(fix, values, agent)
    yield _call(move, values, agent)


def _call(move: Move, values: dict[str, str], agent: str, *, ok: bool = True) -> ToolCall:
    output = (move.output if ok else move.error).format(**values)
    return ToolCall(
        name=NAMES[agent][move.tool],
        ok=ok,
        input=_input(move, values, agent),
        output=output,
        error=None if ok else "exit code 1",
        origin="web" if move.tool == "web" else "file" if move.tool in ("read", "grep") else "tool",
    )


def _input(move: Move, values: dict[str, str], agent: str) -> str:
    """The arguments as each agent writes them."""
    text = move.text.format(**values)
    old, new = (part.format(**values) for part in move.change)
    if agent == "api":
        return f"{text}: {new}" if move.tool == "edit" else text
    if move.tool == "bash":
        whole = f"cd /home/ada/harbor-shop && {text}" if len(text) % 5 == 0 else text
        named = {"command": ["bash", "-lc", whole]} if agent == "codex" else {"command": whole, "description": "…"}
        return json.dumps(named)
    if move.tool == "edit" and agent == "codex":
        return json.dumps({"input": f"*** Begin Patch\n*** Update File: {text}\n-{old}\n+{new}\n*** End Patch"})
    if move.tool == "edit":
        return json.dumps({"file_path": f"/home/ada/harbor-shop/{text}", "old_string": old, "new_string": new})
    key = {"read": "file_path", "web": "url", "grep": "pattern"}[move.tool]
    return json.dumps({key: f"/home/ada/harbor-shop/{text}" if move.tool == "read" else text})


def _stray(random: Random, agent: str) -> ToolCall:
    tool, text, output = random.choice(STRAY)
    given = text if agent == "api" else json.dumps({"command" if tool == "bash" else "file_path": text})
    return ToolCall(name=NAMES[agent][tool], input=given, output=output, origin="file" if tool == "read" else "tool")


def _single(message: str, random: Random) -> Run:
    agent = random.choice(tuple(NAMES))
    tools = tuple(_stray(random, agent) for _ in range(random.randrange(3)))
    return Run(message=message, output="Done.", status="completed", tools=tools, agent=agent)


def _timed(made: list[Sample], random: Random) -> list[Sample]:
    """The samples with ids, times, and sessions of one to five runs."""
    moment = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
    session = ""
    left = 0
    found: list[Sample] = []
    for number, one in enumerate(made):
        if left == 0:
            session, left = f"{random.getrandbits(64):016x}", random.randrange(1, 6)
            moment += timedelta(hours=random.randrange(2, 20))
        left -= 1
        moment += timedelta(minutes=random.randrange(3, 40))
        run = replace(
            one.run,
            external_id=f"work-{number:04d}",
            session=session,
            source="generator",
            model="claude-sonnet-4-5",
            started=moment.isoformat(),
            ended=(moment + timedelta(minutes=2)).isoformat(),
            tokens=Tokens(input=random.randrange(500, 4000), output=random.randrange(200, 2000)),
        )
        found.append(Sample(label=one.label, run=run))
    return found
