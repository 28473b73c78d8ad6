"""The file that hooks read: written anew whenever an approved lesson changes, and sealed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from metier.errors import StoreError
from metier.formats.value_json import dumps
from metier.hooks.notes import KNOWN, NOTES, WORDS, Note, read_all, write_all, write_notes
from metier.library.delivery.channels import channels_of, one_line, trigger_word
from metier.store.engines.exclusive import lock_by_file
from metier.store.tables.learning import lessons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.library.delivery.channels import Channel
    from metier.types.lessons import Lesson

LOCK = "notes.lock"
TAKEN_BACK = "taken back"
"""The mark of a lesson that another project no longer wants for all."""
ALIKE = 2
"""Words of their subjects that two rules share when they are about the same."""
WAIT = 10.0
"""Seconds to wait while another process writes the file."""


def lesson_seal(ctx: Context, lesson: Lesson) -> str:
    """This person's seal under what they approved: the line, what calls for it, and how far its check goes."""
    check = dumps(lesson.check) if lesson.check and lesson.check.step != "observe" else ""
    parts = (lesson.workspace, lesson.id, lesson.kind, lesson.text, lesson.trigger, check)
    return ctx.seal("lesson", *parts, *(("person",) if lesson.scope == "person" else ()))


def in_use(ctx: Context, found: Sequence[Lesson]) -> list[Lesson]:
    """The lessons that this person approved on this machine, exactly as they stand."""
    return [one for one in found if one.status == "approved" and ctx.key and one.seal == lesson_seal(ctx, one)]


def refresh_notes(ctx: Context) -> None:
    """Write what hooks tell agents: every lesson in use that is not published, each in its one channel."""
    with lock_by_file(ctx.state / LOCK, WAIT):
        with ctx.store.read() as transaction:
            used = in_use(ctx, lessons.list_all(transaction))
        write_notes(str(ctx.state), notes_of([one for one in used if not one.published]), ctx.name, ctx.key)
    share_lessons(ctx, used)


def notes_of(told: Sequence[Lesson]) -> list[Note]:
    """What hooks say of some lessons, each in its one channel."""
    channels = channels_of(told)
    ordered = sorted(told, key=lambda one: (-one.strength, one.kind, one.text, one.id))
    return [_note(one, channels[one.id]) for one in ordered if one.id in channels]


def share_lessons(ctx: Context, used: Sequence[Lesson]) -> None:
    """Write what holds in all projects of the person, and what is known here, beside their key."""
    mine = [one for one in person_notes(ctx) if one.workspace == ctx.name]
    back = {one.id for one in mine if one.by == TAKEN_BACK}
    told = notes_of([one for one in used if one.scope == "person" and one.id not in back])
    known = [
        Note(KNOWN, one_line(one.text), one.subject, id=one.id, workspace=ctx.name, by=TAKEN_BACK * (one.id in back))
        for one in used
        if one.kind != "fact" and (one.scope != "person" or one.id in back)
    ]
    if not (told or known or mine):
        return
    with suppress(OSError, StoreError), lock_by_file(ctx.person / LOCK, WAIT):
        others = [one for one in person_notes(ctx) if one.workspace != ctx.name]
        write_all(str(ctx.person), [*others, *told, *known], ctx.key)


def person_notes(ctx: Context) -> list[Note]:
    """What holds in all projects of this person, and what each of them knows."""
    return read_all(str(ctx.person), ctx.key)


def drop_person_notes(ctx: Context) -> bool:
    """Take away what holds in all projects of the person, if all of it is this project's; whether there was any."""
    if any(one.workspace != ctx.name for one in person_notes(ctx)):
        return False
    had_some = (ctx.person / NOTES).is_file()
    if not had_some and not (ctx.person / WORDS).is_dir():
        return False
    with suppress(OSError, StoreError):
        with lock_by_file(ctx.person / LOCK, WAIT):
            write_all(str(ctx.person), (), ctx.key)
        for left in (ctx.person / WORDS, ctx.person / LOCK):
            left.rmdir() if left.is_dir() else left.unlink(missing_ok=True)
    return had_some


def shared_notes(ctx: Context) -> list[Note]:
    """What other projects of this person tell agents here as well."""
    return [one for one in person_notes(ctx) if one.workspace != ctx.name and one.event != KNOWN]


def other_projects(ctx: Context, lesson: Lesson) -> list[str]:
    """The other projects of this person in which the same was approved, by their lines."""
    mine = set(lesson.subject.split())
    return [
        one.text
        for one in person_notes(ctx)
        if one.workspace != ctx.name
        and one.event == KNOWN
        and (one.text == one_line(lesson.text) or one.word == lesson.subject or _is_alike(mine, one.word))
    ]


def _is_alike(mine: set[str], subject: str) -> bool:
    """Whether two rules are about the same thing."""
    return ":" not in subject and len(mine & set(subject.split())) >= ALIKE


def forget_person_note(ctx: Context, lesson: str) -> Note | None:
    """Take a lesson of another project out of what holds everywhere; None: there is none with that id."""
    found = [one for one in person_notes(ctx) if one.event != KNOWN and lesson and one.id.startswith(lesson)]
    if len(found) != 1:
        return None
    gone = found[0]
    mark = Note(KNOWN, gone.text, gone.word, id=gone.id, workspace=gone.workspace, by=TAKEN_BACK)
    with lock_by_file(ctx.person / LOCK, WAIT):
        write_all(str(ctx.person), [mark if one.id == gone.id else one for one in person_notes(ctx)], ctx.key)
    return gone


def restore_person_note(ctx: Context, lesson: str) -> None:
    """Let a lesson hold everywhere again that was taken back from another project."""
    if any(one.id == lesson and one.by == TAKEN_BACK for one in person_notes(ctx)):
        with lock_by_file(ctx.person / LOCK, WAIT):
            write_all(str(ctx.person), [one for one in person_notes(ctx) if one.id != lesson], ctx.key)


def _note(lesson: Lesson, channel: Channel) -> Note:
    check: dict[str, object] | None = None
    if channel == "before" and lesson.check is not None:
        check = asdict(lesson.check)
    elif channel == "after":
        check = {"program": lesson.subject.partition(":")[0].split()}
    return Note(
        channel,
        one_line(lesson.text),
        trigger_word(lesson, channel),
        denies=channel == "before" and lesson.check is not None and lesson.check.step == "deny",
        id=lesson.id,
        check=check,
        by=one_line(lesson.decided_by),
        expires=lesson.expires,
        cites=f"{lesson.cites.file}\t{lesson.cites.says}" if lesson.cites else "",
        workspace=lesson.workspace,
    )
