"""Lessons as they are printed: as JSON, as a list, as one card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import visible
from metier.library.delivery.wording import QUOTED, STEPS
from metier.text.shell.checks import check_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.hooks.notes import Note
    from metier.learning.lessons.tally import Rate, Tally
    from metier.library.delivery.ways import DeliveryWay
    from metier.types.lessons import Lesson, Problem

SHOWN = 5
"""Proposals above the line."""
QUOTES = 6
"""Quotes on a card."""
FOUND = {"heuristic": "found without a model", "person": "in your words"}
"""What found a lesson."""


def row(lesson: Lesson, way: DeliveryWay | None = None) -> dict[str, object]:
    """A lesson as JSON, with the way in which it reaches agents."""
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
        "check": check_row(lesson),
        "expires": lesson.expires or None,
        "already_written": lesson.already_written or None,
        "by": lesson.by,
        "published": lesson.published or None,
        "cites": lesson.cites.file if lesson.cites else None,
        "told": way.channel if way else None,
        "not_told": way.text if way and not way.reaches else None,
    }


def check_row(lesson: Lesson) -> dict[str, object] | None:
    """A lesson's check as JSON; null: it cannot be checked."""
    check = lesson.check
    if check is None:
        return None
    return {
        "program": list(check.program),
        "wrong": list(check.wrong),
        "needs": list(check.needs),
        "path": check.path or None,
        "reading": check.reading,
        "instead": check.instead or None,
        "step": check.step,
    }


def tally_row(tally: Tally) -> dict[str, object]:
    """How calls stood to a check, as JSON."""
    from metier.proof.obeyed import change_row

    return {
        "change": change_row(tally),
        "before": {"applies": tally.before.applies, "violated": tally.before.violated},
        "since": {"applies": tally.after.applies, "violated": tally.after.violated, "denied": tally.after.denied},
        "obeyed": list(tally.obeyed),
        "violated": list(tally.violated),
    }


def tally_lines(tally: Tally) -> Iterator[str]:
    """How calls stood to a check, with examples for and against."""
    before, after = tally.before, tally.after
    yield f"  checked on calls: violated in {before.violated} of {before.applies}{_since(after)}"
    yield from (visible(f"  violates it: {one}") for one in tally.violated)
    yield from (visible(f"  obeys it:    {one}") for one in tally.obeyed)


def _since(rate: Rate) -> str:
    """What became of a check since it was approved, in words."""
    if not rate.applies and not rate.denied:
        return ""
    denied = f", and {calls(rate.denied)} denied" if rate.denied else ""
    return f" before, {rate.violated} of {rate.applies}{denied} since you approved it (before and after, not causal)"


def calls(count: int) -> str:
    """A number of calls in words."""
    return f"{count} call{'' if count == 1 else 's'}"


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


def page(lessons: Sequence[Lesson], ways: Mapping[str, DeliveryWay]) -> Iterator[str]:
    """The list as a person reads it: the few best, what waits below the line, what is in use."""
    for title, group in _groups(lessons):
        if group:
            yield title
        for one in group:
            yield f"  {one.id[:8]}  {one.kind:<4}  {line_of(one)}"
            if one.id in ways and not ways[one.id].reaches:
                yield visible(f"  {'':<8}  {'':<4}  {ways[one.id].text}")
            elif one.status == "paused" and one.note:
                yield visible(f"  {'':<8}  {'':<4}  {one.note}")


def _groups(lessons: Sequence[Lesson]) -> Iterator[tuple[str, Sequence[Lesson]]]:
    waiting = [one for one in lessons if one.is_open]
    yield "Proposed", waiting[:SHOWN]
    yield "Further proposals, with less behind them", waiting[SHOWN:]
    yield "Paused", [one for one in lessons if one.status == "paused"]
    yield "In use", [one for one in lessons if one.status == "approved"]
    written = [one for one in lessons if one.status == "proposed" and one.already_written]
    yield "Already written in the project", written
    yield "Not in use", [one for one in lessons if one.status in ("rejected", "forgotten")]


