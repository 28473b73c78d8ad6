"""A label and a summary for a group of requests, where no model gives them one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tacit.learning.requests import examples, plain, subject
from tacit.learning.terms import stem, stems_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

WORDS = 3
SHARED = 0.35
"""Share of the requests a word of a label stands in; values that come up again and again stand in fewer."""
_WORD = re.compile(r"[^\W\d_][\w-]*")


def label_of(requests: Sequence[str], taken: Collection[str] = ()) -> str:
    """What the requests share in a few words, lower-case and hyphenated, without values; none that is taken."""
    common = [word.casefold() for word in subject(requests, {}, limit=8)] or ["work"]
    sure = sum(_share(word, requests) >= SHARED for word in common)
    for count in range(max(1, min(WORDS, sure)), len(common) + 1):
        label = "-".join(_in_order(common[:count], requests))
        if label not in taken:
            return label
    base = "-".join(_in_order(common[:WORDS], requests))
    return next(name for number in range(2, len(taken) + 3) if (name := f"{base}-{number}") not in taken)


def summary_of(requests: Sequence[str]) -> str:
    """The most typical of the requests, without greetings and values."""
    return next(iter(examples(requests, {}, 1)), "") or (plain(requests[0], {}) if requests else "")


def _share(word: str, requests: Sequence[str]) -> float:
    return sum(stem(word) in stems_of(request) for request in requests) / max(1, len(requests))


def _in_order(words: Sequence[str], requests: Sequence[str]) -> list[str]:
    """The words in the order in which most requests have them."""
    places: dict[str, list[float]] = {stem(word): [] for word in words}
    for request in requests:
        said = [stem(word) for word in _WORD.findall(request.casefold())]
        for place, word in enumerate(said):
            if word in places:
                places[word].append(place / len(said))
    order = {key: sum(found) / len(found) if found else 1.0 for key, found in places.items()}
    return sorted(words, key=lambda word: (order[stem(word)], word))
