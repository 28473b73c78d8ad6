"""Patterns counted anew: those that lost runs, and all of them when somebody changed what a pattern needs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.learning.patterns import Thresholds, status_of, winning_path
from metier.learning.stages.cluster_records import kept, remade
from metier.store.tables import meta
from metier.store.tables.learning import clusters, members, patterns, waiting

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.models.embedding.static import StaticEmbedder
    from metier.store.engines.engine import Transaction
    from metier.types import Pattern

NEEDED = "learn.needed"
"""The fact that holds what patterns needed in the last pass; one for each workspace."""


def thresholds(ctx: Context) -> Thresholds:
    """What a pattern needs here."""
    return Thresholds(min_runs=ctx.config.learning.min_runs, min_success_ratio=ctx.config.learning.min_success_ratio)


def settle(ctx: Context) -> list[Pattern]:
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
        there = patterns.listed(transaction)
        changed = [replace(new, updated=ctx.now()) for one in there if (new := _restated(ctx, one)) != one]
        for one in changed:
            patterns.put(transaction, one, counted=False)
    return changed


def recounted(ctx: Context, embedder: StaticEmbedder, *, save: bool) -> list[Pattern]:
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
        cluster = remade(transaction, pattern.id, embedder)
        if cluster is None:
            clusters.drop(transaction, [pattern.id])
        else:
            clusters.put(transaction, [kept(cluster, pattern.id, embedder.name)])
    return counted
