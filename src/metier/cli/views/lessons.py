"""Lessons as they are printed: as JSON, as a list, as one card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.types.lessons import Lesson, Problem

SHOWN = 5
"""Proposals above the line."""
QUOTES = 3
"""Quotes on a card."""
SAID = {"person": "you said", "operator": "the operator said", "action": "the agent ran", "tool": "the output said"}


def row(lesson: Lesson) -> dict[str, object]:
    """A lesson as JSON."""
    return {
        "id": lesson.id,
        "kind": lesson.kind,
        "text": lesson.text,
        "scope": lesson.scope,
        "trigger": lesson.trigger,
        "status": lesson.status,
        "strength": lesson.strength,
        "sessions": lesson.sessions,
        "quotes": [{"run": one.run, "text": one.text, "origin": one.origin} for one in lesson.quotes],
        "check": None,
        "expires": lesson.expires or None,
        "already_written": lesson.already_written or None,
        "by": lesson.by,
    }


def problem_row(problem: Problem, external: Sequence[str]) -> dict[str, object]:
    """A problem as JSON."""
    return {
        "id": problem.id,
        "label": problem.label,
        "failed_external_ids": list(external),
        "sessions": problem.sessions,
        "error": problem.error or None,
        "rule": problem.rule or None,
    }


def page(lessons: Sequence[Lesson]) -> Iterator[str]:
    """The list as a person reads it: the few best, what waits below the line, what is in use."""
    waiting = [one for one in lessons if one.is_open]
    groups = (
        ("Proposed", waiting[:SHOWN]),
        ("Below the line", waiting[SHOWN:]),
        ("In use", [one for one in lessons if one.status == "approved"]),
        (
            "Already written in the project",
            [one for one in lessons if one.status == "proposed" and one.already_written],
        ),
        ("Not in use", [one for one in lessons if one.status in ("rejected", "forgotten")]),
    )
    for title, group in groups:
        if group:
            yield title
            yield from (f"  {one.id[:8]}  {one.kind:<4}  {line_of(one)}" for one in group)


def line_of(lesson: Lesson) -> str:
    """A lesson in one line, with how often it was seen."""
    text = f"“{lesson.text}”" if is_quote(lesson) else lesson.text
    where = f", already in {lesson.already_written}" if lesson.already_written else ""
    return visible(f"{text}  ({sessions(lesson.sessions)}{where})")


def card(lesson: Lesson) -> Iterator[str]:
    """A lesson with the words it rests on."""
    yield visible(f"{lesson.kind}  {lesson.id}  {lesson.status}")
    yield visible(f"  “{lesson.text}”" if is_quote(lesson) else f"  {lesson.text}")
    shown = [one for one in lesson.quotes if one.text != lesson.text][:QUOTES]
    for one in shown:
        yield visible(f"  {SAID.get(one.origin, one.origin)} (run {one.run[:8]}): {' '.join(one.text.split())[:160]}")
    yield visible(f"  seen in {sessions(lesson.sessions)}; strength {lesson.strength:.2f}; found by {lesson.by}")
    if lesson.trigger and lesson.kind == "fix":
        yield visible(f"  given when an output says: {lesson.trigger}")
    if lesson.already_written:
        yield visible(f"  already written in {lesson.already_written}")
    if lesson.note:
        yield visible(f"  note: {lesson.note}")


def is_quote(lesson: Lesson) -> bool:
    """Whether a lesson is a person's own words, unchanged."""
    return lesson.kind == "rule" and lesson.by == "heuristic"


def sessions(count: int) -> str:
    """A number of sessions in words."""
    return f"{count} session{'' if count == 1 else 's'}"
