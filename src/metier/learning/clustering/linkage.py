"""Which things belong together, from how near each is to each: average linkage down to a threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

NEVER = np.float32(-4)
"""Nearness of two that must not be put together: lower than any real one, whatever it is averaged with."""

Merge = tuple[int, int, float]
"""Two groups, each named by its lowest row, and how near they were when they became one."""


def linked(near: NDArray[np.float32], sizes: Sequence[int], threshold: float) -> list[list[int]]:
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
