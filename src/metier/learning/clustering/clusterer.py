"""New runs put into groups of one meaning: by a model where there is one, the rest by nearness."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from metier.learning.clustering.cluster import Cluster, UserRequest, grow_cluster
from metier.learning.clustering.placement import embed_requests, nearest, place

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from metier.learning.clustering.cluster import Embedder
    from metier.types import Pattern, Record
    from metier.types.questions import Asker

NEAR = 40
"""Waiting runs that a model is shown beside the new ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvidence:
    """New evidence, and what was there before it."""

    records: Sequence[Record]
    success: Mapping[str, bool | None]
    patterns: Sequence[Pattern]
    clusters: Sequence[Cluster]
    """Of the patterns, under their ids."""
    waiting: Sequence[UserRequest]
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What was done in each of the new runs."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a model called the work of those that wait, by run; one it has not seen is not among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGroup:
    """Runs of one meaning, some of them new."""

    runs: tuple[str, ...]
    """Their ids."""
    reason: str
    """Why they belong together, for people."""
    pattern: str = ""
    """The id of the pattern they belong to; empty: there is none yet."""
    label: str = ""
    """A name for the work, in small letters and hyphens; empty: Metier finds one."""
    summary: str = ""
    cluster: Cluster | None = None
    """What tells whether another run belongs to them; None: Metier computes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """Every group that has a new run in it; a run in no group waits."""

    groups: tuple[RunGroup, ...]
    notes: tuple[str, ...] = ()
    """What a person should know about it."""
    vectors: Mapping[str, NDArray[np.float32]] = field(default_factory=dict[str, "NDArray[np.float32]"])
    """Of the new runs; Metier computes what is missing."""


class Clusterer(Protocol):
    """Puts new runs into groups of one meaning."""

    def cluster(self, evidence: NewEvidence) -> Clustering:
        """The groups; each run is in one of them at most."""
        ...


class NearnessClusterer:
    """Without a model: groups runs whose requests, and what was done for them, are near each other."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def cluster(self, evidence: NewEvidence) -> Clustering:
        """The groups by nearness alone."""
        new, waiting = _requests(evidence, self._embedder)
        return _place_rest(evidence, new, waiting, _Sorted(clusters=_by_id(evidence.clusters)), self._embedder)


class ModelClusterer:
    """Asks a model to group the runs; what it does not place, nearness does."""

    def __init__(self, asker: Asker, embedder: Embedder) -> None:
        self._asker = asker
        self._embedder = embedder

    def cluster(self, evidence: NewEvidence) -> Clustering:
        """The model's groups, then those by nearness."""
        new, waiting = _requests(evidence, self._embedder)
        done = _sort_by_model(evidence, new, waiting, self._asker)
        return _place_rest(evidence, new, waiting, done, self._embedder)


def complete(found: Clustering, evidence: NewEvidence, embedder: Embedder) -> Clustering:
    """A clustering with all that is saved of it: a caller's own clusterer only says which runs belong together.

    A run that does not exist, or that is in an earlier group, is dropped. A label that a pattern has is that pattern.
    """
    if all(one.cluster for one in found.groups) and all(one.id in found.vectors for one in evidence.records):
        return found
    new, waiting = _requests(evidence, embedder)
    requests, clusters = _by_id((*new, *waiting)), _by_id(evidence.clusters)
    groups = [one for one in _joined_groups(found, evidence, requests) if one.runs]
    full = tuple(
        replace(one, cluster=grow_cluster(clusters.get(one.pattern), [requests[run] for run in one.runs]))
        for one in groups
    )
    dropped = sum(len(one.runs) for one in found.groups) - sum(len(one.runs) for one in groups)
    notes = (*found.notes, f"Dropped {dropped} unknown or repeated runs from groups.") if dropped else found.notes
    vectors = {one.id: one.vector for one in new if one.vector is not None}
    return Clustering(groups=full, notes=notes, vectors=vectors)


def _joined_groups(found: Clustering, evidence: NewEvidence, requests: Mapping[str, UserRequest]) -> Iterable[RunGroup]:
    """The groups with runs that exist, each run once; groups of one pattern or label are joined."""
    from metier.learning.clustering.by_model import label_key, usable_label

    known = {one.id for one in evidence.patterns}
    labels = {label_key(one.label): one.id for one in evidence.patterns}
    placed: set[str] = set()
    groups: dict[str, RunGroup] = {}
    for number, one in enumerate(found.groups):
        runs = tuple(run for run in dict.fromkeys(one.runs) if run in requests and run not in placed)
        placed.update(runs)
        label = usable_label(one.label) or ""
        pattern = one.pattern if one.pattern in known else labels.get(label, "")
        key = pattern or label or str(number)
        before = groups[key].runs if key in groups else ()
        groups[key] = replace(one, runs=(*before, *runs), pattern=pattern, label=label)
    return groups.values()


