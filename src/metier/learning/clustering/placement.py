"""Put requests of the same meaning together, the new ones with the groups there are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from metier.learning.clustering.cluster import (
    Cluster,
    Embedder,
    Placement,
    UserRequest,
    drawn_by,
    grow_cluster,
    vector_of,
    wording,
)
from metier.learning.clustering.groups import group_requests
from metier.learning.clustering.linkage import grid

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

BLOCK = 1_000
"""New requests that are compared each with each."""
FIRST = 10
"""Waiting requests that are looked at for one new request."""
GLANCE = 0.15
"""Plain nearness below which a waiting request is not looked at for a new one."""
GLANCES = 128
"""New requests whose neighbours are looked up at a time, to keep memory small."""


def embed_requests(requests: Sequence[UserRequest], embedder: Embedder) -> tuple[UserRequest, ...]:
    """The requests, each with a vector of what it is about."""
    bare = [request for request in requests if request.vector is None]
    vectors = iter(embedder.embed([wording(request.text) for request in bare]) if bare else ())
    return tuple(
        request if request.vector is not None else replace(request, vector=next(vectors)) for request in requests
    )


def place(
    new: Sequence[UserRequest], known: Sequence[Cluster], waiting: Sequence[UserRequest], embedder: Embedder
) -> Placement:
    """Put new requests with known clusters, with waiting requests, and with each other; the rest waits.

    The order of any of the three makes no difference. The cost follows the new requests: of what is known and of what
    waits, only the neighbours of a new one are looked at closely.
    """
    arriving = sorted(_once(embed_requests(new, embedder)), key=_shuffled)
    ids = {request.id for request in arriving}
    table = _Table(
        clusters={cluster.id: cluster for cluster in sorted(known, key=lambda cluster: cluster.id)},
        idle={
            one.id: one for one in sorted(_once(embed_requests(waiting, embedder)), key=_shuffled) if one.id not in ids
        },
    )
    for start in range(0, len(arriving), BLOCK):
        block = arriving[start : start + BLOCK]
        near = _near(block, list(table.idle.values()))
        for group in group_requests([*block, *near], list(table.clusters.values())):
            table.seat(group.cluster, sorted(group.members, key=lambda one: one.id))
    return table.placement()


@dataclass(slots=True, kw_only=True)
class _Table:
    """Where everybody sits while requests are placed."""

    clusters: dict[str, Cluster]
    idle: dict[str, UserRequest]
    joined: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    formed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def seat(self, cluster: Cluster | None, members: Sequence[UserRequest]) -> None:
        """Put requests with a cluster, or make one of them; a single one waits."""
        if cluster is None and len(members) == 1:
            self.idle[members[0].id] = members[0]
            return
        for member in members:
            self.idle.pop(member.id, None)
        now = grow_cluster(cluster, members)
        self.clusters[now.id] = now
        seats = self.formed if cluster is None or now.id in self.formed else self.joined
        seats.setdefault(now.id, []).extend(member.id for member in members)

    def placement(self) -> Placement:
        """Where everybody went, in an order that says nothing of when."""
        order = sorted(self.formed.items(), key=lambda item: min(item[1]))
        return Placement(
            joined={name: tuple(sorted(members)) for name, members in sorted(self.joined.items())},
            formed=tuple(tuple(sorted(members)) for _, members in order),
            left=tuple(sorted(self.idle)),
            clusters=tuple(self.clusters[name] for name in (*sorted(self.joined), *(name for name, _ in order))),
        )


def nearest(new: Sequence[UserRequest], waiting: Sequence[UserRequest], limit: int) -> tuple[UserRequest, ...]:
    """The waiting requests nearest to any new one, the nearest first; all must have their vectors."""
    if not new or not waiting:
        return ()
    table = grid(np.stack([vector_of(one) for one in waiting]).astype(np.float64))
    best = np.full(len(waiting), -np.inf, dtype=np.float32)
    for fresh in _chunks(new):
        best = np.maximum(best, (fresh @ table.T).max(axis=0))
    order = sorted(range(len(waiting)), key=lambda at: (-best[at], waiting[at].id))
    return tuple(waiting[at] for at in order[: max(0, limit)])


def _near(new: Sequence[UserRequest], waiting: Sequence[UserRequest]) -> list[UserRequest]:
    """The waiting requests that a new one is near to: a few for each, fewer when many are new."""
    if not waiting:
        return []
    table = grid(np.stack([vector_of(one) for one in waiting]).astype(np.float64))
    count = min(len(waiting), max(2, min(FIRST, BLOCK // len(new))))
    found: set[int] = set()
    for fresh in _chunks(new):
        near = fresh @ table.T
        best = np.argpartition(-near, count - 1, axis=1)[:, :count]
        found.update(best[np.take_along_axis(near, best, axis=1) >= GLANCE].tolist())
    return [waiting[at] for at in sorted(found)]


def _chunks(new: Sequence[UserRequest]) -> Iterable[NDArray[np.float32]]:
    for start in range(0, len(new), GLANCES):
        yield grid(np.stack([vector_of(one) for one in new[start : start + GLANCES]]).astype(np.float64))


def _once(requests: Iterable[UserRequest]) -> list[UserRequest]:
    """The requests, one per id."""
    return list({request.id: request for request in requests}.values())


def _shuffled(request: UserRequest) -> tuple[str, str]:
    """An order that has nothing to do with when a request arrived or how it begins."""
    return drawn_by(request.text), request.id
