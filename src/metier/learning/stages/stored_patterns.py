"""Clusters and waiting requests between the store's bytes and what grouping works with."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metier.learning.clustering.cluster import Cluster, Exemplar, UserRequest, grow_cluster, hints_of
from metier.learning.clustering.placement import embed_requests
from metier.learning.patterns import Thresholds, status_of, winning_path
from metier.store.tables import meta
from metier.store.tables.learning import clusters, members, patterns, waiting
from metier.store.tables.runs import runs
from metier.types.grouping import StoredCluster

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from metier.context.context import Context
    from metier.models.embedder import StaticEmbedder
    from metier.store.engines.engine import Transaction
    from metier.types import Pattern
    from metier.types.grouping import WaitingRun

LONG = 2_000
"""Characters of a request that grouping looks at."""
REMADE = 200
"""Requests from which a cluster is made again whose numbers come from another embedder."""
NEEDED = "learn.needed"
"""The fact that holds what patterns needed in the last pass; one for each workspace."""


def stored_cluster(cluster: Cluster, pattern: str, embedder: str) -> StoredCluster:
    """A cluster as the store keeps it, with the embedder its numbers come from."""
    body = {
        "embedder": embedder,
        "size": cluster.size,
        "words": dict(cluster.words),
        "hints": dict(cluster.hints),
        "exemplars": [(one.words, one.hints, one.draw) for one in cluster.exemplars],
    }
    vectors = b"".join(as_bytes(one) for one in (cluster.centroid, *(each.vector for each in cluster.exemplars)))
    return StoredCluster(pattern=pattern, body=json.dumps(body, ensure_ascii=False), vectors=vectors)


def load_clusters(
    transaction: Transaction, found: Iterable[StoredCluster], embedder: StaticEmbedder
) -> dict[str, Cluster]:
    """The clusters by pattern; one of another embedder is made again from its pattern's requests."""
    name = embedder.name
    clusters: dict[str, Cluster] = {}
    for one in found:
        body = json.loads(one.body)
        if body["embedder"] == name:
            clusters[one.pattern] = _cluster(one, body)
        elif again := rebuild_cluster(transaction, one.pattern, embedder):
            clusters[one.pattern] = again
    return clusters


def _cluster(kept: StoredCluster, body: dict[str, Any]) -> Cluster:
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


def request(waits: WaitingRun, embedder: str) -> UserRequest:
    """A waiting run as a request; a vector of another embedder is made anew."""
    same = waits.embedder == embedder and bool(waits.vector)
    vector = as_vector(waits.vector) if same else None
    return UserRequest(id=waits.run, text=waits.text, vector=vector, hints=waits.hints)


def as_bytes(vector: NDArray[np.float32] | None) -> bytes:
    """Numbers as the store keeps them."""
    return b"" if vector is None else vector.astype("<f4").tobytes()


def as_vector(kept: bytes) -> NDArray[np.float32]:
    """The numbers behind `as_bytes`."""
    return np.frombuffer(kept, dtype="<f4").astype(np.float32)


def rebuild_cluster(transaction: Transaction, pattern: str, embedder: StaticEmbedder) -> Cluster | None:
    """A cluster made again from its pattern's newest requests; None: there are none."""
    ids = [one.run for one in members.of_pattern(transaction, pattern)][-REMADE:]
    requests = [
        UserRequest(id=one.id, text=one.run.message[:LONG], hints=hints_of(one.run))
        for one in runs.get_many(transaction, ids)
    ]
    return with_id(grow_cluster(None, embed_requests(requests, embedder)), pattern) if requests else None


def with_id(cluster: Cluster, pattern: str) -> Cluster:
    """The cluster under its pattern's id."""
    return replace(cluster, id=pattern)


def thresholds(ctx: Context) -> Thresholds:
    """What a pattern needs here."""
    return Thresholds(min_runs=ctx.config.learning.min_runs, min_success_ratio=ctx.config.learning.min_success_ratio)


def follow_settings(ctx: Context) -> list[Pattern]:
    """Follow a change of settings: patterns get the status they have by now, runs that wait are looked at again."""
    now = f"{ctx.config.learning.min_runs} {ctx.config.learning.min_success_ratio}"
    with ctx.store.read() as transaction:
        before = meta.get(transaction, f"{NEEDED}:{ctx.name}")
    if before == now:
        return []
    with ctx.store.write() as transaction:
        meta.put(transaction, f"{NEEDED}:{ctx.name}", now)
        if not before:
            return []
        waiting.forget(transaction)
        there = patterns.list_all(transaction)
        changed = [replace(new, updated=ctx.now()) for one in there if (new := _restated(ctx, one)) != one]
        for one in changed:
            patterns.put(transaction, one, counted=False)
    return changed


def recount_patterns(ctx: Context, embedder: StaticEmbedder, *, save: bool) -> list[Pattern]:
    """Patterns that lost runs, counted from those that are left."""
    with ctx.store.read() as transaction:
        found = [_recount(ctx, transaction, one) for one in patterns.stale(transaction)]
    return [_saved(ctx, one, embedder) for one in found] if save else found


def _restated(ctx: Context, pattern: Pattern) -> Pattern:
    return replace(pattern, status=status_of(pattern, thresholds(ctx)))


def _recount(ctx: Context, transaction: Transaction, pattern: Pattern) -> Pattern:
    there = members.of_pattern(transaction, pattern.id)
    won = tuple(one.run for one in there if one.success)
    counted = replace(
        pattern,
        runs=won,
        successes=len(won),
        failures=len(there) - len(won),
        winning_path=winning_path(members.paths(transaction, pattern.id)),
        updated=ctx.now(),
    )
    return _restated(ctx, counted)


def _saved(ctx: Context, pattern: Pattern, embedder: StaticEmbedder) -> Pattern:
    """Keep a pattern as it is by now, and a cluster in which nothing of the runs it lost is left."""
    with ctx.store.write() as transaction:
        counted = _recount(ctx, transaction, pattern)
        patterns.put(transaction, counted)
        cluster = rebuild_cluster(transaction, pattern.id, embedder)
        if cluster is None:
            clusters.drop(transaction, [pattern.id])
        else:
            clusters.put(transaction, [stored_cluster(cluster, pattern.id, embedder.name)])
    return counted