def _requests(evidence: NewEvidence, embedder: Embedder) -> tuple[tuple[UserRequest, ...], tuple[UserRequest, ...]]:
    """The new runs and those that wait, as requests with their vectors."""
    new = [
        UserRequest(id=one.id, text=one.run.message, hints=evidence.hints.get(one.id, ())) for one in evidence.records
    ]
    return embed_requests(new, embedder), embed_requests(evidence.waiting, embedder)


def _place_rest(
    evidence: NewEvidence, new: Sequence[UserRequest], waiting: Sequence[UserRequest], done: _Sorted, embedder: Embedder
) -> Clustering:
    """Group by nearness the runs that have no place yet."""
    left = [one for one in new if one.id not in done.placed]
    there = [one for one in waiting if one.id not in done.placed]
    placed = place(left, list(done.clusters.values()), there, embedder)
    labels = {one.id: one.label for one in evidence.patterns}
    found = dict(done.groups)
    for name, runs in placed.joined.items():
        reason = f"asks for the same as {labels[name]}" if name in labels else "asks for the same"
        before = found.get(name) or RunGroup(runs=(), cluster=done.clusters[name], reason=reason, pattern=name)
        found[name] = replace(before, runs=(*before.runs, *runs))
    for cluster, runs in zip(placed.clusters[len(placed.joined) :], placed.formed, strict=True):
        found[cluster.id] = RunGroup(runs=runs, cluster=cluster, reason=f"{len(runs)} runs ask for the same")
    last = {**done.clusters, **_by_id(placed.clusters)}
    groups = tuple(replace(one, cluster=last[name]) for name, one in found.items())
    vectors = {one.id: one.vector for one in new if one.vector is not None}
    return Clustering(groups=groups, vectors=vectors, notes=done.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sorted:
    """What a model made of the evidence."""

    clusters: Mapping[str, Cluster]
    """Those that were there, as they are now, and those of the groups it formed."""
    groups: Mapping[str, RunGroup] = field(default_factory=dict[str, RunGroup])
    placed: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def _sort_by_model(
    evidence: NewEvidence, new: Sequence[UserRequest], waiting: Sequence[UserRequest], asker: Asker
) -> _Sorted:
    """The model's own grouping: runs for patterns there are, and groups that it named."""
    from metier.learning.clustering.by_model import cluster_with, in_short
    from metier.learning.clustering.model_prompt import RunInShort

    near = nearest(new, waiting, NEAR)
    briefs = [in_short(one, success=evidence.success.get(one.id)) for one in evidence.records]
    idle = [RunInShort(id=one.id, text=one.text, success=evidence.success.get(one.id)) for one in near]
    proposed = cluster_with(asker, briefs, idle, evidence.patterns)
    requests = _by_id((*new, *waiting))
    clusters = dict(_by_id(evidence.clusters))
    found: dict[str, RunGroup] = {}
    for name, runs in proposed.joined.items():
        clusters[name] = grow_cluster(clusters.get(name), [requests[run] for run in runs])
        found[name] = RunGroup(runs=runs, cluster=clusters[name], reason=f"{asker.name} put it here", pattern=name)
    placed = {run for one in found.values() for run in one.runs} | {run for one in proposed.formed for run in one.runs}
    for number, one in enumerate(proposed.formed):
        name = f"formed:{number}"
        runs = (*one.runs, *_runs_called(one.label, evidence.labels, placed))
        placed.update(runs)
        clusters[name] = replace(grow_cluster(None, [requests[run] for run in runs]), id=name)
        found[name] = RunGroup(
            runs=runs, cluster=clusters[name], reason=one.reason, label=one.label, summary=one.summary
        )
    return _Sorted(clusters=clusters, groups=found, placed=frozenset(placed), notes=proposed.notes)


def _runs_called(label: str, labels: Mapping[str, str], placed: Collection[str]) -> list[str]:
    """The waiting runs whose work the model called the same before, and that have no place yet."""
    return [run for run, said in sorted(labels.items()) if said == label and run not in placed]


_Named = TypeVar("_Named", UserRequest, Cluster)


def _by_id(values: Iterable[_Named]) -> dict[str, _Named]:
    return {one.id: one for one in values}
