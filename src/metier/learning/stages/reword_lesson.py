"""A lesson in a person's own words, with the check that these words make."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.learning.lessons.checks import check_of
from metier.library.lessons import edit_lesson, get_lesson
from metier.store.tables.learning import sightings

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.types.lessons import Lesson


def reword_lesson(ctx: Context, lesson: str, text: str) -> Lesson:
    """Put a lesson into a person's own words; calls are held to what they say now."""
    found = get_lesson(ctx, lesson)
    with ctx.store.read() as transaction:
        caught = sightings.list_all(transaction)
    programs = frozenset(program for catch in caught for program in catch.programs)
    check = check_of(replace(found, text=" ".join(text.split())), programs)
    return edit_lesson(ctx, found.id, text, check)
