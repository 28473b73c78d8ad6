"""The file that hooks read: written anew whenever an approved lesson changes, and sealed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from metier.formats.value_json import dumps
from metier.hooks.notes import Note, write_notes
from metier.library.delivery.channels import channels_of, one_line, trigger_word
from metier.store.engines.exclusive import lock_by_file
from metier.store.tables.learning import lessons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.library.delivery.channels import Channel
    from metier.types.lessons import Lesson

LOCK = "notes.lock"
WAIT = 10.0
"""Seconds to wait while another process writes the file."""


def lesson_seal(ctx: Context, lesson: Lesson) -> str:
    """This person's seal under what they approved: the line, what calls for it, and how far its check goes."""
    check = dumps(lesson.check) if lesson.check and lesson.check.step != "observe" else ""
    parts = (lesson.workspace, lesson.id, lesson.kind, lesson.text, lesson.trigger, check)
    return ctx.seal("lesson", *parts)


def in_use(ctx: Context, found: Sequence[Lesson]) -> list[Lesson]:
    """The lessons that this person approved on this machine, exactly as they stand."""
    return [one for one in found if one.status == "approved" and ctx.key and one.seal == lesson_seal(ctx, one)]


def refresh_notes(ctx: Context) -> None:
    """Write what hooks tell agents: every lesson in use that is not published, each in its one channel."""
    with lock_by_file(ctx.state / LOCK, WAIT):
        with ctx.store.read() as transaction:
            told = [one for one in in_use(ctx, lessons.list_all(transaction)) if not one.published]
        channels = channels_of(told)
        ordered = sorted(told, key=lambda one: (-one.strength, one.kind, one.text, one.id))
        notes = [_note(one, channels[one.id]) for one in ordered if one.id in channels]
        write_notes(str(ctx.state), notes, ctx.name, ctx.key)


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
        workspace=lesson.workspace,
    )
