"""The few best first: how much speaks for a lesson, and what becomes of those that are known already."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.learning.lessons.facts import CORE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.lessons.corrections import Correction
    from metier.learning.lessons.facts import Fact
    from metier.learning.lessons.remedies import Fix
    from metier.types.lessons import Lesson

SHOWN = 5
"""Proposals that a pass puts before a person; the others wait below the line."""
ALIKE = 2
"""Words of their subjects that two rules share when they are about the same."""


def strength_of_fix(fix: Fix) -> float:
    """Sessions that agree count most, then how many tries the trouble has cost."""
    if fix.sessions < 2:
        return round(0.3 + 0.03 * min(fix.troubled, 4), 3)
    return round(min(0.95, 0.55 + 0.08 * min(fix.sessions, 4) + 0.02 * min(fix.troubled, 4)), 3)


def strength_of_fact(fact: Fact) -> float:
    """Sessions in which it worked; what is asked for every day counts more."""
    most = 0.85 if fact.role in CORE else 0.55
    return round(min(most, (0.5 if fact.role in CORE else 0.25) + 0.04 * fact.sessions), 3)


def strength_of_rule(correction: Correction) -> float:
    """How plainly it was said, and in how many sessions."""
    return round(min(0.95, correction.weight / 10), 3)


def merge(stored: Sequence[Lesson], found: Sequence[Lesson], now: str) -> list[Lesson]:
    """What is to be kept: decisions stand, proposals are updated, what was said no to does not come back."""
    by_id = {one.id: one for one in stored}
    refused = [one for one in stored if one.status in ("rejected", "forgotten", "paused")]
    kept: list[Lesson] = []
    for one in found:
        old = by_id.get(one.id)
        if old is not None:
            kept.append(_updated(old, one, now))
        elif not any(_is_same(one, other) for other in refused):
            kept.append(replace(one, created=now, updated=now))
    there = {one.id for one in kept}
    return [*kept, *(one for one in stored if _is_decided(one) and one.id not in there)]


def _updated(old: Lesson, new: Lesson, now: str) -> Lesson:
    """A known lesson with what is new about it; words and status that a person decided on stay."""
    if old.status == "paused" and old.kind == "fact" and new.text != old.text:
        return replace(new, created=old.created, updated=now)  # the project does it another way by now
    if _is_decided(old):
        cites = old.cites if old.text != new.text else old.cites or new.cites
        return replace(
            old, sessions=new.sessions, quotes=new.quotes, strength=new.strength, expires=new.expires, cites=cites
        )
    return replace(new, created=old.created, updated=now if new.text != old.text else old.updated)


def _is_decided(lesson: Lesson) -> bool:
    return lesson.status != "proposed" or lesson.by == "person"


def in_order(lessons: Sequence[Lesson]) -> list[Lesson]:
    """What waits for a decision first, the strongest first; then what was decided."""
    return sorted(lessons, key=lambda one: (not one.is_open, -one.strength, one.kind, one.text))


def _is_same(one: Lesson, other: Lesson) -> bool:
    """Whether a lesson says what another one said: the same line, or a rule on the same subject."""
    if one.kind != other.kind:
        return False
    if one.text == other.text or one.subject == other.subject:
        return True
    return one.kind == "rule" and len(set(one.subject.split()) & set(other.subject.split())) >= ALIKE
