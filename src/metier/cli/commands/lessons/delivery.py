"""`metier lessons publish`, `unpublish` and `wrong`: where lessons stand, and how to stop one at once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import ask_key, console, emit, talk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.types.lessons import Lesson
    from metier.workspace import Workspace

Lessons = Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="Ids, or the start of each. None: all.")]
PageName = Annotated[
    Literal["AGENTS.md", "CLAUDE.md"] | None,
    typer.Option("--file", help="The page. Default: the one that is there, else AGENTS.md."),
]


def publish(ctx: typer.Context, ids: Lessons = None, file: PageName = None, as_json: AsJson = False) -> None:
    """Write approved rules and facts into a marked block in AGENTS.md or CLAUDE.md; hooks no longer tell them.

    Example:  metier lessons publish  ·  metier lessons publish 3f9a --file CLAUDE.md
    """
    from metier.library.delivery.notes_file import in_use
    from metier.library.delivery.published import default_page
    from metier.library.lessons import get_lesson, is_for_page, publish_lesson

    with open_workspace(ctx) as ws:
        named = [get_lesson(ws.context, one) for one in ids or ()]
        approved = [one for one in ws.lessons() if one.status == "approved"]
        used = in_use(ws.context, approved)
        found = named or [one for one in used if is_for_page(one)]
        page = file or default_page(ws.context)
        done = [publish_lesson(ws.context, one.id, page) for one in found]
    nothing = " ".join(_why_none(approved, used))
    _tell(done, f"{_count(done)} in {page}. Undo: metier lessons unpublish", nothing, as_json)


def unpublish(ctx: typer.Context, ids: Lessons = None, as_json: AsJson = False) -> None:
    """Take lessons out of the page; hooks tell them again. Without lessons the page is as it was, byte for byte.

    Example:  metier lessons unpublish
    """
    from metier.library.lessons import get_lesson, publish_lesson

    with open_workspace(ctx) as ws:
        found = [get_lesson(ws.context, one) for one in ids] if ids else [one for one in ws.lessons() if one.published]
        done = [publish_lesson(ws.context, one.id, "") for one in found]
    _tell(done, f"{_count(done)} taken out. Undo: metier lessons publish", "No lesson is published.", as_json)


def wrong(
    ctx: typer.Context,
    lesson: Annotated[str, typer.Argument(metavar="[ID]", help="A lesson's id. None: the one told last.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say that a lesson was wrong: agents are not told it any more, and in a terminal you are asked what to do.

    Example:  metier lessons wrong  ·  metier lessons wrong 3f9a
    """
    from metier.library.delivery.told import told_last
    from metier.library.lessons import pause_lesson

    with open_workspace(ctx) as ws:
        done = pause_lesson(ws.context, lesson or told_last(ws.context))
        talk(f"Paused: {done.text}")
        talk(f"Undo: metier lessons approve {done.id[:8]}   For good: metier lessons forget {done.id[:8]}")
        if sys.stdin.isatty() and not as_json:
            _ask(ws, done)
    if as_json:
        from metier.cli.views.lessons import row

        emit(row(done))


def _ask(ws: Workspace, lesson: Lesson) -> None:
    """What becomes of a paused lesson."""
    from metier.learning.stages.reword_lesson import reword_lesson
    from metier.library.delivery.wording import lost_step_words
    from metier.library.lessons import approve_lesson, forget_lesson

    match ask_key("[e]dit it  [f]orget it  [b]ack in use  [l]ater", "l"):
        case "e":
            words = typer.prompt("In your words", default=lesson.text, err=True)
            done = approve_lesson(ws.context, reword_lesson(ws.context, lesson.id, words).id)
            talk(f"In use in your words. Undo: metier lessons wrong {lesson.id[:8]}")
            if lost := lost_step_words(lesson, done):
                talk(lost)
        case "f":
            forget_lesson(ws.context, lesson.id)
            talk(f"Out of use. Undo: metier lessons approve {lesson.id[:8]}")
        case "b":
            approve_lesson(ws.context, lesson.id)
            talk(f"In use again. Undo: metier lessons wrong {lesson.id[:8]}")
        case _:
            talk("It stays paused.")


def _why_none(approved: Sequence[Lesson], used: Sequence[Lesson]) -> Iterator[str]:
    """Why no lesson is published."""
    yield "Nothing was published."
    if not approved:
        yield "You have approved no lesson. See what waits: metier lessons list"
    if foreign := len(approved) - len(used):
        yield f"Not approved by you on this machine: {foreign}. See them: metier lessons list"
    if held := [one.id[:8] for one in used if one.kind != "fix"]:
        count = f"Only count such calls first: metier lessons approve {held[0]} --count"
        yield f"Told only when a call violates it: {', '.join(held)}. {count}"
    if fixes := [one.id[:8] for one in used if one.kind == "fix"]:
        yield f"Told only when its error appears: {', '.join(fixes)}."


def _count(done: list[Lesson]) -> str:
    return f"{len(done)} lesson{'' if len(done) == 1 else 's'}"


def _tell(done: list[Lesson], told: str, nothing: str, as_json: bool) -> None:  # noqa: FBT001 - a command's own flag
    from metier.cli.views.lessons import row

    if as_json:
        emit([row(one) for one in done])
        return
    for one in done:
        console().print(f"  {one.id[:8]}  {one.text}", markup=False)
    talk(told if done else nothing)
