"""`metier lessons review`: proposals one card at a time, one key each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from metier.cli.options import open_workspace
from metier.cli.output import ask_key, console, say, talk, visible
from metier.cli.yes import ask_key_or_word, deciding, is_typed, word_of

if TYPE_CHECKING:
    from metier.types.lessons import CheckStep, Lesson, LessonScope
    from metier.workspace import Workspace

KEYS = "[n]o  [e]dit  [l]ater  [q]uit"


def review(ctx: typer.Context) -> None:
    """Go through the proposals one by one.

    Example:  metier lessons review
    """
    with deciding(), open_workspace(ctx) as ws:
        waiting = [one for one in ws.lessons() if one.is_open or one.status == "paused"]
        if not waiting:
            talk("No proposals wait. Metier finds them in your sessions: metier learn")
        _go_through(ws, waiting)


def _go_through(ws: Workspace, waiting: list[Lesson]) -> None:
    from metier.learning.stages.reword_lesson import reword_lesson
    from metier.library.lessons import approve_lesson, reject_lesson

    for number, one in enumerate(waiting, start=1):
        match _asked(one, f"{number} of {len(waiting)}"):
            case "y":
                step, scope = _ask_step(one), _ask_scope(ws, one)
                _tell_approved(ws, approve_lesson(ws.context, one.id, step=step, scope=scope))
            case "n":
                reject_lesson(ws.context, one.id)
                talk(f"Rejected lesson {one.id[:8]}. Undo: metier lessons approve {one.id[:8]}")
            case "e":
                words = typer.prompt("In your words", default=one.text, err=True)
                now = reword_lesson(ws.context, one.id, words)
                if is_typed(word_of(now.text, now.id[:8])):
                    _tell_approved(ws, approve_lesson(ws.context, one.id, step=_ask_step(now)))
                else:
                    talk("Left for later, in your words.")
            case "q":
                return
            case _:
                talk("Left for later.")


def _tell_approved(ws: Workspace, done: Lesson) -> None:
    """Say how a lesson is in use now, as `metier lessons approve` does."""
    from metier.cli.views.lessons import next_steps
    from metier.library.delivery.ways import ways_of

    talk(f"Approved lesson {done.id[:8]}. Undo: metier lessons forget {done.id[:8]}")
    for line in next_steps(done, ways_of(ws.context, ws.lessons()).get(done.id)):
        talk(line)


def _asked(lesson: Lesson, place: str) -> str:
    """The key that a person pressed when they saw a lesson's card."""
    from metier.cli.views.lessons import card

    console().print(f"\n{place}")
    for line in card(lesson):
        say(line)
    return ask_key_or_word(KEYS, word_of(lesson.text, lesson.id[:8]), "l")


def is_meant_for_all(ws: Workspace, lesson: str) -> bool:
    """Whether a lesson was said for all projects, or approved in another one as well."""
    from metier.library.delivery.notes_file import other_projects
    from metier.library.lessons import get_lesson

    found = get_lesson(ws.context, lesson)
    return found.kind != "fact" and (found.scope == "person" or bool(other_projects(ws.context, found)))


def _ask_scope(ws: Workspace, lesson: Lesson) -> LessonScope | None:
    """Where a lesson holds, as the person says; None: nothing speaks for more than this project."""
    if not is_meant_for_all(ws, lesson.id):
        return None
    return "person" if ask_key("Where does it hold? [t]his project  [a]ll your projects", "t") == "a" else "project"


def _ask_step(lesson: Lesson) -> CheckStep | None:
    """How far the check of a lesson goes, as the person says; None: it has no check."""
    from metier.text.shell.checks import check_words

    if lesson.check is None:
        return None
    say(visible(f"  Calls can be held to it: {check_words(lesson.check)}."))
    steps: dict[str, CheckStep] = {"c": "observe", "r": "remind", "d": "deny"}
    return steps[ask_key("[c]ount only  [r]emind the agent  [d]eny the call", "c")]
