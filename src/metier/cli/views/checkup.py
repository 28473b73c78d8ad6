"""A checkup as a page and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import visible
from metier.cli.views.lessons import line_of, row, sessions, tally_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.learning.stages.check_up import Checkup, CostlyError, ViolatedLine


def document(found: Checkup) -> dict[str, object]:
    """A checkup as JSON."""
    return {
        "sessions": found.sessions,
        "runs": found.runs,
        "left_out": found.left_out,
        "corrections": [row(one) for one in found.corrections],
        "errors": [_error(one) for one in found.errors],
        "violated": [{"where": one.where, "text": one.text, **tally_row(one.tally)} for one in found.violated],
        "proposals": [row(one) for one in found.proposals],
    }


def page(found: Checkup) -> Iterator[str]:
    """A checkup as a person reads it."""
    left = f", {found.left_out} older ones left out for lack of time" if found.left_out else ""
    yield f"Looked at {sessions(found.sessions)} with {found.runs} messages{left}."
    parts = (
        ("Corrections you repeated", [line_of(one) for one in found.corrections]),
        ("Errors that cost the most tries", [_error_line(one) for one in found.errors]),
        ("Written down, and violated", [_violated_line(one) for one in found.violated]),
        ("Metier would propose", [f"{one.kind:<4}  {line_of(one)}" for one in found.proposals]),
    )
    for title, lines in parts:
        yield f"\n{title}"
        yield from (visible(f"  {line}") for line in lines or ["nothing"])


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
    return f"{one.where}  {one.text}  (violated in {rate.violated} of {rate.applies} calls)"


def _error_line(one: CostlyError) -> str:
    fix = f" Fixed by: {one.fix.rpartition('”: ')[2]}" if one.fix else ""
    return f"{one.program}: {one.error}  ({sessions(one.sessions)}, {one.tries} tries).{fix}"
