"""A checkup as a page and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from metier.cli.output import visible
from metier.cli.views.lessons import line_of, row, sessions, tally_row
from metier.text.counts import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.learning.stages.check_up import Checkup, CostlyError, ViolatedLine

MOST_SKILLS = 8
"""Skills that are named on a screen."""


def document(found: Checkup, by_programs: int) -> dict[str, object]:
    """A checkup as JSON; `by_programs`: sessions that were left out because a program started them."""
    return {
        "sessions": found.sessions,
        "runs": found.runs,
        "left_out": found.left_out,
        "by_programs": by_programs,
        "corrections": [row(one) for one in found.corrections],
        "errors": [_error(one) for one in found.errors],
        "violated": [{"where": one.where, "text": one.text, **tally_row(one.tally)} for one in found.violated],
        "proposals": [row(one) for one in found.proposals],
        "skills": [asdict(one) for one in found.skills],
    }


def page(found: Checkup) -> Iterator[str]:
    """A checkup as a person reads it."""
    older = plural(found.left_out, "older one")
    left = f", {older} left out for lack of time" if found.left_out else ""
    yield f"Looked at {sessions(found.sessions)} with {plural(found.runs, 'message')}{left}."
    parts = (
        ("Corrections you repeated", [line_of(one) for one in found.corrections]),
        ("Errors that cost the most tries", [_error_line(one) for one in found.errors]),
        ("Written down, and violated", [_violated_line(one) for one in found.violated]),
        ("Metier would propose", [f"{one.kind:<4}  {line_of(one)}" for one in found.proposals]),
    )
    for title, lines in parts:
        yield f"\n{title}"
        yield from (visible(f"  {line}") for line in lines or ["nothing"])
    yield from skill_lines(found)


def skill_lines(found: Checkup) -> Iterator[str]:
    """The skills that are there already, what is blocked first; nothing if there is none."""
    if not found.skills:
        return
    good = sum(one.status == "nothing found" for one in found.skills)
    yield f"\nSkills your agent finds already: {len(found.skills)}; review finds nothing against {good}"
    ordered = sorted(found.skills, key=lambda one: (one.status != "blocked", one.status == "nothing found"))
    for one in ordered[:MOST_SKILLS]:
        why = f": {', '.join(one.rules)}" if one.rules else ""
        yield visible(f"  {one.name}  {one.status}{why}")
    if len(ordered) > MOST_SKILLS:
        yield f"  and {len(ordered) - MOST_SKILLS} more (--json shows all)"


def _error(one: CostlyError) -> dict[str, object]:
    return {
        "program": one.program,
        "error": one.error,
        "sessions": one.sessions,
        "tries": one.tries,
        "fix": one.fix or None,
    }


def _violated_line(one: ViolatedLine) -> str:
    rate = one.tally.before
    return f"{one.where}  {one.text}  (violated in {rate.violated} of {plural(rate.applies, 'call')})"


def _error_line(one: CostlyError) -> str:
    fix = f" Fixed by: {one.fix.rpartition('”: ')[2]}" if one.fix else ""
    return f"{one.program}: {one.error}  ({sessions(one.sessions)}, {plural(one.tries, 'try', 'tries')}).{fix}"
