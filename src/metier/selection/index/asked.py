"""A task as the index looks for it: its words and pairs of words, each with how much it says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from metier.selection.assembly.token_budget import ends
from metier.selection.index.entries import EMBEDDER
from metier.selection.index.tokens import pairs, parts, words_in
from metier.text.words import IS_DENSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

LOOKED_AT: Final = 8_000
"""Characters of a task that are looked at: its beginning and, shorter, its end."""
DENSE: Final = 0.5
"""What two signs of a script without spaces say: each sign is part of two such pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A task, analysed."""

    words: Mapping[int, float]
    """How much each word says, 0 to 1."""
    pairs: Mapping[int, float]
    vector: NDArray[np.float32]


def asked(task: str) -> Asked:
    """What a task asks for; of a long one its two ends."""
    text = ends(task, LOOKED_AT)
    said = [(number, _says(word)) for word in words_in(text) for number in parts(word)]
    words: dict[int, float] = {}
    for number, says in said:
        words[number] = min(says, words.get(number, 1.0))
    row = np.array([number for number, _ in said], dtype=np.uint32)
    between = [(one[1] * other[1]) ** 0.5 for one, other in pairwise(said)]
    return Asked(
        words=words,
        pairs=dict(zip(pairs(row).tolist(), between, strict=True)),
        vector=EMBEDDER.embed([text])[0],
    )


@lru_cache(maxsize=20_000)
def _says(word: str) -> float:
    return DENSE if IS_DENSE.search(word) else EMBEDDER.weight(word)
