"""`metier lessons`: what sessions teach, and your decision on it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.commands.lessons.checks import checks
from metier.cli.commands.lessons.delivery import publish, unpublish, wrong
from metier.cli.commands.lessons.review import is_meant_for_all, review
from metier.cli.commands.lessons.why import why
from metier.cli.commands.proof.merge import merge_lessons
from metier.cli.options import AsJson, open_workspace
from metier.cli.output import emit, say, talk
from metier.cli.views.lessons import next_steps, state_words
from metier.cli.yes import ask_word, deciding, word_of

if TYPE_CHECKING:
    from metier.types.lessons import Lesson

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Show what your sessions teach, and decide on it.\n\nExample:  metier lessons list",
)
LessonArgument = Annotated[str, typer.Argument(metavar="ID", help="A lesson's id, or the start of it.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; goes into the audit log.")]


@app.callback(invoke_without_command=True)
def lessons(ctx: typer.Context) -> None:
    """Show what your sessions teach, and decide on it.

    Example:  metier lessons list
    """
    if ctx.invoked_subcommand is None:
        list_(ctx)


@app.command("list")
def list_(
    ctx: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Also show lessons that were rejected or forgotten.")] = False,
    as_json: AsJson = False,
) -> None:
    """List lessons, the strongest proposals first.

    Example:  metier lessons list  ·  metier lessons list --json | jq '.[].text'
    """
    from metier.cli.views.lessons import elsewhere, page, row
    from metier.library.delivery.notes_file import shared_notes
    from metier.library.delivery.ways import ways_of

    with open_workspace(ctx) as ws:
        found, shared = ws.lessons(every=every), shared_notes(ws.context)
        ways = ways_of(ws.context, found)
    if as_json:
        emit([row(one, ways.get(one.id)) for one in found])
    elif not found and not shared:
        talk("No lessons yet. Metier finds them in your sessions: metier learn")
    else:
        for line in (*page(found, ways), *elsewhere(shared)):
            say(line)
        if any(one.is_open for one in found):
            talk("Decide one by one: metier lessons review   Details: metier lessons show ID")


@app.command()
def show(ctx: typer.Context, lesson: LessonArgument, as_json: AsJson = False) -> None:
    """Show a lesson with the words it rests on.

    Example:  metier lessons show 3f9a
    """
    from metier.cli.views.lessons import card, row, tally_lines, tally_row
    from metier.learning.stages.count_checks import count_check
    from metier.library.delivery.ways import ways_of
    from metier.library.lessons import get_lesson

    with open_workspace(ctx) as ws:
        found = get_lesson(ws.context, lesson)
        counted = count_check(ws.context, found)
        way = ways_of(ws.context, ws.lessons()).get(found.id)
    if as_json:
        emit([row(found, way) | (tally_row(counted) if counted else {})])
        return
    for line in (*card(found, way), *(tally_lines(counted) if counted else ())):
        say(line)
    if found.status == "proposed":
        talk(f"Use it: metier lessons approve {found.id[:8]}   Say no: metier lessons reject {found.id[:8]}")


@app.command()
def approve(
    ctx: typer.Context,
    lesson: LessonArgument,
    deny: Annotated[bool, typer.Option("--deny", help="Deny calls that violate it, where agents can.")] = False,
    remind: Annotated[bool, typer.Option("--remind", help="Remind the agent when a call violates it.")] = False,
    count: Annotated[bool, typer.Option("--count", help="Only count such calls again.")] = False,
    everywhere: Annotated[
        bool | None, typer.Option("--person/--project", help="It holds in all your projects, or in this one alone.")
    ] = None,
    team: Annotated[
        bool, typer.Option("--team", help="It holds in all projects of the team; share it: metier sync --git.")
    ] = False,
    reason: Reason = "",
) -> None:
    """Approve a lesson exactly as it stands. Calls are only counted against it unless you add --remind or --deny.

    It shows the lesson and waits for one word of it. Needs a terminal; programs use ws.approve().

    Example:  metier lessons approve 3f9a  ·  metier lessons approve 3f9a --deny --person
    """
    from metier.cli.views.lessons import card
    from metier.errors import UsageError
    from metier.library.delivery.ways import ways_of
    from metier.library.lessons import approve_lesson, get_lesson

    if deny + remind + count > 1:
        raise UsageError("Choose one: --count, --remind or --deny.")
    step = "deny" if deny else "remind" if remind else "observe" if count else None
    if team and everywhere is not None:
        raise UsageError("Choose one: --person, --project or --team.")
    scope = "team" if team else None if everywhere is None else "person" if everywhere else "project"
    with deciding(), open_workspace(ctx) as ws:
        found, meant = get_lesson(ws.context, lesson), is_meant_for_all(ws, lesson)
        for line in card(found):
            say(line)
        ask_word(word_of(found.text, found.id[:8]))
        done = approve_lesson(ws.context, found.id, reason, step, scope)
        way = ways_of(ws.context, ws.lessons()).get(done.id)
    talk(f"Approved lesson {done.id[:8]}. Undo: metier lessons forget {done.id[:8]}")
    for line in next_steps(done, way, meant=meant):
        talk(line)


@app.command()
def reject(
    ctx: typer.Context,
    lesson: Annotated[str, typer.Argument(metavar="[ID]", help="A lesson's id, or the start of it.")] = "",
    every: Annotated[bool, typer.Option("--all", help="Reject every proposal that waits.")] = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Reject a lesson, or with --all every proposal. It is kept, and its subject is not proposed again.

    Example:  metier lessons reject 3f9a --reason "only for that task"
    """
    from metier.cli.views.lessons import row
    from metier.errors import UsageError
    from metier.library.lessons import get_lesson, reject_lesson, reject_lessons

    if bool(lesson) == every:
        raise UsageError("Name one lesson, or give --all: metier lessons reject ID")
    with open_workspace(ctx) as ws:
        waiting = [one.id for one in ws.lessons() if one.is_open] if every else []
        reject_lessons(ws.context, waiting, reason)
        done = (
            [get_lesson(ws.context, one) for one in waiting] if every else [reject_lesson(ws.context, lesson, reason)]
        )
    if as_json:
        emit([row(one) for one in done])
        return
    for one in done:
        talk(f"Rejected lesson {one.id[:8]}. Undo: metier lessons approve {one.id[:8]}")
    if not done:
        talk("No proposals wait.")


