"""How near things are when their neighbours are asked too: what stands in the same crowd is nearer than it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.learning.cluster_space import grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEIGHBOURS = 10
"""Neighbours of a point that count, each by how much nearer it is than the first that does not."""
CROWD = 0.5
"""Share of common neighbours in a nearness; the rest is the points' own: the same."""


def with_neighbours(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """The points with their neighbourhoods beside them, so that products count both; means of rows stay means."""
    near = points @ points.T
    np.fill_diagonal(near, 1)
    count = min(NEIGHBOURS + 2, len(points))
    found = np.argpartition(near, -count, axis=1)[:, -count:]
    weights = np.take_along_axis(near, found, axis=1).astype(np.float64)
    if len(points) > NEIGHBOURS + 1:
        weights = weights - np.maximum(weights.min(axis=1), 0)[:, None]
    weights = np.maximum(weights, 0)
    lengths = np.sqrt((weights * weights).sum(axis=1))
    crowd = np.zeros_like(near)
    np.put_along_axis(crowd, found, grid(weights / np.where(lengths > 0, lengths, 1)[:, None] * CROWD**0.5), axis=1)
    return np.concatenate([grid(points * (1 - CROWD) ** 0.5), crowd], axis=1)
