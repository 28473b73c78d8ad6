"""A lesson in a person's own words, with the check that these words make."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.formats.strict_json import clean
from metier.learning.lessons.checks import check_of
from metier.library.lessons import edit_lesson, get_lesson
from metier.store.tables.learning import sightings

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.types.lessons import CheckStep, Lesson, LessonCheck


def reword_lesson(ctx: Context, lesson: str, text: str, step: CheckStep | None = None) -> Lesson:
    """Put a lesson into a person's own words; calls are held to what they say now.

    Where that is the same check, it goes as far as before: the person agreed to it. Another one only counts, unless
    `step` says how far it goes.
    """
    found = get_lesson(ctx, lesson)
    with ctx.store.read() as transaction:
        caught = sightings.list_all(transaction)
    agreed = found.check
    programs = {program for catch in caught for program in catch.programs} | {*(agreed.program[:1] if agreed else ())}
    said = " ".join(ctx.redact(clean(text)).split())  # before the check is read out of it, which is kept, too
    check = check_of(replace(found, text=said), frozenset(programs))
    if check is not None and agreed is not None and _same(check) == _same(agreed):
        check = replace(check, step=agreed.step)
    if check is not None and step is not None:
        check = replace(check, step=step)
    return edit_lesson(ctx, found.id, said, check)


def _same(check: LessonCheck) -> LessonCheck:
    """What a person agrees to with a check: which calls are wrong."""
    return replace(check, instead="", step="observe")
