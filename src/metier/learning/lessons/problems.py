"""Work that keeps failing: nothing can be taught yet, but somebody should look at it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.learning.lessons.reasons import reason_about, reasons_given, said_before
from metier.learning.lessons.remedies import by_trouble
from metier.learning.lessons.session.errors import error_line
from metier.learning.lessons.wording import error_wording
from metier.learning.procedures.actions import foreign_tool
from metier.types.lessons import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.learning.lessons.session.sightings import Repair
    from metier.types import Pattern, Record, Run

LEAST = 2
"""Failed runs, or sessions with one error, from which on it is a problem."""
OFTEN = 3
"""Sessions in which a command's error has to stay without a remedy."""


def problem_of(pattern: Pattern, failed: Sequence[Record]) -> Problem | None:
    """A pattern that fails too often as a problem; None: it does not."""
    if len(failed) < LEAST:
        return None
    errors = Counter(filter(None, (error_of(one.run) for one in failed)))
    common = errors.most_common(1)
    return Problem(
        id=pattern.id[:12],
        label=pattern.label,
        failed=tuple(one.id for one in failed),
        sessions=len({one.run.session or one.id for one in failed}),
        error=error_wording([common[0][0]], common[0][1]) if common else "",
    )


def error_of(run: Run) -> str:
    """What went wrong last in a run, or why somebody says that it failed."""
    for call in reversed(run.tools):
        if (not call.ok or call.error) and (found := error_line(call.error or call.output)):
            return found
    return run.outcome.reason if run.outcome and not run.outcome.success else ""


def problems_from(repairs: Iterable[Repair]) -> list[Problem]:
    """Errors that come back in session after session and that nobody has found a remedy for."""
    found: list[Problem] = []
    for group in by_trouble(repairs):
        sessions = {one.session for one in group}
        solved = {one.session for one in group if one.fix}
        least = OFTEN if " " in group[-1].program or any(one.fix for one in group) else LEAST
        if len(sessions) >= least and len(solved) * 2 < len(sessions):
            wording = error_wording([one.error for one in group], len(sessions))
            label = f"{group[-1].program}: {wording}"
            found.append(
                Problem(
                    id=sha256(label.encode("utf-8", "replace")).hexdigest()[:12],
                    label=label,
                    failed=tuple(dict.fromkeys(one.run for one in group)),
                    sessions=len(sessions),
                    error=wording,
                )
            )
    return found


def failing_tools(records: Sequence[Record]) -> list[Problem]:
    """Tools of an agent's own world with which most runs failed, with the reason that other runs gave."""
    won: Counter[str] = Counter()
    lost: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        used = {tool for call in record.run.tools if (tool := foreign_tool(call)) is not None}
        if record.success:
            won.update(used)
        elif record.success is False:
            for tool in used:
                lost[tool].append(record)
    reasons = reasons_given(records) if lost else []
    failing = {tool: failed for tool, failed in lost.items() if len(failed) > won[tool]}
    found = (_failing_tool(tool, failed, won[tool]) for tool, failed in sorted(failing.items()))
    tools = {*won, *lost}
    return [replace(one, rule=_rule(one, reasons, tools, records)) for one in found if one is not None]


def _rule(problem: Problem, reasons: Sequence[tuple[str, int]], tools: set[str], records: Sequence[Record]) -> str:
    """What the runs that failed may have broken: a reason that others gave, and what they said before the tool."""
    tool = problem.label.partition(":")[0]
    before = said_before(tool, records)
    parts = [reason_about(tool, reasons, tools), f"Before it, runs that went well said: “{before}”" if before else ""]
    return " ".join(part for part in parts if part)


def _failing_tool(tool: str, failed: Sequence[Record], won: int) -> Problem | None:
    sessions = len({one.run.session or one.id for one in failed})
    if sessions < LEAST:
        return None
    errors = Counter(filter(None, (error_of(one.run) for one in failed))).most_common(1)
    return Problem(
        id=sha256(f"tool {tool}".encode("utf-8", "replace")).hexdigest()[:12],
        label=f"{tool}: {len(failed)} of {len(failed) + won} runs failed",
        failed=tuple(one.id for one in failed),
        sessions=sessions,
        error=error_wording([errors[0][0]], errors[0][1]) if errors else "",
    )
