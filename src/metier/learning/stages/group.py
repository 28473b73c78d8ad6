"""The middle of a pass: new evidence joins patterns, forms new ones, or waits; saved in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.events import Began, Ended
from metier.learning.clustering.clusterer import NewEvidence, complete
from metier.learning.clustering.label import label_of, summary_of, values_in
from metier.learning.drafting.sanitise import without_marks
from metier.learning.patterns import Group, PatternEvidence, Waiting, begin_pattern, extend_pattern
from metier.learning.stages.gather import slim
from metier.learning.stages.read_runs import visible_text
from metier.learning.stages.stored_patterns import (
    as_bytes,
    load_clusters,
    recount_patterns,
    request,
    stored_cluster,
    thresholds,
    with_id,
)
from metier.store.tables.learning import clusters, members, patterns, waiting
from metier.store.tables.run_keys import key_of
from metier.store.tables.runs import runs
from metier.store.tables.runs.runs import SeenRun
from metier.types.grouping import Member, WaitingRun
from metier.types.passes import Fate

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.learning.clustering.cluster import Cluster
    from metier.learning.clustering.clusterer import Clusterer, Clustering, RunGroup
    from metier.learning.stages.gather import Gathered
    from metier.models.embedder import StaticEmbedder
    from metier.types import Pattern, Record

    Success = Mapping[str, bool | None]

NAMED = 60
"""Requests of a group that its label is made from."""
TEXT = 600
"""Characters of a waiting run's request that are kept for grouping."""


@dataclass(slots=True, kw_only=True)
class Grouped:
    """What became of the evidence."""

    new: list[Pattern] = field(default_factory=list["Pattern"])
    extended: list[Pattern] = field(default_factory=list["Pattern"])
    members: list[Member] = field(default_factory=list[Member])
    waits: list[WaitingRun] = field(default_factory=list[WaitingRun])
    clusters: dict[str, Cluster] = field(default_factory=dict[str, "Cluster"])
    fates: list[Fate] = field(default_factory=list[Fate])
    seen: dict[str, SeenRun] = field(default_factory=dict[str, SeenRun])
    """The new evidence as it was looked at."""
    labels: dict[str, str] = field(default_factory=dict[str, str])
    """What a model called the work of runs that wait all the same."""
    deeds: dict[str, str] = field(default_factory=dict[str, str])
    """What was done in the new runs."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What was there before a pass."""

    patterns: dict[str, Pattern]
    clusters: dict[str, Cluster]
    waiting: dict[str, WaitingRun]
    embedder: str
    is_stale: bool
    """Whether patterns lost runs and are to be counted first."""


def group(
    ctx: Context, gathered: Gathered, embedder: StaticEmbedder, clusterer: Clusterer, *, save: bool
) -> Generator[Event, None, Grouped]:
    """Put new evidence where it belongs; the cost follows the new runs."""
    if not gathered.records:
        return Grouped(extended=recount_patterns(ctx, embedder, save=save))
    yield Began(stage="group", total=len(gathered.records))
    known, counted = _known(ctx, embedder), list["Pattern"]()
    if known.is_stale:
        counted = recount_patterns(ctx, embedder, save=save)
        known = _known(ctx, embedder, counted)
    evidence = NewEvidence(
        records=gathered.records,
        success={**gathered.success, **{one.run: one.success for one in known.waiting.values()}},
        patterns=list(known.patterns.values()),
        clusters=list(known.clusters.values()),
        waiting=[request(one, known.embedder) for one in known.waiting.values()],
        labels={one.run: one.label for one in known.waiting.values() if one.label},
        hints=gathered.hints,
    )
    met = complete(clusterer.cluster(evidence), evidence, embedder)
    grouped = _grouped(ctx, gathered, known, met, evidence.success)
    grouped.extended += [one for one in counted if one.id not in {each.id for each in grouped.extended}]
    if save:
        _save(ctx, grouped, known)
        again = {one.id: one for one in recount_patterns(ctx, embedder, save=True)}
        grouped.new = [again.get(one.id, one) for one in grouped.new]
        grouped.extended = [again.get(one.id, one) for one in grouped.extended]
    text = f"{len(grouped.new)} new patterns, {len(grouped.extended)} extended, {len(grouped.waits)} runs wait"
    yield Ended(stage="group", text=text)
    return grouped


def _known(ctx: Context, embedder: StaticEmbedder, counted: Sequence[Pattern] = ()) -> _Known:
    name = embedder.name
    with ctx.store.read() as transaction:
        stale = patterns.stale(transaction)
        there = {one.id: one for one in patterns.list_all(transaction)}
        waits = {one.run: one for one in waiting.evidence(transaction)}
        return _Known(
            patterns=there | {one.id: one for one in counted},
            clusters=load_clusters(transaction, clusters.list_all(transaction), embedder),
            waiting=waits,
            embedder=name,
            is_stale=bool(stale),
        )


