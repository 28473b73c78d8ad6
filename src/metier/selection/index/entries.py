"""One skill as the index knows it: its words with their weights and its meaning, worked out once per content."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from metier.models.embedder import StaticEmbedder, unit
from metier.selection.index.tokens import numbers, pairs, words_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from metier.selection.index.tokens import Numbers
    from metier.selection.types import Selectable

EMBEDDER: Final = StaticEmbedder()
EMBEDDER_NAME: Final = "minilm-static-256@e1b47dff8aa7"
"""Its name, without reading its table."""
VERSION: Final = f"2 {EMBEDDER_NAME}"
"""Of analysis and embedder: entries of another version do not compare, and have to be made anew."""
BODY: Final = 6_000
"""Characters of a body that are looked at, and of any other part."""
SENTENCES: Final = 8
"""Sentences of a description whose meaning is kept one by one."""
LEAST: Final = 8
"""Characters of what is more than a full stop in the wrong place."""
REQUESTS: Final = 16
"""Requests a skill served that are remembered."""
TELLING: Final = 0.9
"""How much a word of such a request must say to be taken over."""
THERE, TOLD, OFTEN, SERVED = 0.3, 0.4, 0.3, 0.4
"""What a word is worth that is in a skill at all, in its name or description, as often as can be, or in its past."""
USUAL: Final = ((3.5, 4.0), (36.0, 4.0), (470.0, 1.0))
"""The usual number of words in name, description and body, and how much one counts."""
SATURATED: Final = 2.0
"""Occurrences of a word, in a text of usual length, that count half of what any number would."""
SENTENCE = re.compile(r"[.!?;:]\s+|\n+|[。！？；：]")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexEntry:
    """One skill, analysed."""

    words: Numbers
    weights: NDArray[np.uint8]
    """How much the skill is about each of its words; 255 is most."""
    pairs: Numbers
    """Words that follow each other somewhere."""
    name: Numbers
    """The words of its name."""
    vectors: NDArray[np.int8]
    """Its meaning: first of name and description, then of single sentences and of requests it served."""


def entry_of(skill: Selectable) -> IndexEntry:
    """A skill analysed; the same content always gives the same entry."""
    name, description, body = skill.name[:BODY].replace("-", " "), skill.description[:BODY], skill.body[:BODY]
    fields = [numbers(text) for text in (name, description, body)]
    words, weights = _word_weights(fields)
    sentences = EMBEDDER.sums([name, *_sentences(description)])
    return IndexEntry(
        words=words,
        weights=weights,
        pairs=_distinct(np.concatenate([pairs(field) for field in fields])),
        name=_distinct(fields[0]),
        vectors=_eight_bit(np.concatenate([sentences.sum(axis=0, keepdims=True), sentences[1:]])),
    )


def with_history(entry: IndexEntry, texts: Iterable[str]) -> IndexEntry:
    """The entry of a skill that served these requests; of many the last ones count.

    Only words that say much are taken over, and no pairs: else whatever is asked in a usual phrase would find skills
    with a history first.
    """
    last = [text[:BODY] for text in texts if text.strip()][-REQUESTS:]
    if not last:
        return entry
    telling = [word for text in last for word in words_in(text) if EMBEDDER.weight(word) >= TELLING]
    fresh = np.setdiff1d(numbers(" ".join(telling)), entry.words)
    words = np.concatenate([entry.words, fresh])
    weights = np.concatenate([entry.weights, np.full(len(fresh), round(SERVED * 255), dtype=np.uint8)])
    order = np.argsort(words)
    vectors = np.concatenate([entry.vectors, _eight_bit(EMBEDDER.sums(last))])
    return replace(entry, words=words[order], weights=weights[order], vectors=vectors)


def _word_weights(fields: list[Numbers]) -> tuple[Numbers, NDArray[np.uint8]]:
    """The distinct words of name, description and body, with their weights."""
    words, where = np.unique(np.concatenate(fields), return_inverse=True)
    often = np.zeros(len(words))
    told = np.zeros(len(words))
    start = 0
    for at, (field, (usual, factor)) in enumerate(zip(fields, USUAL, strict=True)):
        counts = np.bincount(where[start : start + len(field)], minlength=len(words))
        often += counts * (factor / (0.5 + 0.5 * len(field) / usual))
        told += counts if at < 2 else 0
        start += len(field)
    share = THERE + TOLD * (told > 0) + OFTEN * often / (often + SATURATED)
    return words, np.rint(share * 255).astype(np.uint8)


def _sentences(text: str) -> list[str]:
    """The first sentences one by one, and the rest as the last."""
    found = [one for one in SENTENCE.split(text) if len(one) > LEAST]
    return [*found[: SENTENCES - 1], " ".join(found[SENTENCES - 1 :])] if len(found) > SENTENCES else found or [text]


def _distinct(found: Numbers) -> Numbers:
    """Every number once, in order: for so few this is quicker than `np.unique`."""
    found = np.sort(found)
    return found[np.concatenate([[True], found[1:] != found[:-1]])] if len(found) else found


def _eight_bit(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    return np.rint(unit(vectors) * 127).astype(np.int8)


def dumps(entry: IndexEntry) -> bytes:
    """The entry in few bytes."""
    numbered = (entry.words, entry.pairs, entry.name)
    sizes = np.array([*(len(one) for one in numbered), len(entry.vectors)], dtype="<u4")
    parts = (sizes, *(one.astype("<u4") for one in numbered), entry.weights, entry.vectors)
    return b"".join(part.tobytes() for part in parts)


def loads(data: bytes) -> IndexEntry:
    """The entry in these bytes; a ValueError when they are none."""
    words, paired, name, vectors = (int(size) for size in np.frombuffer(data, dtype="<u4", count=4))
    whole = words + paired + name
    if len(data) != 16 + 4 * whole + words + vectors * EMBEDDER.dimensions:
        raise ValueError(f"an entry of {len(data)} bytes is not what its first numbers say; index the skill again")
    numbered = np.frombuffer(data, dtype="<u4", count=whole, offset=16)
    rest = 16 + 4 * whole
    return IndexEntry(
        words=numbered[:words],
        weights=np.frombuffer(data, dtype=np.uint8, count=words, offset=rest),
        pairs=numbered[words : words + paired],
        name=numbered[words + paired :],
        vectors=np.frombuffer(data, dtype=np.int8, offset=rest + words).reshape(vectors, EMBEDDER.dimensions),
    )
