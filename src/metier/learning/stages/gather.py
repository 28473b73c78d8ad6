"""The first half of a pass: new runs, which of them are evidence, and how each of these truly went."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.events import Advanced, Began, Ended
from metier.learning.clustering.cluster import hints_of
from metier.learning.clustering.label import deeds_of
from metier.learning.judge import HeuristicJudge, combine_verdicts, judge_runs, sift
from metier.learning.stages.read_runs import RunCache
from metier.learning.stages.stored_patterns import LONG
from metier.store.tables.learning import waiting
from metier.store.tables.runs import runs, verdicts
from metier.store.tables.runs.runs import SeenRun
from metier.types import Outcome, Run
from metier.types.grouping import WaitingRun
from metier.types.passes import Fate

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.learning.judge import Judge, Sifted
    from metier.types import Record, Verdict

STEP = 500
"""Runs read, judged and saved at a time."""


@dataclass(slots=True, kw_only=True)
class Gathered:
    """New evidence, without the texts that grouping does not need."""

    records: list[Record] = field(default_factory=list["Record"])
    success: dict[str, bool | None] = field(default_factory=dict[str, "bool | None"])
    hints: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What was done in each run, in a few words each."""
    deeds: dict[str, str] = field(default_factory=dict[str, str])
    """The same at more length, for telling values from what a kind of work is about."""
    fates: list[Fate] = field(default_factory=list[Fate])
    seen: dict[str, SeenRun] = field(default_factory=dict[str, SeenRun])
    """The evidence as it was looked at: who saves what was made of it has to look whether that still holds."""
    cache: RunCache = field(default_factory=RunCache)
    """The evidence in full, as much of it as fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBatch:
    """Some new runs, and what is known of how they went."""

    sifted: Sifted
    known: dict[str, Verdict]
    seen: dict[str, SeenRun]


def gather(ctx: Context, judge: Judge, *, save: bool) -> Generator[Event, None, Gathered]:
    """Every run that learning has not looked at yet; each claimed success is judged once."""
    gathered = Gathered()
    with ctx.store.read() as transaction:
        total = runs.count_new(transaction)
    yield Began(stage="judge", total=total)
    last = done = 0
    while done < total:
        records, batch = read_batch(ctx, last)
        if not records:
            break
        fresh: list[Verdict] = []
        for verdict in judge_runs(judge, batch.sifted.kept, batch.known, ctx.now()):
            fresh.append(verdict)
            if not isinstance(judge, HeuristicJudge):
                yield Advanced(stage="judge", done=done + len(fresh), total=total)
        moved = _save(ctx, batch, fresh) if save else set[str]()
        _add(gathered, batch, fresh, moved)
        gathered.cache.keep(record for record in records if record.id in gathered.seen)
        last, done = records[-1].sequence, done + len(records)
        yield Advanced(stage="judge", done=done, total=total)
    text = f"{len(gathered.records)} runs are evidence, {len(gathered.fates)} are not"
    yield Ended(stage="judge", text=text)
    return gathered


def slim(record: Record) -> Record:
    """A record with what grouping needs of its run, so that many fit into memory."""
    return replace(record, run=Run(message=record.run.message[:LONG], snapshots=record.run.snapshots))


def read_batch(ctx: Context, last: int, until: int | None = None) -> tuple[list[Record], RunBatch]:
    """The next runs that nobody has looked at, up to a sequence, parted into evidence and the rest."""
    with ctx.store.read() as transaction:
        records = runs.new_runs(transaction, after=last, limit=STEP)
        records = [one for one in records if until is None or one.sequence <= until]
        known = verdicts.get_many(transaction, [record.id for record in records])
    seen = {one.id: SeenRun(one.revision, one.success, known.get(one.id)) for one in records}
    sifted = sift([_stated(record, known.get(record.id)) for record in records], ctx.name)
    return records, RunBatch(sifted=sifted, known=known, seen=seen)


def _stated(record: Record, verdict: Verdict | None) -> Record:
    """A run that a person has spoken on, as if its own outcome said so: nobody judges that again."""
    if verdict is None or verdict.judge != "person" or verdict.success is None:
        return record
    outcome = Outcome(success=verdict.success, by="person", reason=verdict.reason)
    return replace(record, run=replace(record.run, outcome=outcome))


def _save(ctx: Context, batch: RunBatch, fresh: Sequence[Verdict]) -> set[str]:
    """Keep verdicts and rejections, but for runs that changed while they were judged; returns these."""
    with ctx.store.write() as transaction:
        moved = runs.changed_since(transaction, batch.seen)
        verdicts.put_all(transaction, [one for one in fresh if one.success is not None and one.run not in moved])
        rejected = [WaitingRun(run=one.run, reason=one.reason) for one in batch.sifted.rejected if one.run not in moved]
        waiting.put(transaction, rejected)
    return moved


def _add(gathered: Gathered, batch: RunBatch, fresh: Sequence[Verdict], moved: set[str]) -> None:
    """Add a batch to the evidence; what changed meanwhile is the next pass's."""
    kept = [record for record in batch.sifted.kept if record.id not in moved]
    now = combine_verdicts(kept, batch.known, fresh)
    said = batch.known | {one.run: one for one in now.new}
    gathered.success.update(now.success)
    for record in kept:
        if now.success[record.id] is not None:
            try:
                gathered.hints[record.id] = hints_of(record.run)
                gathered.deeds[record.id] = deeds_of(record.run)
            except Exception as error:  # noqa: BLE001 - no run can stop a pass
                reason = f"it could not be read ({type(error).__name__})"
                gathered.fates.append(Fate(run=record.id, where="rejected", reason=reason))
                continue
            gathered.records.append(slim(record))
            gathered.seen[record.id] = batch.seen[record.id]._replace(verdict=said.get(record.id))
    rejected = [one for one in batch.sifted.rejected if one.run not in moved]
    gathered.fates += [Fate(run=one.run, where="rejected", reason=one.reason) for one in rejected]
    gathered.fates += [Fate(run=one.run, where="unknown", reason=f"not judged yet: {one.reason}") for one in now.open]
