"""Requests as points: meaning, words and what was done in one vector; the product of two is their nearness."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

BUCKETS = 512
"""Places for words: a word has one of them and a sign, so that two words rarely meet and then cancel on average."""
GRID = 2048.0
"""Numbers are kept to one part in this: products are then exact, in whatever order a machine adds them up."""
MEANING = 0.75
"""Share of meaning in the nearness of two texts; the rest is words."""
DONE = 0.5
"""Weight of what was done next to that of what was said: half, for one way of working serves many requests."""
ENOUGH = 4.0
"""Rare hints that make full evidence; a run that only listed a folder says nothing of its kind."""
PRIOR = 20.0
"""Requests that the middle of everything is pulled to zero by: two requests alone must not cancel each other."""
UNSEEN = 40.0
"""Requests assumed to have been there before the first, none of which used any of the words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Requests, or groups of them, before they are points."""

    vectors: NDArray[np.float32]
    words: Sequence[Mapping[str, int]]
    hints: Sequence[Mapping[str, int]]
    sizes: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Where the middle lies, and how much each word and hint tells."""

    middle: NDArray[np.float32]
    words: Mapping[str, int]
    """Requests that used a word."""
    hints: Mapping[str, int]
    total: float

    @property
    def rarest(self) -> float:
        """How much a word tells that one request used."""
        return log((self.total + UNSEEN + 1) / 1.5)


def space(rows: Rows) -> Space:
    """The space of some requests and groups."""
    total = float(rows.sizes.sum())
    middle = (rows.vectors * rows.sizes[:, None]).sum(axis=0, dtype=np.float64) / (total + PRIOR)
    return Space(middle=grid(middle), words=_counted(rows.words), hints=_counted(rows.hints), total=total)


def joint(one: Rows, other: Rows) -> Rows:
    """The rows of two, one below the other."""
    return Rows(
        vectors=np.concatenate([one.vectors, other.vectors]),
        words=[*one.words, *other.words],
        hints=[*one.hints, *other.hints],
        sizes=np.concatenate([one.sizes, other.sizes]),
    )


def points(where: Space, rows: Rows) -> NDArray[np.float32]:
    """One row per request or group: the mean of its members' unit vectors, so that products are average nearness."""
    vectors = rows.vectors.astype(np.float64)
    spread = 1 - 2 * (vectors * where.middle).sum(axis=1) + float((where.middle**2).sum())
    vectors -= where.middle
    vectors /= np.sqrt(np.maximum(spread, 1e-3))[:, None]
    vectors[(rows.vectors == 0).all(axis=1)] = 0
    vectors *= MEANING**0.5
    spoken, _ = _spread(where, where.words, rows.words, rows.sizes)
    spoken *= (1 - MEANING) ** 0.5
    if not where.hints:
        return grid(np.concatenate([vectors, spoken], axis=1))
    done, known = _spread(where, where.hints, rows.hints, rows.sizes, ENOUGH * where.rarest**2)
    done *= DONE**0.5
    joined = np.concatenate([vectors, spoken, done], axis=1)
    joined /= np.sqrt(1 + DONE * known)[:, None]
    return grid(joined)


def grid(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    """The numbers on a grid so coarse that sums of products need no rounding."""
    scaled = numbers * GRID
    return np.rint(scaled, out=scaled).astype(np.float32) / np.float32(GRID)


def _counted(used: Iterable[Mapping[str, int]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for some in used:
        counts.update(some)
    return counts


def _spread(
    where: Space,
    counts: Mapping[str, int],
    used: Sequence[Mapping[str, int]],
    sizes: NDArray[np.float64],
    full: float = 1e-9,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Words as vectors, rare ones heavier, of length one or, below `full` evidence, less; and the squared lengths.

    Of a group it is the mean of its members' vectors, as near as its counts tell.
    """
    rows = np.repeat(np.arange(len(used)), [len(some) for some in used])
    words = [word for some in used for word in some]
    number = {word: at for at, word in enumerate(dict.fromkeys(words))}
    told = [_telling(word, (where.total + UNSEEN + 1) / (counts.get(word, 0) + 0.5)) for word in number]
    which = np.fromiter(map(number.__getitem__, words), dtype=np.intp, count=len(words))
    places = np.array([place for place, _ in told], dtype=np.intp)[which]
    worths = np.array([worth for _, worth in told], dtype=np.float64)[which]
    shares = np.array([count for some in used for count in some.values()], dtype=np.float64) / sizes[rows]
    cells = np.bincount(rows * BUCKETS + places, weights=worths * shares, minlength=len(used) * BUCKETS)
    out = cells.reshape(len(used), BUCKETS)
    squares = np.bincount(rows, weights=worths * worths * shares, minlength=len(used))
    whole = np.maximum(squares, full)
    return out / np.sqrt(whole)[:, None], squares / whole


def _telling(word: str, rarity: float) -> tuple[int, float]:
    """The place of a word, and how much it tells, with its sign."""
    code = crc32(word.encode("utf-8", "surrogatepass"))
    return code % BUCKETS, log(rarity) if code & 0x80000000 else -log(rarity)
