"""The story of a lesson: what it rests on, who said yes, how it reaches agents, and what is measured of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from metier.hooks.notes import Note
from metier.hooks.wording import denial_text, told_text
from metier.learning.stages.count_checks import count_check
from metier.library.delivery.channels import channels_of
from metier.library.delivery.notes_file import in_use
from metier.library.lessons import get_lesson, list_lessons
from metier.proof.came_back import came_back
from metier.selection.assembly.token_budget import tokens
from metier.store.tables import audit
from metier.store.tables.learning import told

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.context.context import Context
    from metier.learning.lessons.tally import Tally
    from metier.library.delivery.channels import Channel
    from metier.proof.came_back import Returns
    from metier.types.audit import AuditEntry
    from metier.types.lessons import Lesson, ToldLesson

SECOND = 19
"""Characters of a moment up to its seconds: hooks write no more."""


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


def tokens_told(lesson: Lesson, given: Iterable[ToldLesson], decisions: Sequence[AuditEntry]) -> int:
    """What telling a lesson has cost, roughly: each time in the words of that time, under their heading."""
    times = Counter((_text_at(one.created, lesson, decisions), one.how == "deny") for one in given)
    check = asdict(lesson.check) if lesson.check else None
    total = 0
    for (text, is_denial), count in times.items():
        note = Note("", text, kind=lesson.kind, check=check)
        total += count * tokens(denial_text(note) if is_denial else told_text([note]))
    return total


def _text_at(moment: str, lesson: Lesson, decisions: Sequence[AuditEntry]) -> str:
    """What a lesson said at a moment: each decision notes the words that it was about."""
    later = (one.subject.partition(" ")[2] for one in decisions if one.happened[:SECOND] > moment[:SECOND])
    return next(later, "") or lesson.text


def lesson_story(ctx: Context, lesson: str) -> LessonRecord:
    """The story of a lesson, by its id or the start of it."""
    found = get_lesson(ctx, lesson)
    with ctx.store.read() as transaction:
        given = told.of_lesson(transaction, found.id)
        decisions = audit.list_about(transaction, found.id)
    used = in_use(ctx, list_lessons(ctx))
    channels = channels_of([one for one in used if not one.published])
    return LessonRecord(
        lesson=found,
        decisions=tuple(decisions),
        channel=channels.get(found.id),
        told=tuple(sorted(Counter(one.how for one in given).items())),
        told_sessions=len({one.session for one in given}),
        tokens=tokens_told(found, given, decisions),
        checked=count_check(ctx, found),
        returns=came_back(ctx, found),
    )
