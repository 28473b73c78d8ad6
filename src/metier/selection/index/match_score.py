"""How well skills match a task, from their words, from words that follow each other, and from their meaning."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from metier.selection.index.postings import Postings

    Scores = NDArray[np.float32]

LOOKED_FOR: Final = 128
"""Words of a task that are looked for, and as many pairs: those that say most."""
IMAGINED: Final = 100
"""Skills imagined beside those that are there, in which words are as frequent as in any text."""
ENOUGH: Final = 3.0
"""Rare words in common with a task that make up half of all evidence there can be."""
LEAST: Final = 0.03
"""Words worth less than this share of what the best word is worth are not looked for: most skills hold them."""
WEIGHTS: Final = {"words": 1.0, "pairs": 0.26, "name": 0.29, "meaning": 0.36, "nearest": 0.35}
"""What each part counts; fitted, see docs/benchmarks.md."""
TOTAL: Final = sum(WEIGHTS.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class WordMatch:
    """What some words of a task are worth in every skill."""

    scores: Scores
    most: float
    """What a skill would have that is about each of the words as much as can be."""


def match_words(postings: Postings, says: Mapping[int, float], room: int, skills: int) -> WordMatch:
    """For every skill the words it holds: how rare each is, how much it says, how much the skill is about it."""
    scores = np.zeros(room, dtype=np.float32)
    found = [
        (_worth(holding.there, say, skills), holding)
        for say, holding in zip(says.values(), postings.holding(list(says)), strict=True)
    ]
    there = sorted((one for one in found if one[1].there), key=lambda one: -one[0])[:LOOKED_FOR]
    for worth, holding in there:
        if worth >= LEAST * there[0][0]:
            scores[holding.skills] += holding.weights * np.float32(worth / 255)
    return WordMatch(scores=scores, most=sum(worth for worth, _ in found))


def shared_weights(postings: Postings, words: Sequence[int], room: int) -> Scores:
    """For every skill the sum of the weights of the words it holds."""
    scores = np.zeros(room, dtype=np.float32)
    for holding in postings.holding(words):
        scores[holding.skills] += holding.weights * np.float32(1 / 255)
    return scores


def nearest(sentences: Sequence[NDArray[np.int8]], vector: Scores) -> Scores:
    """For every skill how near the nearest of its sentences is; each has one at least."""
    starts = np.cumsum([0, *(len(one) for one in sentences[:-1])])
    rows = np.concatenate(sentences).astype(np.float32) @ (vector / 127)
    return np.maximum.reduceat(rows, starts)


def fuse(parts: Mapping[str, Scores]) -> Scores:
    """The parts in one number, as far as they count."""
    whole = np.zeros_like(parts["words"])
    for key, part in parts.items():
        whole += np.float32(WEIGHTS.get(key, 0.0)) * part
    return whole


def evidence(scores: Scores, skills: int) -> Scores:
    """How much was matched at all, 0 to 1: as many words as `ENOUGH`, if each were the rarest, are half of it."""
    rarest = scores / np.float32(log(2 * (skills + IMAGINED)))
    return (rarest / (rarest + ENOUGH)).astype(np.float32)


def _worth(holding: int, says: float, skills: int) -> float:
    held = holding + IMAGINED * (1 - says) ** 2
    return says**0.5 * log(1 + (skills + IMAGINED - held + 0.5) / (held + 0.5))
