"""What the tests of learning share: small recurring tasks, and a pass driven to its end."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from allowing import allow

from metier.learning.learn import learn
from metier.library.proposals.gate import NoConfirmation
from metier.store.tables.learning import members, patterns, waiting
from metier.store.tables.library import drafts
from metier.store.tables.runs import runs, verdicts
from metier.types import Run, SkillTrace, ToolCall
from metier.types.passes import Learned, Options
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from metier.events import Event
    from metier.library.proposals.gate import ShipGate
    from metier.types import Draft, Pattern

START = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
TESTS = (
    "Fix the flaky login test",
    "Please fix the flaky login test",
    "Fix the flaky login test again",
    "The flaky login test fails, fix it please",
    "Can you fix the flaky login test?",
    "Fix that flaky login test",
    "Fix the flaky login test once more",
    "Fix the login test, it is flaky",
)
REPORTS = (
    "Build the monthly revenue report for May",
    "Please build the monthly revenue report for June",
    "Build the monthly revenue report for July",
    "Can you build the monthly revenue report for August?",
    "Build the monthly revenue report again",
    "Build the monthly revenue report, please",
)
"""Requests that nobody could take for anything else: how well meanings are told apart is not tested with them."""
STEPS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    TESTS: (
        "pytest tests/test_login.py -x",
        "grep -rn sleep tests/test_login.py",
        "pytest tests/test_login.py --count 20",
    ),
    REPORTS: ("python tools/report.py --month", "ls reports", "python tools/check_report.py reports/latest.csv"),
}
ALONE = (
    "Translate the welcome mail into Portuguese",
    "Why is the sky blue on Mars at sunset?",
    "Rename the kitchen speaker in the smart home",
)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def later(self, **much: float) -> None:
        self.now += timedelta(**much)


def task(asks: tuple[str, ...], first: int = 0, count: int = 2, **more: object) -> list[Run]:
    """Runs of a recurring task that went well: some of its requests, each with the task's steps."""
    steps = tuple(ToolCall(name="Bash", input=step, output="ok") for step in STEPS[asks])
    made = [
        Run(
            message=asks[number % len(asks)],
            output="Done: it is as you asked, and the checks pass.",
            status="completed",
            tools=steps,
            external_id=f"{asks[0][:5]}-{number}",
            session=f"s{number}",
            started=(START + timedelta(minutes=number)).isoformat(),
        )
        for number in range(first, first + count)
    ]
    return [replace(one, **more) for one in made]


def failed(made: Sequence[Run]) -> list[Run]:
    """The same runs, ended as errors."""
    return [replace(one, status="error", output="", tools=one.tools[:1]) for one in made]


def following(made: Sequence[Run], *path: str) -> list[Run]:
    """The same runs, each with the skills it used."""
    return [replace(one, skills=SkillTrace(path=path, active=path)) for one in made]


def with_steps(made: Sequence[Run], *more: str) -> list[Run]:
    """The same runs with further commands."""
    calls = tuple(ToolCall(name="Bash", input=one, output="ok") for one in more)
    return [replace(one, tools=(*one.tools, *calls)) for one in made]


def opened(
    folder: Path, clock: Callable[[], datetime] | None = None, *, allowed: bool = True, **settings: object
) -> Workspace:
    """A workspace in a folder that is made if need be, with some settings; its model may be sent text of sessions."""
    folder.mkdir(parents=True, exist_ok=True)
    ws = Workspace.open(folder, flags=settings, clock=clock or Clock())
    return allow(ws) if allowed and ws.config.models.model else ws


def learned(ws: Workspace, gate: ShipGate | None = None, **options: object) -> Learned:
    """A whole pass; without a gate of its own, what review lets through ships."""
    return told(ws, gate, **options)[1]


def told(ws: Workspace, gate: ShipGate | None = None, **options: object) -> tuple[list[Event], Learned]:
    """A whole pass, with what it told on the way."""
    steps = learn(ws.library, Options(**options), gate or NoConfirmation())  # pyright: ignore[reportArgumentType]
    events: list[Event] = []
    while True:
        try:
            events.append(next(steps))
        except StopIteration as end:
            return events, end.value


def all_patterns(ws: Workspace) -> list[Pattern]:
    with ws.context.store.read() as transaction:
        return patterns.list_all(transaction)


def all_drafts(ws: Workspace) -> list[Draft]:
    with ws.context.store.read() as transaction:
        return drafts.list_all(transaction)


def the_draft(ws: Workspace) -> Draft:
    """The only draft that is open."""
    (found,) = [one for one in all_drafts(ws) if one.status in ("candidate", "quarantined")]
    return found


def documents(ws: Workspace) -> dict[str, str]:
    """What the skills of the workspace say, by name."""
    root = ws.library.default.path
    return {file.parent.name: file.read_text("utf-8") for file in sorted(root.glob("*/SKILL.md"))}


def everything(ws: Workspace) -> dict[str, object]:
    """All that learning has written, without the moments of it: two of these can be compared."""
    with ws.context.store.read() as transaction:
        ids = runs.all_ids(transaction)
        there = patterns.list_all(transaction)
        return {
            "verdicts": {run: (one.success, one.judge) for run, one in verdicts.get_many(transaction, ids).items()},
            "states": {one.id: one.state for one in runs.get_many(transaction, ids)},
            "patterns": [replace(one, created="", updated="") for one in sorted(there, key=lambda one: one.id)],
            "members": {one.id: members.of_pattern(transaction, one.id) for one in there},
            "waiting": sorted((one.run, one.reason) for one in waiting.list_all(transaction)),
            "drafts": sorted(
                (one.id, one.target.rpartition("/")[2], one.status, one.hash) for one in drafts.list_all(transaction)
            ),
            "skills": documents(ws),
        }
