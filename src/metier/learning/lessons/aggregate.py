"""From sightings of all sessions to lessons, by kind: fixes by trouble, facts by purpose, rules by subject."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.learning.lessons.corrections import corrections_from
from metier.learning.lessons.facts import facts_from
from metier.learning.lessons.ranking import strength_of_fact, strength_of_fix, strength_of_rule
from metier.learning.lessons.remedies import fixes_from
from metier.learning.lessons.session.errors import error_key
from metier.learning.lessons.session.sightings import Repair, Said, Worked
from metier.learning.lessons.session.signals import EVERYWHERE
from metier.learning.lessons.wording import order_in
from metier.types.lessons import Lesson, Quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.learning.lessons.corrections import Correction
    from metier.learning.lessons.facts import Fact
    from metier.learning.lessons.remedies import Fix
    from metier.learning.lessons.session.sightings import Sighting

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