def _grouped(ctx: Context, gathered: Gathered, known: _Known, met: Clustering, success: Success) -> Grouped:
    """Every meeting as a pattern that grew, a new one, or runs that go on waiting."""
    grouped = Grouped(notes=met.notes, seen=gathered.seen, deeds=gathered.deeds)
    records = {record.id: record for record in gathered.records}
    with ctx.store.read() as transaction:
        old = [run for one in met.groups for run in one.runs if run not in records]
        records |= {record.id: slim(record) for record in runs.get_many(transaction, old)}
        taken = {one.label for one in known.patterns.values() if one.successes + one.failures}
        for meeting, found in _in_order(met.groups, records):
            if meeting.pattern:
                pattern = known.patterns[meeting.pattern]
                counted = members.paths(transaction, pattern.id)
                evidence = PatternEvidence(records=found, success=success, paths=counted)
                pattern = extend_pattern(pattern, evidence, thresholds(ctx), ctx.now())
                _went(grouped, meeting, pattern, found, success)
                grouped.extended.append(pattern)
            else:
                _begin(ctx, grouped, meeting, found, success, taken)
    _wait(grouped, gathered, known.embedder, met)
    return grouped


def _in_order(found: Sequence[RunGroup], records: Mapping[str, Record]) -> list[tuple[RunGroup, tuple[Record, ...]]]:
    """Each meeting with its runs, oldest first; the meeting with the oldest run first, whatever their ids are."""
    pairs = [(one, sorted((records[run] for run in one.runs if run in records), key=_age)) for one in found]
    return [
        (one, tuple(there))
        for one, there in sorted((pair for pair in pairs if pair[1]), key=lambda pair: _age(pair[1][0]))
    ]


def _age(record: Record) -> int:
    return record.sequence


def _wait(grouped: Grouped, gathered: Gathered, embedder: str, met: Clustering) -> None:
    """New evidence that went nowhere waits, with what grouping needs of it."""
    away = {one.run for one in grouped.members}
    reasons = {one.run: one.reason for one in grouped.fates}
    for record in gathered.records:
        if record.id in away:
            continue
        reason = reasons.get(record.id) or "like no other run yet"
        grouped.waits.append(
            WaitingRun(
                run=record.id,
                reason=reason,
                success=gathered.success[record.id],
                text=record.run.message[:TEXT] or "-",
                hints=gathered.hints[record.id],
                label=grouped.labels.get(record.id, ""),
                embedder=embedder,
                vector=as_bytes(met.vectors.get(record.id)),
            )
        )
        if record.id not in reasons:
            grouped.fates.append(Fate(run=record.id, where="waits", reason=reason))


def _begin(
    ctx: Context, grouped: Grouped, meeting: RunGroup, found: tuple[Record, ...], success: Success, taken: set[str]
) -> None:
    """A new pattern where there are enough successes; else the runs wait, and are told what for."""
    texts = [visible_text(without_marks(record.run.message)) for record in found[:NAMED]]
    deeds = [grouped.deeds.get(record.id, "") for record in found[:NAMED]]
    label = meeting.label or label_of(texts, taken, values_in(list(zip(texts, deeds, strict=True))))
    group = Group(
        label=label,
        summary=meeting.summary or summary_of(texts),
        evidence=PatternEvidence(records=found, success=success),
        reason=meeting.reason,
    )
    pattern = begin_pattern(group, ctx.name, thresholds(ctx), ctx.now())
    if isinstance(pattern, Waiting):
        reason = f"{len(found)} like it: {pattern.reason}" if len(found) > 1 else pattern.reason
        grouped.fates += [Fate(run=record.id, where="waits", reason=reason) for record in found]
        grouped.labels.update((record.id, meeting.label) for record in found)
        return
    taken.add(label)
    _went(grouped, meeting, pattern, found, success)
    grouped.new.append(pattern)


def _went(grouped: Grouped, meeting: RunGroup, pattern: Pattern, found: Sequence[Record], success: Success) -> None:
    where = "joined" if meeting.pattern else "formed"
    for record in found:
        grouped.members.append(
            Member(
                run=record.id,
                pattern=pattern.id,
                sequence=record.sequence,
                success=bool(success[record.id]),
                path=record.used,
                reason=meeting.reason,
            )
        )
        grouped.fates.append(Fate(run=record.id, where=where, reason=meeting.reason, pattern=pattern.id))
    if meeting.cluster:
        grouped.clusters[pattern.id] = with_id(meeting.cluster, pattern.id)


def _save(ctx: Context, grouped: Grouped, known: _Known) -> None:
    """All of it or nothing: patterns, who belongs to them, and who waits.

    Runs that changed meanwhile are taken out again, so that the next pass looks at them as they are by now; the
    patterns they leave are to be counted anew.
    """
    joined = [one.run for one in grouped.members if one.run in known.waiting]
    grown = [stored_cluster(one, pattern, known.embedder) for pattern, one in sorted(grouped.clusters.items())]
    with ctx.store.write() as transaction:
        moved = runs.changed_since(transaction, grouped.seen)
        moved |= set(joined) - waiting.which_wait(transaction, joined)
        for pattern in (*grouped.new, *grouped.extended):
            patterns.put(transaction, pattern, counted=False)
        members.put(transaction, grouped.members)
        waiting.drop(transaction, [key_of(one.run) for one in grouped.members])
        waiting.put(transaction, grouped.waits)
        clusters.put(transaction, grown)
        runs.look_again(transaction, moved)
