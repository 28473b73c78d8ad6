"""Checks against the runs in the store: how often each applied and was violated, before it was approved and since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.learning.lessons.tally import CallTally, tally
from metier.store.tables.runs import listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.context.context import Context
    from metier.learning.lessons.tally import Tally
    from metier.types import Record
    from metier.types.lessons import Lesson, LessonCheck

STEP = 100
"""Runs read at a time."""


def count_check(ctx: Context, lesson: Lesson, since: str = "") -> Tally | None:
    """What the runs of a workspace say about a lesson's check; None: it has none. `since`: only later runs."""
    if lesson.check is None:
        return None
    return tally(lesson.check, _since(ctx, sorted(_words(lesson.check)), since), lesson.periods)


def count_checks(ctx: Context, lessons: Sequence[Lesson], moments: Sequence[str]) -> list[tuple[Tally, ...]]:
    """What the runs since each moment say about many checks, in one go through the runs; each lesson has a check."""
    checks = [(one.check, one.periods) for one in lessons if one.check is not None]
    counters = [[CallTally(check, periods) for _ in moments] for check, periods in checks]
    words = [_words(check) for check, _ in checks]
    every = frozenset[str]().union(*words)
    for record in _since(ctx, (), min(moments, default="")) if counters else ():
        there = _words_there(record, every)
        for some, mine in zip(counters, words, strict=True):
            if there & mine:
                _add_to(some, moments, record)
    return [tuple(one.result() for one in some) for some in counters]


def _words_there(record: Record, words: Iterable[str]) -> set[str]:
    inputs = "\n".join(call.input for call in record.run.tools)
    return {word for word in words if word in inputs}


def _add_to(counters: Sequence[CallTally], moments: Sequence[str], record: Record) -> None:
    """Count a run since each moment that lies before it."""
    when = record.run.started or record.recorded
    for counter, moment in zip(counters, moments, strict=True):
        if when >= moment:
            counter.add(record)


def _words(check: LessonCheck) -> frozenset[str]:
    """Words of which one stands in every call that a check applies to."""
    if check.path:
        return frozenset((check.path.strip("/").rpartition("/")[2],))
    return frozenset((check.program[0], *check.instead.split()[:1]))


def _since(ctx: Context, words: Sequence[str], since: str) -> Iterator[Record]:
    """The runs since a moment that hold any of the words, oldest first; no words: all of them."""
    last = 0
    while True:
        with ctx.store.read() as transaction:
            part = listing.holding(transaction, words, since=since, after=last, limit=STEP)
        yield from part
        if len(part) < STEP:
            break
        last = part[-1].sequence
