"""How near things are when their neighbours are asked too: what stands in the same crowd is nearer than it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metier.learning.clustering.vectors import grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

NEIGHBOURS = 10
"""Neighbours of a point that count, each by how much nearer it is than the first that does not."""
CROWD = 0.5
"""Share of common neighbours in a nearness; the rest is the points' own: the same."""


def with_neighbours(near: NDArray[np.float32]) -> NDArray[np.float32]:
    """How near points are once their neighbours count too, from how near they are in themselves.

    A point's neighbourhood is a row with few numbers in it, so that two have something in common only where both have
    the same neighbour; all numbers are on the grid, where sums of their products need no rounding.
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
    wide = np.multiply(near, np.float32(1 - CROWD), out=own)
    for points, share in _crowds(found, shares):
        wide[points[:, None], points] += share[:, None] * share
    return wide


def _crowds(
    found: NDArray[np.intp], shares: NDArray[np.float32]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float32]]]:
    """For each point, those that have it for a neighbour, and how much it counts for each of them."""
    rows, places = np.nonzero(shares)
    order = np.argsort(found[rows, places], kind="stable")
    points, share = rows[order], shares[rows, places][order]
    ends = np.cumsum(np.bincount(found[rows, places], minlength=len(found)))
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        yield points[start:end], share[start:end]