@app.command()
def edit(
    ctx: typer.Context,
    lesson: LessonArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The lesson in your words, one line.")],
    as_json: AsJson = False,
) -> None:
    """Put a lesson into your own words. New words for one that you approved need a terminal, like the first yes.

    Example:  metier lessons edit 3f9a "Stage files by name; never git add ."
    """
    from metier.cli.views.lessons import row
    from metier.learning.stages.reword_lesson import reword_lesson
    from metier.library.delivery.wording import lost_step_words
    from metier.library.lessons import get_lesson

    with open_workspace(ctx) as ws:
        before = get_lesson(ws.context, lesson)
        with deciding() if before.status == "approved" else nullcontext():
            if before.status == "approved":
                ask_word(word_of(text, before.id[:8]))
            done = reword_lesson(ws.context, lesson, text)
    lost = lost_step_words(before, done)
    if as_json:
        emit(row(done) | {"notice": lost or None})
        return
    talk(f"Changed lesson {done.id[:8]} ({state_words(done)}). Undo: {_undo_edit(before, lost=bool(lost))}")
    if lost:
        talk(lost)


@app.command()
def forget(ctx: typer.Context, lesson: LessonArgument, reason: Reason = "", as_json: AsJson = False) -> None:
    """Take a lesson out of use.

    Example:  metier lessons forget 3f9a
    """
    from metier.errors import NotFoundError
    from metier.library.delivery.notes_file import forget_person_note
    from metier.library.lessons import forget_lesson

    with open_workspace(ctx) as ws:
        try:
            done = forget_lesson(ws.context, lesson, reason)
        except NotFoundError:
            note = forget_person_note(ws.context, lesson)
            if note is None:
                raise
            talk(f"Lesson {note.id[:8]} of another project no longer holds in all your projects: {note.text}")
            talk(f"It stays in use there. Undo, in that project: metier lessons approve {note.id[:8]} --person")
            return
    _tell(done, f"Lesson {done.id[:8]} is out of use. Undo: metier lessons approve {done.id[:8]}", as_json=as_json)


for _command in (checks, publish, unpublish, wrong, why, review):
    app.command()(_command)
app.command("merge")(merge_lessons)


def _undo_edit(before: Lesson, *, lost: bool) -> str:
    """The command that brings back a lesson's words, and how far its check went."""
    import shlex

    words = f"metier lessons edit {before.id[:8]} {shlex.quote(before.text)}"
    if not lost or before.check is None or before.status != "approved":
        return words
    return f"{words} && metier lessons approve {before.id[:8]} --{before.check.step}"


def _tell(done: Lesson, told: str, *, as_json: bool) -> None:
    from metier.cli.views.lessons import row

    if as_json:
        emit(row(done))
    else:
        talk(told)
