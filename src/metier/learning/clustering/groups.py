"""Which requests belong together, and with which known cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metier.learning.clustering.cluster import exemplar, members_of
from metier.learning.clustering.linkage import (
    NEVER,
    Chance,
    Rows,
    chance,
    grid,
    joint,
    link_rows,
    points,
    separating,
    separating_points,
    space,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from metier.learning.clustering.cluster import Cluster, Exemplar, UserRequest
    from metier.learning.clustering.linkage import Space

LOOKED = 5
"""Known clusters that a request is compared with."""
GLANCE = 0.1
"""Average nearness below which a cluster is not looked at: about what unrelated requests have by chance."""
SHOWN = 600
"""Members of known clusters that requests are compared with, in all."""
HALF = 0.5
"""A request joins a cluster if it is at least this share as near to the members as they are to each other: half-way
between what its members and what strangers are."""
NEIGHBOURS = 10
"""Neighbours of a point that count, each by how much nearer it is than the first that does not."""
CROWD = 0.5
"""Share of common neighbours in a nearness; the rest is the points' own: the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestGroup:
    """Requests that belong together, with the cluster they belong to if there is one."""

    cluster: Cluster | None
    members: tuple[UserRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What is known of the clusters before their members are looked at."""

    bars: Sequence[float]
    """How near a request must be to each cluster."""
    total: float
    """Requests in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """Requests, then clusters, and how near they are to each other on average over members."""

    count: int
    """Requests: rows from this number on are clusters."""
    plain: NDArray[np.float32]
    wide: NDArray[np.float32]
    """The same with neighbours asked too."""
    bars: Sequence[float]
    """How near a request must be to each cluster."""
    chance: Chance
    threshold: float


def group_requests(requests: Sequence[UserRequest], known: Sequence[Cluster]) -> list[RequestGroup]:
    """The requests in groups; a group has at most one known cluster."""
    alone = _rows([exemplar(one) for one in requests])
    whole = _clusters(known, alone.vectors.shape[1])
    where = space(joint(alone, whole))
    rows = points(where, alone)
    middles = points(where, whole) if known else rows[:0]
    looked = _looked(rows, middles)
    clusters = [known[at] for at in looked]
    sizes = [1] * len(rows) + [one.size for one in clusters]
    bars = [HALF * _inner(middles[at], known[at].size) for at in looked]
    scene = _scene(rows, _members(where, clusters), sizes, Measure(bars=bars, total=where.total))
    sound = [part for group in link_rows(scene.wide, sizes, scene.threshold) for part in _sound(group, scene)]
    return [_group(part, requests, clusters) for part in sound if part[0] < len(rows)]


def _scene(
    rows: NDArray[np.float32], members: Sequence[NDArray[np.float32]], sizes: Sequence[int], told: Measure
) -> _Scene:
    every = np.concatenate([rows, *members])
    starts = np.cumsum([len(rows), *(len(one) for one in members)])
    near = every @ every.T
    crowd = with_neighbours(near)
    plain, wide = _averaged(near, starts), _averaged(crowd, starts)
    threshold = separating_points(near, crowd)
    if members:
        threshold = max(threshold, separating(plain, wide, sizes, len(rows)))
    return _Scene(
        count=len(rows), plain=plain, wide=wide, bars=told.bars, chance=chance(near, told.total), threshold=threshold
    )


def _rows(some: Sequence[Exemplar]) -> Rows:
    return Rows(
        vectors=np.stack([one.vector for one in some]),
        words=[dict.fromkeys(one.words, 1) for one in some],
        hints=[dict.fromkeys(one.hints, 1) for one in some],
        sizes=np.ones(len(some)),
    )


def _clusters(known: Sequence[Cluster], dimensions: int) -> Rows:
    return Rows(
        vectors=np.stack([one.centroid for one in known]) if known else np.zeros((0, dimensions), dtype=np.float32),
        words=[one.words for one in known],
        hints=[one.hints for one in known],
        sizes=np.array([one.size for one in known], dtype=np.float64),
    )


def _looked(rows: NDArray[np.float32], middles: NDArray[np.float32]) -> list[int]:
    """The clusters that any row is near enough to."""
    if not len(middles):
        return []
    near = rows @ middles.T
    count = min(LOOKED, near.shape[1])
    last = np.partition(near, -count, axis=1)[:, -count]
    return np.flatnonzero((near >= np.maximum(last, GLANCE)[:, None]).any(axis=0)).tolist()


def _members(where: Space, clusters: Sequence[Cluster]) -> list[NDArray[np.float32]]:
    """The points of each cluster's exemplars; fewer of each when there are many clusters."""
    if not clusters:
        return []
    few = max(1, SHOWN // len(clusters))
    kept = [members_of(one)[:few] for one in clusters]
    rows = points(where, _rows([one for some in kept for one in some]))
    return np.split(rows, np.cumsum([len(some) for some in kept])[:-1])


def _averaged(near: NDArray[np.float32], starts: NDArray[np.intp]) -> NDArray[np.float32]:
    """How near each request and cluster is to each, on average over members; clusters never to each other."""
    count = int(starts[0])
    means = np.full((count + len(starts) - 1,) * 2, NEVER, dtype=np.float32)
    means[:count, :count] = near[:count, :count]
    if len(starts) > 1:
        totals = np.add.reduceat(near[:count, count:], starts[:-1] - count, axis=1, dtype=np.float64)
        means[:count, count:] = totals / np.diff(starts)
        means[count:, :count] = means[:count, count:].T
    return means


def _inner(middle: NDArray[np.float32], size: int) -> float:
    """Average nearness of two members of a cluster, from the length of their mean."""
    square = float((middle.astype(np.float64) ** 2).sum())
    return (size * square - 1) / (size - 1) if size > 1 else square


def _sound(group: list[int], scene: _Scene) -> list[list[int]]:
    """A group as it is if its members are alike in themselves, not only through their neighbours; else its parts."""
    if group[-1] >= scene.count:
        cluster = group[-1]
        near = [row for row in group[:-1] if scene.plain[row, cluster] >= scene.bars[cluster - scene.count]]
        rest = [row for row in group[:-1] if row not in near]
        return [[*near, cluster], *(_sound(rest, scene) if rest else [])]
    if len(group) == 1:
        return [group]
    inner = scene.plain[np.ix_(group, group)]
    if scene.chance.exceeded(inner):
        return _near_half(group, inner, scene)
    wide = scene.wide[np.ix_(group, group)]
    parts = _parted(wide, scene.threshold)
    return [kept for part in parts for kept in _sound([group[at] for at in part], scene)]


def _near_half(group: list[int], inner: NDArray[np.float32], scene: _Scene) -> list[list[int]]:
    """A group without the members that are less than half as near to the others as these are to each other."""
    own = (inner.sum(axis=1, dtype=np.float64) - np.diag(inner)) / (len(group) - 1)
    near = own >= HALF * own.mean()
    if near.all():
        return [group]
    kept = [row for row, stays in zip(group, near, strict=True) if stays]
    gone = [row for row, stays in zip(group, near, strict=True) if not stays]
    return [*_sound(kept, scene), *_sound(gone, scene)]


def _parted(near: NDArray[np.float32], threshold: float) -> list[list[int]]:
    """The two or more parts that a group falls into first when more nearness is asked of it."""
    for step in range(1, 100):
        parts = link_rows(near, [1] * len(near), threshold + step / 100)
        if len(parts) > 1:
            return parts
    return [[row] for row in range(len(near))]


def _group(rows: Sequence[int], requests: Sequence[UserRequest], clusters: Sequence[Cluster]) -> RequestGroup:
    """The things behind some row numbers: requests come first, then clusters."""
    last = rows[-1] - len(requests)
    return RequestGroup(
        cluster=clusters[last] if last >= 0 else None,
        members=tuple(requests[row] for row in rows if row < len(requests)),
    )


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
    for rows, share in _crowds(found, shares):
        wide[rows[:, None], rows] += share[:, None] * share
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
