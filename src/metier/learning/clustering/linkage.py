"""Which things belong together, from how near each is to each: average linkage down to a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, inf, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from metier.learning.clustering.vectors import UNSEEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

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
