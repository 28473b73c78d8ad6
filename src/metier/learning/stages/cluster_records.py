"""Clusters and waiting requests between the store's bytes and what grouping works with."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metier.learning.clustering.cluster import Cluster, Exemplar, Request, embedded
from metier.learning.clustering.growth import grown
from metier.learning.clustering.hints import hints_of
from metier.store.tables.learning import members
from metier.store.tables.learning.clusters import Kept
from metier.store.tables.recording import runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from metier.models.embedding.static import StaticEmbedder
    from metier.store.engines.engine import Transaction
    from metier.store.tables.learning.waiting import Waits

LONG = 2_000
"""Characters of a request that grouping looks at."""
REMADE = 200
"""Requests from which a cluster is made again whose numbers come from another embedder."""


def kept(cluster: Cluster, pattern: str, embedder: str) -> Kept:
    """A cluster as the store keeps it, with the embedder its numbers come from."""
    body = {
        "embedder": embedder,
        "size": cluster.size,
        "words": dict(cluster.words),
        "hints": dict(cluster.hints),
        "exemplars": [(one.words, one.hints, one.draw) for one in cluster.exemplars],
    }
    vectors = b"".join(as_bytes(one) for one in (cluster.centroid, *(each.vector for each in cluster.exemplars)))
    return Kept(pattern=pattern, body=json.dumps(body, ensure_ascii=False), vectors=vectors)


def loaded(transaction: Transaction, found: Iterable[Kept], embedder: StaticEmbedder) -> dict[str, Cluster]:
    """The clusters by pattern; one of another embedder is made again from its pattern's requests."""
    name = embedder.name
    clusters: dict[str, Cluster] = {}
    for one in found:
        body = json.loads(one.body)
        if body["embedder"] == name:
            clusters[one.pattern] = _cluster(one, body)
        elif again := remade(transaction, one.pattern, embedder):
            clusters[one.pattern] = again
    return clusters


def _cluster(kept: Kept, body: dict[str, Any]) -> Cluster:
    """The cluster that was kept: its mean comes first, then those of its members that stand for it."""
    described = body["exemplars"]
    mean, *vectors = as_vector(kept.vectors).reshape(len(described) + 1, -1)
    return Cluster(
        id=kept.pattern,
        centroid=mean,
        size=body["size"],
        words=body["words"],
        hints=body["hints"],
        exemplars=tuple(
            Exemplar(vector=vector, words=tuple(words), hints=tuple(hints), draw=draw)
            for vector, (words, hints, draw) in zip(vectors, described, strict=True)
        ),
    )


def request(waits: Waits, embedder: str) -> Request:
    """A waiting run as a request; a vector of another embedder is made anew."""
    same = waits.embedder == embedder and bool(waits.vector)
    vector = as_vector(waits.vector) if same else None
    return Request(id=waits.run, text=waits.text, vector=vector, hints=waits.hints)


def as_bytes(vector: NDArray[np.float32] | None) -> bytes:
    """Numbers as the store keeps them."""
    return b"" if vector is None else vector.astype("<f4").tobytes()


def as_vector(kept: bytes) -> NDArray[np.float32]:
    """The numbers behind `as_bytes`."""
    return np.frombuffer(kept, dtype="<f4").astype(np.float32)


def remade(transaction: Transaction, pattern: str, embedder: StaticEmbedder) -> Cluster | None:
    """A cluster made again from its pattern's newest requests; None: there are none."""
    ids = [one.run for one in members.of_pattern(transaction, pattern)][-REMADE:]
    requests = [
        Request(id=one.id, text=one.run.message[:LONG], hints=hints_of(one.run)) for one in runs.many(transaction, ids)
    ]
    return with_id(grown(None, embedded(requests, embedder)), pattern) if requests else None


def with_id(cluster: Cluster, pattern: str) -> Cluster:
    """The cluster under its pattern's id."""
    return replace(cluster, id=pattern)
