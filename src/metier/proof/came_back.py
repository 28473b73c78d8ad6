"""Came back: whether the error or the correction of a lesson appeared again after it was given, with the runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.learning.lessons.session.net import terms_of, weight_of
from metier.learning.lessons.session.steps import error_key
from metier.store.tables.learning import sightings, told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from metier.context.context import Context
    from metier.types.lessons import Lesson, ToldLesson
    from metier.types.sightings import Catch, Repair, Said

PLAIN = 1.0
"""Weight of a sentence that sounds like a correction."""
SHARED = 2
"""Terms of a rule's subject that a sentence on it shares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """An error or a correction that appeared again."""

    run: str
    session: str
    moment: str
    text: str
    told: bool
    """Whether the agent had been told the lesson in that session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Returns:
    """What became of a lesson's trouble since the lesson was given."""

    since: str
    """Since when it is watched: when it was approved, or first told if that was earlier."""
    told_sessions: int
    """Sessions in which agents were told it."""
    again: tuple[Recurrence, ...] = ()

    @property
    def sessions(self) -> int:
        """Sessions in which the trouble came back."""
        return len({one.session for one in self.again})


def came_back(ctx: Context, lesson: Lesson) -> Returns | None:
    """Whether a lesson's trouble came back; None: nobody has approved it, or it is a fact, which has no trouble."""
    if not lesson.approved or lesson.kind == "fact":
        return None
    with ctx.store.read() as transaction:
        every = sightings.list_all(transaction)
        given = [one for one in told.since(transaction, "") if one.lesson == lesson.id]
    since = min([lesson.approved, *(one.created for one in given)])
    again = _recurrences(lesson, every, given)
    late = sorted((one for one in again if one.moment > since), key=lambda one: (one.moment, one.run))
    return Returns(since=since, told_sessions=len({one.session for one in given}), again=tuple(late))


def _recurrences(lesson: Lesson, every: Iterable[Catch], given: Iterable[ToldLesson]) -> Iterator[Recurrence]:
    told_in: dict[str, str] = {}
    for one in given:
        told_in.setdefault(one.session, one.created)
    for catch in every:
        found: list[tuple[Repair | Said, str]] = (
            [(one, one.error) for one in catch.repairs if _is_same_error(lesson, one)]
            if lesson.kind == "fix"
            else [(one, one.text) for one in catch.said if _is_same_wish(lesson, one)]
        )
        for one, text in found:
            was_told = one.session in told_in and told_in[one.session] <= one.moment
            yield Recurrence(run=one.run, session=one.session, moment=one.moment, text=text, told=was_told)


def _is_same_error(lesson: Lesson, repair: Repair) -> bool:
    program, error = repair.program.split()[:1], repair.error
    same = [f"{word}: {error_key(error)}" for word in program]
    return lesson.subject in same or bool(lesson.trigger and lesson.trigger.casefold() in error.casefold())


def _is_same_wish(lesson: Lesson, said: Said) -> bool:
    """Whether a person said again what a rule says: on its subject, and as a correction."""
    subject = set(lesson.subject.split()) or set(terms_of(lesson.text))
    shared = subject & set(said.terms)
    return len(shared) >= min(SHARED, len(subject)) > 0 and weight_of(said.text, said.cues) >= PLAIN
