"""For every word the skills that hold it: a sorted part that is made at once and a part that grows."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from metier.selection.index.tokens import Numbers

    Held = tuple[Numbers, NDArray[np.uint8]]
    """Words of one skill with their weights."""

MOST: Final = 1 << 24
"""Skills that can be told apart."""


class Holding(NamedTuple):
    """The skills that hold one word."""

    skills: NDArray[np.int32]
    """Their numbers; those of skills that are gone are among them."""
    weights: NDArray[np.uint8]
    there: int
    """How many of them are not gone."""


class Postings:
    """The skills, as numbers, that hold a word, and how much each is about it."""

    def __init__(self, held: Sequence[Held] = ()) -> None:
        self._more: dict[int, array[int]] = {}
        self._gone: Counter[int] = Counter()
        packed = _packed(held)
        packed.sort()
        words = (packed >> np.uint64(32)).astype(np.uint32)
        self._skills = ((packed >> np.uint64(8)) & np.uint64(MOST - 1)).astype(np.int32)
        self._weights = packed.astype(np.uint8)
        first = np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1]])) if len(words) else np.zeros(0, int)
        self._words = words[first]
        self._starts = np.append(first, len(words)).astype(np.uint32)

    def add(self, skill: int, held: Held) -> None:
        """Enter one more skill."""
        for word, weight in zip(held[0].tolist(), held[1].tolist(), strict=True):
            self._more.setdefault(word, array("Q")).append(skill << 8 | weight)

    def remove(self, words: Numbers) -> None:
        """Count a skill with these words no longer; whoever asks has to leave it out."""
        self._gone.update(words.tolist())

    def holding(self, words: Sequence[int]) -> list[Holding]:
        """For each word the skills that hold it."""
        wanted = np.array(words, dtype=np.uint32)
        places = np.searchsorted(self._words, wanted)
        there = self._words[np.minimum(places, len(self._words) - 1)] == wanted if len(self._words) else wanted < 0
        found: list[Holding] = []
        for word, place, known in zip(words, places.tolist(), there.tolist(), strict=True):
            start, end = (int(self._starts[place]), int(self._starts[place + 1])) if known else (0, 0)
            found.append(self._grown(word, self._skills[start:end], self._weights[start:end]))
        return found

    def _grown(self, word: int, skills: NDArray[np.int32], weights: NDArray[np.uint8]) -> Holding:
        more = self._more.get(word)
        if more is not None:
            packed = np.array(more, dtype=np.uint64)
            skills = np.append(skills, (packed >> np.uint64(8)).astype(np.int32))
            weights = np.append(weights, packed.astype(np.uint8))
        return Holding(skills, weights, len(skills) - self._gone[word])


def _packed(held: Sequence[Held]) -> NDArray[np.uint64]:
    """Word, skill and weight in one number each: sorting numbers is several times faster than sorting by a key."""
    if not held:
        return np.zeros(0, dtype=np.uint64)
    skills = np.repeat(np.arange(len(held), dtype=np.uint64), [len(words) for words, _ in held])
    words = np.concatenate([words for words, _ in held]).astype(np.uint64)
    return (words << np.uint64(32)) | (skills << np.uint64(8)) | np.concatenate([weights for _, weights in held])
