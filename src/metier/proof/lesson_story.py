"""The story of a lesson: what it rests on, who said yes, how it reaches agents, and what is measured of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.learning.stages.count_checks import count_check
from metier.library.delivery.channels import channels_of
from metier.library.delivery.notes_file import in_use
from metier.library.lessons import get_lesson, list_lessons
from metier.proof.came_back import came_back
from metier.store.tables import audit
from metier.store.tables.learning import told

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.learning.lessons.checks import Tally
    from metier.library.delivery.channels import Channel
    from metier.proof.came_back import Returns
    from metier.types.audit import AuditEntry
    from metier.types.lessons import Lesson

CHARACTERS = 4
"""Characters of a token, roughly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRecord:
    """All that is known of a lesson."""

    lesson: Lesson
    decisions: tuple[AuditEntry, ...]
    """What persons and Metier did to it, the oldest first."""
    channel: Channel | None
    """How agents are told it now; None: they are not."""
    told: tuple[tuple[str, int], ...]
    """How often it was told, by how."""
    told_sessions: int
    tokens: int
    """What telling it has cost so far, roughly."""
    checked: Tally | None
    returns: Returns | None


def tokens_told(lesson: Lesson, times: int) -> int:
    """What telling a lesson so often has cost, roughly."""
    return times * max(1, len(lesson.text) // CHARACTERS)


def lesson_story(ctx: Context, lesson: str) -> LessonRecord:
    """The story of a lesson, by its id or the start of it."""
    found = get_lesson(ctx, lesson)
    with ctx.store.read() as transaction:
        given = [one for one in told.since(transaction, "") if one.lesson == found.id]
        decisions = audit.list_about(transaction, found.id)
    used = in_use(ctx, list_lessons(ctx))
    channels = channels_of([one for one in used if not one.published])
    return LessonRecord(
        lesson=found,
        decisions=tuple(decisions),
        channel=channels.get(found.id),
        told=tuple(sorted(Counter(one.how for one in given).items())),
        told_sessions=len({one.session for one in given}),
        tokens=tokens_told(found, len(given)),
        checked=count_check(ctx, found),
        returns=came_back(ctx, found),
    )
