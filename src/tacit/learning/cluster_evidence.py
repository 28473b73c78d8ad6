"""How near is near enough, told at run time by the requests themselves, without labels."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from tacit.learning.cluster_linkage import cut, merges
from tacit.learning.cluster_space import UNSEEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
    near = plain[rows]
    return max(STEPS, key=lambda step: separation(near, rows, cut(len(sizes), made, step), sizes))


def separating_points(near: NDArray[np.float32], wide: NDArray[np.float32]) -> float:
    """The same for single points, before and after their neighbours were asked."""
    some = _some(wide)
    return separating(_some(near), some, [1] * len(some), len(some))


def separation(
    near: NDArray[np.float32], rows: NDArray[np.intp], groups: Sequence[Sequence[int]], sizes: Sequence[int]
) -> float:
    """How much nearer some things are to their own group than to the next one, on average; 0 for what is alone."""
    at = np.arange(len(rows))
    of = np.zeros(len(sizes), dtype=np.intp)
    for number, group in enumerate(groups):
        of[list(group)] = number
    weights = np.array(sizes, dtype=np.float64)
    total = np.bincount(of, weights=weights)
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(len(groups)))
    sums = np.add.reduceat(near[:, order] * weights[order], starts, axis=1)
    mine = of[rows]
    own = (sums[at, mine] - near[at, rows]) / np.maximum(total[mine] - 1, 1)
    others = sums / total
    others[at, mine] = 0
    return float(np.where(total[mine] > 1, own - others.max(axis=1), 0).mean())


def _some(near: NDArray[np.float32]) -> NDArray[np.float32]:
    """The nearness of all points, or of evenly spaced ones."""
    step = -(-len(near) // SEEN)
    return near[::step, ::step]
