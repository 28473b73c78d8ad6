"""Neighbours count as much as the product of two neighbourhoods, whole or summed up neighbour by neighbour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from metier.learning.clustering.groups import CROWD, NEIGHBOURS, with_neighbours
from metier.learning.clustering.linkage import grid

if TYPE_CHECKING:
    from numpy.typing import NDArray


def nearness(count: int, crowds: int) -> NDArray[np.float32]:
    """Points in some crowds, and how near each is to each."""
    random = np.random.default_rng(7)
    middles = random.normal(size=(crowds, 16))
    found = middles[np.arange(count) % crowds] + 0.5 * random.normal(size=(count, 16))
    points = grid(found / np.linalg.norm(found, axis=1)[:, None])
    return points @ points.T


def by_products(near: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same from whole neighbourhoods, multiplied each with each."""
    own = near.copy()
    np.fill_diagonal(own, 1)
    count = min(NEIGHBOURS + 2, len(near))
    found = np.argpartition(own, -count, axis=1)[:, -count:]
    weights = np.take_along_axis(own, found, axis=1).astype(np.float64)
    if len(near) > NEIGHBOURS + 1:
        weights -= np.maximum(weights.min(axis=1), 0)[:, None]
    weights = np.maximum(weights, 0)
    crowd = np.zeros_like(near)
    shares = grid(weights / np.sqrt((weights * weights).sum(axis=1))[:, None] * CROWD**0.5)
    np.put_along_axis(crowd, found, shares, axis=1)
    return (near * np.float32(1 - CROWD) + crowd @ crowd.T).astype(np.float32)


@pytest.mark.parametrize(("count", "crowds"), [(1, 1), (2, 1), (11, 3), (12, 1), (40, 4), (300, 30), (300, 1)])
def test_points_are_as_near_as_their_neighbourhoods_multiplied_say(count: int, crowds: int) -> None:
    near = nearness(count, crowds)
    before = near.copy()
    assert np.array_equal(with_neighbours(near), by_products(near))
    assert np.array_equal(near, before)


def test_two_of_one_crowd_are_nearer_to_each_other_than_to_another_crowd() -> None:
    wide = with_neighbours(nearness(40, 4))
    own = np.arange(40)[:, None] % 4 == np.arange(40) % 4
    assert wide[own].mean() > wide[~own].mean() + 0.3
