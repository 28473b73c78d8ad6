"""The last week in three lines: what was obeyed or violated, what came back, what to remove."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from metier.learning.lessons.remedies import by_trouble
from metier.learning.lessons.tally import Rate
from metier.learning.lessons.wording import error_wording
from metier.learning.stages.count_checks import count_checks
from metier.library.lessons import list_lessons
from metier.store.tables.learning import sightings

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.types.lessons import Lesson

DAYS, QUIET = 7, 60
"""Days that a digest looks at; days without a call after which a lesson is offered for removal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameBack:
    """An error that appeared again in the last days."""

    program: str
    error: str
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What became of lessons in the last days."""

    checked: tuple[tuple[Lesson, Rate], ...] = ()
    """Approved lessons with how calls stood to them."""
    before: Rate = field(default_factory=Rate)
    """How calls stood to the same lessons in the last weeks before they were approved; this shows no cause."""
    without_calls: tuple[Lesson, ...] = ()
    """Approved lessons that can be checked and that no call of these days was about: `before` leaves them out."""
    came_back: tuple[CameBack, ...] = ()
    unused: tuple[Lesson, ...] = ()
    """Approved lessons that applied to no call for long."""
    gone: tuple[Lesson, ...] = ()
    """Facts that were paused because the project no longer says what they rest on."""


def digest_of(ctx: Context) -> Digest:
    """The digest of a workspace as of now."""
    week, quiet = (_days_ago(ctx, days) for days in (DAYS, QUIET))
    checked: list[tuple[Lesson, Rate]] = []
    before: list[Rate] = []
    without: list[Lesson] = []
    unused: list[Lesson] = []
    lessons = _checked_lessons(ctx)
    for lesson, (lately, long) in zip(lessons, count_checks(ctx, lessons, (week, quiet)), strict=True):
        if lately.after.applies or lately.after.denied:
            checked.append((lesson, lately.after))
            before.append(long.before)
        else:
            without.append(lesson)
        if not long.before.applies + long.after.applies and lesson.approved < quiet:
            unused.append(lesson)
    earlier = Rate(applies=sum(one.applies for one in before), violated=sum(one.violated for one in before))
    return Digest(
        checked=tuple(checked),
        before=earlier,
        without_calls=tuple(without),
        came_back=tuple(_came_back(ctx, week)),
        unused=tuple(unused),
        gone=_gone_facts(ctx),
    )


def _gone_facts(ctx: Context) -> tuple[Lesson, ...]:
    return tuple(one for one in list_lessons(ctx) if one.status == "paused" and one.cites is not None)


def _checked_lessons(ctx: Context) -> list[Lesson]:
    return [one for one in list_lessons(ctx) if one.status == "approved" and one.check is not None]


def _came_back(ctx: Context, week: str) -> list[CameBack]:
    """Errors of several sessions that appeared since a moment."""
    with ctx.store.read() as transaction:
        repairs = sightings.list_repairs(transaction)
    found: list[CameBack] = []
    for group in by_trouble(repairs):
        late = {one.session for one in group if one.moment >= week}
        if late and len({one.session for one in group}) > 1:
            wording = error_wording([one.error for one in group], len(group))
            found.append(CameBack(program=group[-1].program, error=wording, sessions=len(late)))
    return sorted(found, key=lambda one: (-one.sessions, one.program, one.error))


def _days_ago(ctx: Context, days: int) -> str:
    now = datetime.fromisoformat(ctx.now())
    return (now - timedelta(days=days)).isoformat(timespec="microseconds").replace("+00:00", "Z")
