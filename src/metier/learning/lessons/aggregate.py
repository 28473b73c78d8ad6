"""From sightings of all sessions to lessons, by kind: fixes by trouble, facts by purpose, rules by subject."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.learning.lessons.corrections import Correction, corrections_from
from metier.learning.lessons.facts import CORE, facts_from
from metier.learning.lessons.remedies import fixes_from
from metier.learning.lessons.session.signals import EVERYWHERE
from metier.learning.lessons.session.steps import error_key
from metier.learning.lessons.wording import order_in
from metier.types.lessons import Lesson, Quote
from metier.types.sightings import Repair, Said, Worked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.learning.lessons.facts import Fact
    from metier.learning.lessons.remedies import Fix
    from metier.types.sightings import Sighting

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


QUOTES = 6
"""Quotes that a lesson keeps, the newest."""
LASTING = 90
"""Days after which a fact has to be seen again."""
REPEATED = 5
"""Corrections that are shown, at most."""


def lessons_from(sightings: Iterable[Sighting], workspace: str) -> list[Lesson]:
    """The lessons that the sightings of a workspace add up to, the strongest first."""
    every = list(sightings)
    fixes = fixes_from(one for one in every if isinstance(one, Repair))
    entering = {one.program.split()[0]: one.entering for one in reversed(fixes) if one.entering}
    found = [
        *map(_of_fix, fixes),
        *map(_of_fact, facts_from((one for one in every if isinstance(one, Worked)), entering)),
        *map(_of_correction, corrections_from(one for one in every if isinstance(one, Said))[:REPEATED]),
    ]
    named = [replace(one, workspace=workspace, id=lesson_id(workspace, one)) for one in found]
    return sorted(_without_repeats(named), key=lambda one: (-one.strength, one.kind, one.text))


def lesson_id(workspace: str, lesson: Lesson) -> str:
    """Twelve digits that are the same for the same subject."""
    return sha256("\0".join((workspace, lesson.kind, lesson.subject)).encode("utf-8", "replace")).hexdigest()[:12]


def _without_repeats(lessons: Sequence[Lesson]) -> list[Lesson]:
    """The lessons without those that say the same line, or have the same subject, as a stronger one."""
    ranked = sorted(lessons, key=lambda one: (-one.strength, one.text))
    texts: set[str] = set()
    subjects: set[str] = set()
    found: list[Lesson] = []
    for one in ranked:
        if one.text not in texts and one.id not in subjects:
            found.append(one)
        texts.add(one.text)
        subjects.add(one.id)
    return found


def _of_fix(fix: Fix) -> Lesson:
    first = fix.sightings[0]
    quotes = [
        quote
        for one in fix.sightings[-QUOTES // 2 :]
        for quote in (
            Quote(run=one.run, session=one.session, text=one.error, origin="tool"),
            Quote(run=one.run, session=one.session, text=one.fix, origin="action"),
        )
    ]
    return Lesson(
        id="",
        workspace="",
        kind="fix",
        text=fix.text,
        subject=f"{first.program.split()[0]}: {error_key(first.error)}",
        trigger=fix.trigger,
        strength=strength_of_fix(fix),
        sessions=fix.sessions,
        quotes=tuple(quotes),
    )


def _of_fact(fact: Fact) -> Lesson:
    newest = fact.sightings[-QUOTES // 2 :]
    return Lesson(
        id="",
        workspace="",
        kind="fact",
        text=fact.text,
        subject=f"{fact.role}: {fact.command.rpartition(' && ')[2].split()[0]}",
        trigger=fact.command.rpartition(" && ")[2].split()[0],
        strength=strength_of_fact(fact),
        sessions=fact.sessions,
        quotes=tuple(Quote(run=one.run, session=one.session, text=one.command, origin="action") for one in newest),
        expires=_days_after(max((one.moment for one in fact.sightings), default="")),
    )


def _days_after(moment: str) -> str:
    """When a fact that was seen at a moment has to be seen again; empty: nobody knows when it was seen."""
    try:
        seen = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    return (seen + timedelta(days=LASTING)).isoformat(timespec="seconds").replace("+00:00", "Z")


def _of_correction(correction: Correction) -> Lesson:
    said = (correction.quote, *correction.others[-QUOTES + 1 :])
    return Lesson(
        id="",
        workspace="",
        kind="rule",
        text=order_in(correction.quote.text),
        subject=" ".join(sorted(correction.subject)),
        trigger=" ".join(correction.subject),
        scope="person" if any(EVERYWHERE.search(one.text) for one in said) else "project",
        strength=strength_of_rule(correction),
        sessions=correction.sessions,
        quotes=tuple(Quote(run=one.run, session=one.session, text=one.text, origin="person") for one in said),
    )
