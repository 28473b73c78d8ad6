"""Which things belong together, from how near each is to each: average linkage down to a threshold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import e, inf, log, sqrt
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


NEVER = np.float32(-4)
"""Nearness of two that must not be put together: lower than any real one, whatever it is averaged with."""

Merge = tuple[int, int, float]
"""Two groups, each named by its lowest row, and how near they were when they became one."""
STEPS = tuple(step / 100 for step in range(8, 50, 3))
"""Thresholds that are tried."""
SEEN = 800
"""Points that are looked at to tell: more would cost and tell no more."""
ASKED = 200
"""Of these, how many are asked how well a threshold separates them."""
USUAL, PAIRS = 0.1, 200
"""Spread of the nearness of unrelated requests before any was seen, and how many pairs that counts for."""
LOW = 0.1587
"""The share below the middle of a normal distribution by more than its spread."""


def link_rows(near: NDArray[np.float32], sizes: Sequence[int], threshold: float) -> list[list[int]]:
    """Groups of row numbers whose members are on average at least `threshold` near; single rows too, in order."""
    return cut(len(sizes), merges(near, sizes, threshold), threshold)


def cut(count: int, made: Iterable[Merge], threshold: float) -> list[list[int]]:
    """The groups that the merges down to a threshold make of `count` rows."""
    groups = {row: [row] for row in range(count)}
    for kept, gone, nearness in made:
        if nearness >= threshold:
            groups[kept] += groups.pop(gone)
    return sorted(sorted(group) for group in groups.values())


def merges(near: NDArray[np.float32], sizes: Sequence[int], threshold: float) -> list[Merge]:
    """Which groups become one, from single rows down to a threshold.

    Follows chains of nearest neighbours: two that are each other's nearest are merged, and what has no neighbour above
    the threshold can never get one. Ties go to the lower number, so equal input gives equal groups. A group is never
    nearer to another than the nearer of its parts was, so that some of the merges are right for each higher threshold.
    """
    work = near.copy()
    np.fill_diagonal(work, NEVER)
    weight = [float(size) for size in sizes]
    gone: set[int] = set()
    found: list[Merge] = []
    chain: list[int] = []
    waiting = list(range(len(weight) - 1, -1, -1))
    while waiting:
        at = chain[-1] if chain else waiting[-1]
        if not chain and at in gone:
            waiting.pop()
            continue
        other = _nearest(work[at], chain)
        nearness = float(work[at, other])
        if nearness < threshold:
            (chain or waiting).pop()
        elif len(chain) > 1 and chain[-2] == other:
            chain = chain[:-2]
            found.append((min(at, other), max(at, other), nearness))
            gone.add(max(at, other))
            _merge(work, weight, min(at, other), max(at, other))
        else:
            chain = [*chain, other] if chain else [at, other]
    return found


def _nearest(row: NDArray[np.float32], chain: list[int]) -> int:
    """The nearest of all; the one before in the chain, if none is nearer than that."""
    best = int(row.argmax())
    return chain[-2] if len(chain) > 1 and row[chain[-2]] >= row[best] else best


def _merge(work: NDArray[np.float32], weight: list[float], kept: int, gone: int) -> None:
    """Put two together under the lower number: its nearness to the others is the mean over all members."""
    both = weight[kept] + weight[gone]
    mixed = (work[kept] * weight[kept] + work[gone] * weight[gone]) / both
    mixed[[kept, gone]] = NEVER
    work[kept] = mixed
    work[:, kept] = mixed
    work[:, gone] = NEVER
    weight[kept] = both


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """What nearness unrelated requests have by chance."""

    spread: float
    total: float
    """Requests that a group was found among."""

    def exceeded(self, near: NDArray[np.float32]) -> bool:
        """Whether a group is nearer to itself than the nearest so many of all unrelated requests would be.

        Among N requests there are about (eN/m)^m groups of m; the mean nearness of the best of them lies about
        2 spread sqrt(ln(eN/m) / (m - 1)) above zero, so two must be much nearer than ten. The factor 2 under the root
        is a margin chosen by trial on labelled requests (1, 2 and 3 were tried): real nearness has a heavier tail.
        """
        size = len(near)
        inner = near.astype(np.float64)
        mean = (inner.sum() - np.trace(inner)) / (size * (size - 1))
        best = 2 * self.spread * sqrt(2 * log(e * (self.total + UNSEEN) / size) / (size - 1))
        return bool(mean >= best)


def chance(near: NDArray[np.float32], total: float) -> Chance:
    """The spread of nearness among points, from its lower half: the upper one has the related pairs."""
    some = _some(near)
    pairs = some[np.triu_indices(len(some), 1)]
    if not len(pairs):
        return Chance(spread=USUAL, total=total)
    low, middle = np.quantile(pairs, (LOW, 0.5))
    spread = (float(middle - low) * len(pairs) + USUAL * PAIRS) / (len(pairs) + PAIRS)
    return Chance(spread=spread, total=total)


def separating(plain: NDArray[np.float32], wide: NDArray[np.float32], sizes: Sequence[int], count: int) -> float:
    """The threshold for `wide` whose groups are, as plain nearness tells, closest in themselves and farthest apart.

    Both are the nearness of things with some number of members each; the first `count` are the ones that matter.
    """
    made = merges(wide, sizes, STEPS[0])
    rows = np.arange(0, count, -(-count // ASKED))
    near = np.ascontiguousarray(plain[rows].T)
    groups = Groups(near, sizes)
    found: dict[float, float] = {}
    above = inf
    for step in reversed(STEPS):
        for one, other, nearness in made:
            if step <= nearness < above:
                groups.merge(one, other)
        found[step] = groups.separation(near, rows)
        above = step
    return max(STEPS, key=found.__getitem__)


def separating_points(near: NDArray[np.float32], wide: NDArray[np.float32]) -> float:
    """The same for single points, before and after their neighbours were asked."""
    some = _some(wide)
    return separating(_some(near), some, [1] * len(some), len(some))


class Groups:
    """Things that become groups one merge after the other, and how near these are to some of the things."""

    def __init__(self, near: NDArray[np.float32], sizes: Sequence[int]) -> None:
        """`near` has a row for each of the things, and a column for each of those that are asked."""
        self._sums = near * np.array(sizes, dtype=np.float64)[:, None]
        self._total = np.array(sizes, dtype=np.float64)
        self._of = np.arange(len(sizes))
        self._members = {row: [row] for row in range(len(sizes))}

    def merge(self, one: int, other: int) -> None:
        """Put the groups of two rows together, under the lower of their lowest rows."""
        kept, gone = sorted((int(self._of[one]), int(self._of[other])))
        members = self._members.pop(gone)
        self._members[kept] += members
        self._of[members] = kept
        self._sums[kept] += self._sums[gone]
        self._total[kept] += self._total[gone]

    def separation(self, near: NDArray[np.float32], rows: NDArray[np.intp]) -> float:
        """How much nearer things are to their own group than to the next one, on average; 0 for what is alone."""
        at = np.arange(len(rows))
        mine = self._of[rows]
        total = self._total[mine]
        own = (self._sums[mine, at] - near[rows, at]) / np.maximum(total - 1, 1)
        alive = np.fromiter(self._members, dtype=np.intp, count=len(self._members))
        others = self._sums[alive] / self._total[alive, None]
        others[np.searchsorted(alive, mine), at] = 0
        return float(np.where(total > 1, own - others.max(axis=0), 0).mean())


def _some(near: NDArray[np.float32]) -> NDArray[np.float32]:
    """The nearness of all points, or of evenly spaced ones."""
    step = -(-len(near) // SEEN)
    return near[::step, ::step]
