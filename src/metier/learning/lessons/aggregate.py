"""From sightings of all sessions to lessons, by kind: fixes by trouble, facts by purpose, rules by subject."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from math import log
from typing import TYPE_CHECKING

from metier.learning.lessons.facts import CORE, facts_from
from metier.learning.lessons.remedies import fixes_from
from metier.learning.lessons.session.net import PLAIN, process_terms, weight_of
from metier.learning.lessons.session.signals import EVERYWHERE
from metier.learning.lessons.session.steps import error_key
from metier.learning.lessons.wording import order_in
from metier.types.lessons import Lesson, Quote
from metier.types.sightings import Repair, Said, Worked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.learning.lessons.facts import Fact
    from metier.learning.lessons.remedies import Fix
    from metier.types.sightings import Sighting

LEAST = 2
"""Sessions in which a subject has to come up."""
SHARED = 2
"""Terms that two sentences on one subject share."""
NEAR = 1.1
"""Weight that their shared terms need, that of a term which occurs once being 1."""
ENOUGH = 4.0
"""Weight of a correction that is worth showing."""
SAME = 1.5
"""Weight of having said it in the same words in another session."""
MOST = 20
"""Sessions with the same words that are looked at, the newest."""
FEW = 20
"""Sentences from which on it says something how many of them hold a term."""
COPY = 60
"""Characters from which on the same sentence in two sessions is a copy, not a second sighting, unless it answers what
an agent did.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A subject that the person had to come back to."""

    quote: Said
    """The sentence that says it best."""
    others: tuple[Said, ...]
    """The other sentences on the subject, oldest first."""
    sessions: int
    subject: tuple[str, ...]
    weight: float


def corrections_from(said: Iterable[Said]) -> list[Correction]:
    """The subjects that came up in several sessions, the weightiest first; no sentence stands in two of them."""
    every = _without_copies(said)
    weights = _weights(every)
    found: list[Correction] = []
    taken: set[int] = set()
    near = _neighbours(every, weights)
    made = [_correction(at, every, near[at], weights) for at in range(len(every))]
    for at, one in sorted(enumerate(made), key=lambda pair: (-(pair[1].weight if pair[1] else 0), pair[0])):
        if one is None or at in taken:
            continue
        if any(len(set(one.subject) & set(other.subject)) >= SHARED for other in found):
            continue
        found.append(_with_plain_quote(one))
        taken |= {at, *near[at]}
    return found


def _with_plain_quote(found: Correction) -> Correction:
    """The correction in the words of another sentence that the chosen one only adds something of one case to."""
    whole = found.quote.text.casefold()
    plain = [one for one in found.others if _is_part(one, whole) and weight_of(one.text, one.cues) >= PLAIN]
    if not plain:
        return found
    quote = min(plain, key=lambda one: len(one.text))
    return replace(found, quote=quote, others=(found.quote, *(one for one in found.others if one is not quote)))


def _is_part(one: Said, whole: str) -> bool:
    text = one.text.casefold().rstrip(".!")
    return len(text) < len(whole) and text in whole


def _without_copies(said: Iterable[Said]) -> list[Said]:
    seen: set[str] = set()
    found: list[Said] = []
    for one in said:
        if len(one.text) >= COPY and one.text in seen and not one.before:
            continue
        seen.add(one.text)
        found.append(one)
    return found


def _weights(every: Sequence[Said]) -> dict[str, float]:
    """How telling each term is: the rarer the more; among few sentences, all of them tell something.

    The same words again make them no less telling.
    """
    different = {frozenset(one.terms) for one in every}
    counts = Counter(term for terms in different for term in terms)
    size = max(len(different), FEW) + 1
    return {term: log(size / count) / log(size) for term, count in counts.items()}


def _neighbours(every: Sequence[Said], weights: Mapping[str, float]) -> list[list[int]]:
    """For each sentence, those on the same subject."""
    by_term: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(every):
        for term in one.terms:
            by_term[term].append(at)
    common = max(8, len(every) // 4)
    same = _same_words(every)
    found: list[list[int]] = []
    for at, one in enumerate(every):
        shared: Counter[int] = Counter()
        weight: dict[int, float] = defaultdict(float)
        for term in one.terms:
            for other in by_term[term] if len(by_term[term]) <= common else ():
                shared[other] += 1
                weight[other] += weights[term]
        near = {other for other, count in shared.items() if count >= SHARED and weight[other] >= NEAR}
        near.update(same.get(frozenset(one.terms), ()))
        found.append(sorted(near - {at}))
    return found


def _same_words(every: Sequence[Said]) -> dict[frozenset[str], list[int]]:
    """Where the same words were said, once for each session, the newest sessions."""
    found: dict[frozenset[str], dict[str, int]] = defaultdict(dict)
    for at, one in enumerate(every):
        if one.terms:
            found[frozenset(one.terms)][one.session] = at
    return {terms: list(places.values())[-MOST:] for terms, places in found.items()}


def _correction(at: int, every: Sequence[Said], near: Sequence[int], weights: Mapping[str, float]) -> Correction | None:
    one = every[at]
    said = weight_of(one.text, one.cues)
    if not near or said < PLAIN or one.text.endswith(("?", "？")):  # a question is no rule, but a sighting of one
        return None
    process = process_terms(one.text)
    others = [every[other] for other in near if process & set(one.terms) & set(every[other].terms)]
    sessions = len({one.session, *(other.session for other in others)})
    again = len({one.session, *(other.session for other in others if set(other.terms) == set(one.terms))})
    weight = sessions**0.5 * said + (SAME if again >= LEAST else 0.0)
    if sessions < LEAST or weight < ENOUGH:
        return None
    shared = Counter(term for other in others for term in set(other.terms) & set(one.terms))
    subject = tuple(
        term for term, _ in sorted(shared.items(), key=lambda item: (-item[1], -weights[item[0]], item[0]))[:3]
    )
    return Correction(quote=one, others=tuple(others), sessions=sessions, subject=subject, weight=weight)


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