def elsewhere(notes: Sequence[Note]) -> Iterator[str]:
    """What holds here because the person approved it for all their projects."""
    if notes:
        yield "In use in all your projects, approved in another one"
    for one in notes:
        step = f"  ({STEPS['deny' if one.denies else 'remind']})" if one.event == "before" else ""
        yield visible(f"  {one.id[:8]}        {one.text}{step}")


def line_of(lesson: Lesson) -> str:
    """A lesson in one line, with how often it was seen."""
    text = f"“{lesson.text}”" if lesson.is_quote else lesson.text
    where = f", already in {lesson.already_written}" if lesson.already_written else ""
    if lesson.status == "approved":
        where += ", in all your projects" if lesson.scope == "person" else ""
        where += f", {STEPS[lesson.check.step]}" if lesson.check else ""
    return visible(f"{text}  ({sessions(lesson.sessions)}{where})")


def state_words(lesson: Lesson) -> str:
    """What became of a lesson, and of the calls that violate it."""
    step = f", {STEPS[lesson.check.step]}" if lesson.status == "approved" and lesson.check else ""
    return lesson.status + step


def card(lesson: Lesson, way: DeliveryWay | None = None) -> Iterator[str]:
    """A lesson with the words it rests on, and how it reaches agents."""
    yield visible(f"{lesson.kind}  {lesson.id}  {lesson.status}")
    yield visible(f"  “{lesson.text}”" if lesson.is_quote else f"  {lesson.text}")
    for one in lesson.quotes[:QUOTES]:
        yield visible(f"  {QUOTED.get(one.origin, one.origin)} (run {one.run[:8]}): {' '.join(one.text.split())[:160]}")
    if (more := len(lesson.quotes) - QUOTES) > 0:
        yield f"  … and {more} more: metier lessons show {lesson.id[:8]} --json"
    found = FOUND.get(lesson.by, f"found by {lesson.by}")
    yield visible(f"  seen in {sessions(lesson.sessions)}; strength {lesson.strength:.2f}; {found}")
    yield from map(visible, _circumstances(lesson))
    if way is not None:
        yield visible(f"  {way.text}")
    if lesson.already_written:
        yield visible(f"  already written in {lesson.already_written}")
    if lesson.note:
        yield visible(f"  note: {lesson.note}")


def _circumstances(lesson: Lesson) -> Iterator[str]:
    """When a lesson is told, what calls are held to, what it rests on and where it holds."""
    if lesson.trigger and lesson.kind == "fix":
        yield f"  given when an output says: {lesson.trigger}"
    if lesson.check is not None:
        how = f"are held to it ({STEPS[lesson.check.step]})" if lesson.status == "approved" else "can be held to it"
        yield f"  calls {how}: {check_words(lesson.check)}"
    if lesson.cites:
        yield f"  rests on {lesson.cites.file}{f': {lesson.cites.says}' if lesson.cites.says else ''}"
    if lesson.scope == "person":
        yield "  holds in all your projects" if lesson.status == "approved" else "  said for all your projects"


def next_steps(lesson: Lesson, way: DeliveryWay | None, *, meant: bool = False) -> Iterator[str]:
    """What a person who approved a lesson can do next: how it reaches agents, and how far its check may go."""
    check, short = lesson.check, lesson.id[:8]
    if way is not None and (check is None or check.step == "observe"):
        yield visible(way.text)
    if lesson.scope == "person":
        yield f"It holds in all your projects. In this one alone: metier lessons approve {short} --project"
    elif meant:
        yield f"It seems meant for all your projects. Use it in all of them: metier lessons approve {short} --person"
    if check is not None and check.step == "observe":
        yield visible(f"Calls are counted against it: {check_words(check)}.")
        yield f"Remind the agent instead, or deny the call: metier lessons approve {short} --remind (or --deny)"
    elif check is not None:
        does = "is denied, with the reason" if check.step == "deny" else "gets a reminder"
        yield visible(f"From now on a call that violates it {does}: {check_words(check)}.")
        yield f"Only count such calls again: metier lessons approve {short} --count"


def sessions(count: int) -> str:
    """A number of sessions in words."""
    return f"{count} session{'' if count == 1 else 's'}"
