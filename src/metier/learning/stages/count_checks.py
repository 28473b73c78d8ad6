"""Checks against the runs in the store: how often each applied and was violated, before it was approved and since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.learning.lessons.checks.tally import tally
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.context.context import Context
    from metier.learning.lessons.checks.tally import Tally
    from metier.types import Record
    from metier.types.lessons import Lesson, LessonCheck

STEP = 100
"""Runs read at a time."""


def count_check(ctx: Context, lesson: Lesson, since: str = "") -> Tally | None:
    """What the runs of a workspace say about a lesson's check; None: it has none. `since`: only later runs."""
    if lesson.check is None:
        return None
    return tally(lesson.check, _runs(ctx, lesson.check, since), lesson.approved)


def _runs(ctx: Context, check: LessonCheck, since: str) -> Iterator[Record]:
    """The runs that a check may apply to, oldest first."""
    words = {check.path.strip("/").rpartition("/")[2]} if check.path else {check.program[0], *check.instead.split()[:1]}
    last = 0
    while True:
        with ctx.store.read() as transaction:
            part = runs.holding(transaction, sorted(words), after=last, limit=STEP)
        yield from (one for one in part if (one.run.started or one.recorded) >= since)
        if len(part) < STEP:
            break
        last = part[-1].sequence
