"""How near things are when their neighbours are asked too: what stands in the same crowd is nearer than it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.learning.cluster_space import grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEIGHBOURS = 10
"""Neighbours of a point that count, each by how much nearer it is than the first that does not."""
ROWS = 64
"""Rows that are worked on at a time: so few of them stay near the processor."""
CROWD = 0.5
"""Share of common neighbours in a nearness; the rest is the points' own: the same."""


def with_neighbours(near: NDArray[np.float32]) -> NDArray[np.float32]:
    """How near points are once their neighbours count too, from how near they are in themselves.

    A point's neighbourhood is a row with few numbers in it, so that products of two are sums of a few rows; all numbers
    are on the grid, where such sums need no rounding.
    """
    own = near.copy()
    np.fill_diagonal(own, 1)
    count = min(NEIGHBOURS + 2, len(near))
    found = np.argpartition(own, -count, axis=1)[:, -count:]
    weights = np.take_along_axis(own, found, axis=1).astype(np.float64)
    if len(near) > NEIGHBOURS + 1:
        weights = weights - np.maximum(weights.min(axis=1), 0)[:, None]
    weights = np.maximum(weights, 0)
    lengths = np.sqrt((weights * weights).sum(axis=1))
    shares = grid(weights / np.where(lengths > 0, lengths, 1)[:, None] * CROWD**0.5)
    crowd = np.zeros_like(near)
    np.put_along_axis(crowd, found, shares, axis=1)
    columns = np.ascontiguousarray(crowd.T)
    wide = near * np.float32(1 - CROWD)
    for start in range(0, len(near), ROWS):
        rows = slice(start, start + ROWS)
        for place in range(count):
            wide[rows] += shares[rows, place, None] * columns[found[rows, place]]
    return wide
