"""`metier lessons why`: the story of a lesson, from the words it rests on to what is measured of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import emit, say, talk, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.proof.lesson_story import LessonRecord

SHOWN = 5
"""Runs of one kind that are named."""


def why(
    ctx: typer.Context,
    lesson: Annotated[str, typer.Argument(metavar="ID", help="A lesson's id, or the start of it.")],
    as_json: AsJson = False,
) -> None:
    """Tell the story of a lesson: evidence, decisions, how agents get it, obeyed, came back, cost.

    Example:  metier lessons why 3f9a
    """
    from metier.proof.lesson_story import lesson_story

    with open_workspace(ctx) as ws:
        story = lesson_story(ws.context, lesson)
    if as_json:
        emit(story_row(story))
        return
    for line in story_lines(story):
        say(visible(line))
    if story.lesson.status == "paused":
        talk(f"It is paused. Use it again: metier lessons approve {story.lesson.id[:8]}")


def story_row(story: LessonRecord) -> dict[str, object]:
    """The story as JSON."""
    from metier.cli.views.lessons import row, tally_row

    returns = story.returns
    return row(story.lesson) | {
        "decisions": [
            {"happened": one.happened, "actor": one.actor, "action": one.action, "reason": one.reason or None}
            for one in story.decisions
        ],
        "channel": story.channel,
        "told": {"times": dict(story.told), "sessions": story.told_sessions, "tokens": story.tokens},
        "checked": tally_row(story.checked) if story.checked else None,
        "came_back": returns
        and {
            "since": returns.since,
            "sessions": returns.sessions,
            "runs": [
                {"run": one.run, "session": one.session, "moment": one.moment, "text": one.text, "told": one.told}
                for one in returns.again
            ],
        },
    }


def story_lines(story: LessonRecord) -> Iterator[str]:
    """The story for a person."""
    from metier.cli.views.lessons import card, tally_lines
    from metier.library.delivery.wording import how_to_check
    from metier.proof.obeyed import change_words

    yield from card(story.lesson)
    yield "Decisions"
    for one in story.decisions:
        reason = f": {one.reason}" if one.reason else ""
        yield f"  {one.happened[:16].replace('T', ' ')}  {one.actor}  {one.action}{reason}"
    if not story.decisions:
        yield "  nobody has decided on it yet"
    yield "Agents"
    yield f"  {_told(story)}"
    yield "Obeyed"
    if story.checked is None:
        yield f"  calls cannot be held to it. {how_to_check(story.lesson)}"
    else:
        yield from tally_lines(story.checked)
        yield f"  change: {change_words(story.checked)}"
    yield "Came back"
    yield from _returned(story)


def _told(story: LessonRecord) -> str:
    from metier.library.delivery.told import SAID

    where = f"told now: {_CHANNELS[story.channel]}" if story.channel else "not told now"
    if not story.told:
        return f"{where}; never told so far"
    times = ", ".join(f"{SAID.get(how, how)} {count}×" for how, count in story.told)
    return f"{where}; so far {times}, in {story.told_sessions} sessions, about {story.tokens:,} tokens"


def _returned(story: LessonRecord) -> Iterator[str]:
    returns = story.returns
    if returns is None:
        yield "  nothing to look for: it is not approved, or it is a fact"
        return
    began = "you approved it" if returns.since == story.lesson.approved else "it was first told"
    came = f"in {returns.sessions} session{'' if returns.sessions == 1 else 's'}" if returns.again else "no"
    yield f"  {came}; watched since {returns.since[:10]}, when {began}"
    for one in returns.again[:SHOWN]:
        told = ", although the agent was told" if one.told else ""
        yield f"  {one.moment[:10]}  run {one.run[:8]}{told}: {' '.join(one.text.split())[:120]}"
    if len(returns.again) > SHOWN:
        yield f"  … and {len(returns.again) - SHOWN} more: --json"


_CHANNELS = {
    "start": "when a session starts",
    "prompt": "with a request that it fits",
    "before": "when a call violates it",
    "after": "when the error appears",
}
