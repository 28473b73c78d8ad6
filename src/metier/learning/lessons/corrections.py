"""Corrections that a person had to repeat: sentences of several sessions on one subject, in their own words."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING

from metier.learning.lessons.session.net import PLAIN, process_terms, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.types.sightings import Said

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
    subject = _subject(one, others, weights)
    return Correction(quote=one, others=tuple(others), sessions=sessions, subject=subject, weight=weight)


def _subject(one: Said, others: Sequence[Said], weights: Mapping[str, float]) -> tuple[str, ...]:
    """The terms that a sentence shares with most of the others, the more telling first."""
    shared = Counter(term for other in others for term in set(other.terms) & set(one.terms))
    ranked = sorted(shared.items(), key=lambda item: (-item[1], -weights[item[0]], item[0]))
    return tuple(term for term, _ in ranked[:3])
