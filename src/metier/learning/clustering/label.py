"""A label and a summary for a group of requests, where no model gives them one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.learning.clustering.cluster import essence
from metier.learning.procedures.requests import examples, plain, subject
from metier.text.words import is_dense, stem, stems_of, words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from metier.types import Run

WORDS = 3
"""Words of a label, where the requests share so many."""
LONGEST = 24
"""Characters of a label in a script without spaces."""
SHARED = 0.35
"""Share of the requests a word of a label stands in; values that come up again and again stand in fewer."""
_WORD = re.compile(r"[^\W\d_][\w-]*")
COMMON = 0.75
"""A word that so many of the requests have is their subject."""
USED = 0.6
"""A value is used in so many of the runs whose request names it."""
ELSEWHERE = 0.25
"""And in at most so many of the others."""
LONG = 1_500
"""Characters of what was done in a run that are looked at."""
_NAMED = re.compile(r"`[^`\n]{1,200}`|(?<![\w.])[\w.~-]*(?:/[\w.@*{}-]+)+/?|\b\w+\.[a-z]{2,4}\b")
"""Code, paths and files: what a request names, not what it is about."""
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def label_of(requests: Sequence[str], taken: Collection[str] = (), values: Collection[str] | None = None) -> str:
    """What the requests share in a few words, lower-case and hyphenated, without values; none that is taken.

    `values` are stems that are known to be values, as `values_in` finds them; None: nobody knows any.
    """
    plain = [_NAMED.sub(" ", request) for request in requests]
    shared = [word.casefold() for word in subject(plain, {}, limit=12) if not _DIGIT.search(word)]
    common = [word for word in shared if stem(word) not in (values or ())] or [_run_of(requests) or "work"]
    for count in range(_enough(common, requests, sure=values is not None), len(common) + 1):
        label = "-".join(_in_order(common[:count], requests))
        if label not in taken:
            return label
    base = "-".join(_in_order(common[:WORDS], requests))
    return next(name for number in range(2, len(taken) + 3) if (name := f"{base}-{number}") not in taken)


def _enough(common: Sequence[str], requests: Sequence[str], *, sure: bool) -> int:
    """How many words a label begins with: those that many share, two of them where none of these can be a value."""
    many = sum(_share(word, requests) >= SHARED for word in common)
    least = min(2, len(common)) if sure else 1
    most = WORDS if max(map(len, requests), default=0) < LONG else WORDS + 1
    return max(least, min(most, many))


def summary_of(requests: Sequence[str]) -> str:
    """The most typical of the requests, without greetings and values."""
    return next(iter(examples(requests, {}, 1)), "") or (plain(requests[0], {}) if requests else "")


def _run_of(requests: Sequence[str]) -> str:
    """The longest run of a script without spaces that at least half of the requests have; of equals the first."""
    said = sorted((essence(request) for request in requests), key=lambda text: (len(text), text))
    runs = [word[:LONGEST] for text in said[:1] for word in words(text) if is_dense(word)]
    parts = {run[start:end] for run in runs for end in range(2, len(run) + 1) for start in range(end - 1)}
    shared = [part for part in parts if 2 * sum(part in text for text in said) >= len(said)]
    return min(shared, key=lambda part: (-len(part), part), default="")


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


def values_in(runs: Sequence[tuple[str, str]]) -> frozenset[str] | None:
    """Stems that stand in what was done just where they stand in what was asked: they are handed through.

    Each run is what was asked and what was done, as `deeds_of` gives it; None: nothing was done, so nobody can tell.
    """
    asked = [stems_of(message) for message, deeds in runs if deeds]
    done = [frozenset(map(stem, _LETTERS.findall(deeds.casefold()))) for _, deeds in runs if deeds]
    if not done:
        return None
    return frozenset(word for word in frozenset[str]().union(*asked) if _is_handed_through(word, asked, done))


def deeds_of(run: Run) -> str:
    """What was done in a run, as far as it is looked at here."""
    return " ".join(call.input[:LONG] for call in run.tools)[:LONG]


def _is_handed_through(word: str, asked: Sequence[frozenset[str]], done: Sequence[frozenset[str]]) -> bool:
    with_it = [word in acts for said, acts in zip(asked, done, strict=True) if word in said]
    without = [word in acts for said, acts in zip(asked, done, strict=True) if word not in said]
    if len(with_it) >= COMMON * len(asked) or not without:
        return False
    return sum(with_it) >= USED * len(with_it) and sum(without) <= ELSEWHERE * len(without)
