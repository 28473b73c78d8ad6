"""New evidence sorted into groups of one meaning: by a model where there is one, by nearness what it leaves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from metier.learning.clustering.by_model import cluster_with, in_short
from metier.learning.clustering.cluster import Cluster, Request, grown
from metier.learning.clustering.model_prompt import RunInShort
from metier.learning.clustering.placement import embedded, nearest, place

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from metier.learning.clustering.cluster import Embedder
    from metier.models.questions import Asker
    from metier.types import Pattern, Record

NEAR = 40
"""Waiting runs that a model is shown beside the new ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """New evidence, and what was there before it."""

    records: Sequence[Record]
    success: Mapping[str, bool | None]
    patterns: Sequence[Pattern]
    clusters: Sequence[Cluster]
    """Of the patterns, under their ids."""
    waiting: Sequence[Request]
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What was done in each of the new runs."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a model called the work of those that wait, by run; one it has not seen is not among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Runs of one meaning, some of them new."""

    runs: tuple[str, ...]
    cluster: Cluster
    """What tells whether another run belongs to them."""
    reason: str
    pattern: str = ""
    """The pattern they belong to; empty: there is none yet."""
    label: str = ""
    """As a model named it; empty: nobody has."""
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meetings:
    """Every group that has a new run in it."""

    meetings: tuple[Meeting, ...]
    vectors: Mapping[str, NDArray[np.float32]]
    """Of the new runs."""
    notes: tuple[str, ...] = ()


def meetings(shown: Shown, embedder: Embedder, asker: Asker | None = None) -> Meetings:
    """The groups of new evidence; whatever the model does not place, nearness does."""
    new = embedded(
        [Request(id=one.id, text=one.run.message, hints=shown.hints.get(one.id, ())) for one in shown.records], embedder
    )
    vectors = {one.id: one.vector for one in new if one.vector is not None}
    waiting = embedded(shown.waiting, embedder)
    sorted_ = _modelled(shown, new, waiting, asker) if asker else _Sorted(clusters=_by_id(shown.clusters))
    there = [one for one in waiting if one.id not in sorted_.placed]
    left = [one for one in new if one.id not in sorted_.placed]
    placed = place(left, list(sorted_.clusters.values()), there, embedder)
    labels = {one.id: one.label for one in shown.patterns}
    found = dict(sorted_.meetings)
    for name, runs in placed.joined.items():
        reason = f"asks for the same as {labels[name]}" if name in labels else "asks for the same"
        before = found.get(name) or Meeting(runs=(), cluster=sorted_.clusters[name], reason=reason, pattern=name)
        found[name] = replace(before, runs=(*before.runs, *runs))
    for cluster, runs in zip(placed.clusters[len(placed.joined) :], placed.formed, strict=True):
        found[cluster.id] = Meeting(runs=runs, cluster=cluster, reason=f"{len(runs)} runs ask for the same")
    last = {**sorted_.clusters, **_by_id(placed.clusters)}
    done = tuple(replace(one, cluster=last[name]) for name, one in found.items())
    return Meetings(meetings=done, vectors=vectors, notes=sorted_.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sorted:
    """What a model made of the evidence."""

    clusters: Mapping[str, Cluster]
    """Those that were there, as they are now, and those of the groups it formed."""
    meetings: Mapping[str, Meeting] = field(default_factory=dict[str, Meeting])
    placed: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def _modelled(shown: Shown, new: Sequence[Request], waiting: Sequence[Request], asker: Asker) -> _Sorted:
    """The model's own grouping: runs for patterns there are, and groups that it named."""
    near = nearest(new, waiting, NEAR)
    briefs = [in_short(one, success=shown.success.get(one.id)) for one in shown.records]
    idle = [RunInShort(id=one.id, text=one.text, success=shown.success.get(one.id)) for one in near]
    proposed = cluster_with(asker, briefs, idle, shown.patterns)
    requests = _by_id((*new, *waiting))
    clusters = dict(_by_id(shown.clusters))
    found: dict[str, Meeting] = {}
    for name, runs in proposed.joined.items():
        clusters[name] = grown(clusters.get(name), [requests[run] for run in runs])
        found[name] = Meeting(runs=runs, cluster=clusters[name], reason=f"{asker.name} put it here", pattern=name)
    placed = {run for one in found.values() for run in one.runs} | {run for one in proposed.formed for run in one.runs}
    for number, one in enumerate(proposed.formed):
        name = f"formed:{number}"
        runs = (*one.runs, *_called(one.label, shown.labels, placed))
        placed.update(runs)
        clusters[name] = replace(grown(None, [requests[run] for run in runs]), id=name)
        found[name] = Meeting(
            runs=runs, cluster=clusters[name], reason=one.reason, label=one.label, summary=one.summary
        )
    return _Sorted(clusters=clusters, meetings=found, placed=frozenset(placed), notes=proposed.notes)


def _called(label: str, labels: Mapping[str, str], placed: Collection[str]) -> list[str]:
    """The waiting runs whose work the model called the same before, and that have no place yet."""
    return [run for run, said in sorted(labels.items()) if said == label and run not in placed]


_Named = TypeVar("_Named", Request, Cluster)


def _by_id(values: Iterable[_Named]) -> dict[str, _Named]:
    return {one.id: one for one in values}
