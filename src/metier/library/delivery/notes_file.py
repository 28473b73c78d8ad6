"""The file that hooks read: written again whenever an approved lesson changes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from metier.errors import StoreError
from metier.formats.value_json import dumps
from metier.hooks.notes import KNOWN, NOTES, TAKEN_BACK, UNTOLD, WORDS, Note, read_notes, write_notes
from metier.hooks.wording import one_line
from metier.library.delivery.channels import channels_of, trigger_word
from metier.store.engines.exclusive import lock_by_file
from metier.store.tables.learning import lessons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.library.delivery.channels import Channel
    from metier.types.lessons import Lesson

LOCK = "notes.lock"
ALIKE = 2
"""Words of their subjects that two rules share when they are about the same."""
WAIT = 10.0
"""Seconds to wait while another process writes the file."""


def lesson_seal(ctx: Context, lesson: Lesson) -> str:
    """This person's seal under all that agents are told of a lesson: its line, when, and how far its check goes."""
    check = dumps(lesson.check) if lesson.check and lesson.check.step != "observe" else ""
    cites = dumps(lesson.cites) if lesson.cites else ""
    parts = (lesson.workspace, lesson.id, lesson.kind, lesson.text, lesson.trigger, lesson.subject)
    return ctx.seal("lesson", *parts, check, cites, lesson.scope)


def in_use(ctx: Context, found: Sequence[Lesson]) -> list[Lesson]:
    """The lessons that this person approved on this machine, exactly as they stand."""
    return [one for one in found if one.status == "approved" and ctx.key and one.seal == lesson_seal(ctx, one)]


def refresh_notes(ctx: Context) -> None:
    """Write what hooks tell agents: every lesson in use that is not published, each in its one channel."""
    with lock_by_file(ctx.state / LOCK, WAIT):
        with ctx.store.read() as transaction:
            used = in_use(ctx, lessons.list_all(transaction))
        write_notes(str(ctx.state), notes_of([one for one in used if not one.published]))
    share_lessons(ctx, used)


def notes_of(told: Sequence[Lesson]) -> list[Note]:
    """What hooks say of some lessons, each in its one channel."""
    channels = channels_of(told)
    ordered = sorted(told, key=lambda one: (-one.strength, one.kind, one.text, one.id))
    return [_note(one, channels[one.id]) for one in ordered if one.id in channels]


def share_lessons(ctx: Context, used: Sequence[Lesson]) -> None:
    """Write what holds in all projects of the person, and what is known here, beside their key."""
    mine = [one for one in person_notes(ctx) if one.workspace == ctx.name]
    back = {one.id for one in mine if one.event == TAKEN_BACK}
    told = notes_of([one for one in used if one.scope == "person" and one.id not in back])
    known = [
        Note(TAKEN_BACK if one.id in back else KNOWN, one.text, one.subject, id=one.id, workspace=ctx.name)
        for one in used
        if one.kind != "fact" and (one.scope != "person" or one.id in back)
    ]
    if not (told or known or mine):
        return
    with suppress(OSError, StoreError), lock_by_file(ctx.person / LOCK, WAIT):
        others = [one for one in person_notes(ctx) if one.workspace != ctx.name]
        write_notes(str(ctx.person), [*others, *told, *known])


def person_notes(ctx: Context) -> list[Note]:
    """What holds in all projects of this person, and what each of them knows."""
    return read_notes(str(ctx.person))


def drop_person_notes(ctx: Context) -> bool:
    """Take away what holds in all projects of the person, if all of it is this project's; whether there was any."""
    if any(one.workspace != ctx.name for one in person_notes(ctx)):
        return False
    had_some = (ctx.person / NOTES).is_file()
    if not had_some and not (ctx.person / WORDS).is_dir():
        return False
    with suppress(OSError, StoreError):
        with lock_by_file(ctx.person / LOCK, WAIT):
            write_notes(str(ctx.person), ())
        for left in (ctx.person / WORDS, ctx.person / LOCK):
            left.rmdir() if left.is_dir() else left.unlink(missing_ok=True)
    return had_some


def shared_notes(ctx: Context) -> list[Note]:
    """What other projects of this person tell agents here as well."""
    return [one for one in person_notes(ctx) if one.workspace != ctx.name and one.event not in UNTOLD]


def other_projects(ctx: Context, lesson: Lesson) -> list[str]:
    """The other projects of this person in which the same was approved, by their lines."""
    mine = set(lesson.subject.split())
    return [
        one.text
        for one in person_notes(ctx)
        if one.workspace != ctx.name
        and one.event in UNTOLD
        and (one.text == one_line(lesson.text) or one.word == lesson.subject or _is_alike(mine, one.word))
    ]


def _is_alike(mine: set[str], subject: str) -> bool:
    """Whether two rules are about the same thing."""
    return ":" not in subject and len(mine & set(subject.split())) >= ALIKE


def forget_person_note(ctx: Context, lesson: str) -> Note | None:
    """Take a lesson of another project out of what holds everywhere; None: there is none with that id."""
    found = [one for one in person_notes(ctx) if one.event not in UNTOLD and lesson and one.id.startswith(lesson)]
    if len(found) != 1:
        return None
    gone = found[0]
    mark = Note(TAKEN_BACK, gone.text, gone.word, id=gone.id, workspace=gone.workspace)
    with lock_by_file(ctx.person / LOCK, WAIT):
        write_notes(str(ctx.person), [mark if one.id == gone.id else one for one in person_notes(ctx)])
    return gone


def restore_person_note(ctx: Context, lesson: str) -> None:
    """Let a lesson hold everywhere again that was taken back from another project."""
    if any(one.id == lesson and one.event == TAKEN_BACK for one in person_notes(ctx)):
        with lock_by_file(ctx.person / LOCK, WAIT):
            write_notes(str(ctx.person), [one for one in person_notes(ctx) if one.id != lesson])


def _note(lesson: Lesson, channel: Channel) -> Note:
    check: dict[str, object] | None = None
    if channel == "before" and lesson.check is not None:
        check = asdict(lesson.check)
    elif channel == "after":
        check = {"program": lesson.subject.partition(":")[0].split()}
    return Note(
        channel,
        lesson.text,
        trigger_word(lesson, channel),
        kind=lesson.kind,
        denies=channel == "before" and lesson.check is not None and lesson.check.step == "deny",
        id=lesson.id,
        check=check,
        expires=lesson.expires,
        cites=f"{lesson.cites.file}\t{lesson.cites.says}" if lesson.cites else "",
        workspace=lesson.workspace,
    )
