"""Corrections that a person had to repeat: their own words, one quote for each subject."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from metier.learning.lessons.session.net import process_terms, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.learning.lessons.session.sightings import Said

LEAST = 2
"""Sessions in which a subject has to come up."""
SHARED = 2
"""Terms that two sentences on one subject share."""
NEAR = 1.1
"""Weight that their shared terms need, that of a term which occurs once being 1."""
PLAIN = 1.5
"""Weight of a sentence that is plainly a wish or a correction."""
ENOUGH = 4.0
"""Weight of a correction that is worth showing."""
COPY = 60
"""Characters from which on the same sentence in two sessions is a copy, not a second sighting."""


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
        found.append(one)
        taken |= {at, *near[at]}
    return found


def _without_copies(said: Iterable[Said]) -> list[Said]:
    seen: set[str] = set()
    found: list[Said] = []
    for one in said:
        if len(one.text) >= COPY and one.text in seen:
            continue
        seen.add(one.text)
        found.append(one)
    return found


def _weights(every: Sequence[Said]) -> dict[str, float]:
    """How telling each term is: the rarer the more."""
    counts = Counter(term for one in every for term in set(one.terms))
    return {term: log((len(every) + 1) / count) / log(len(every) + 1) for term, count in counts.items()}


def _neighbours(every: Sequence[Said], weights: Mapping[str, float]) -> list[list[int]]:
    """For each sentence, those on the same subject."""
    by_term: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(every):
        for term in one.terms:
            by_term[term].append(at)
    common = max(8, len(every) // 4)
    found: list[list[int]] = []
    for at, one in enumerate(every):
        shared: Counter[int] = Counter()
        weight: dict[int, float] = defaultdict(float)
        for term in one.terms:
            for other in by_term[term] if len(by_term[term]) <= common else ():
                shared[other] += 1
                weight[other] += weights[term]
        found.append(
            [other for other, count in shared.items() if other != at and count >= SHARED and weight[other] >= NEAR]
        )
    return found


def _correction(at: int, every: Sequence[Said], near: Sequence[int], weights: Mapping[str, float]) -> Correction | None:
    one = every[at]
    said = weight_of(one.text, one.cues)
    if not near or said < PLAIN:
        return None
    process = process_terms(one.text)
    others = [every[other] for other in near if process & set(one.terms) & set(every[other].terms)]
    sessions = len({one.session, *(other.session for other in others)})
    weight = sessions**0.5 * said
    if sessions < LEAST or weight < ENOUGH:
        return None
    shared = Counter(term for other in others for term in set(other.terms) & set(one.terms))
    subject = tuple(
        term for term, _ in sorted(shared.items(), key=lambda item: (-item[1], -weights[item[0]], item[0]))[:3]
    )
    return Correction(quote=one, others=tuple(others), sessions=sessions, subject=subject, weight=weight)
