"""Following what was learned, both ways: from a run to its pattern, from a pattern to its runs, drafts and skill."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from metier.errors import MetierError, NotFoundError, RefusedError
from metier.learning.patterns import Generate, Leave, Refresh, Situation, Thresholds, next_step, standing
from metier.library.proposals.drafts import list_drafts, target_of
from metier.store.tables.learning import members, patterns, waiting
from metier.store.tables.library import drafts
from metier.store.tables.runs import runs
from metier.types.passes import Taken

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.context.context import Context
    from metier.library.skills import Library
    from metier.types import Draft, Pattern, PatternStatus, Record
    from metier.types.grouping import Member, WaitingRun
    from metier.types.passes import Learned
    from metier.types.skills import Version

OPEN = "its draft is open, and nothing has changed"
Went = Literal["new", "rejected", "waits", "clustered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """Where learning put one run, and why."""

    went: Went
    """`new`: no pass has looked at it as it is now."""
    reason: str = ""
    pattern: Pattern | None = None
    success: bool | None = None
    """How it counts there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What taught a draft: its pattern, and those of its runs that are still there, oldest first."""

    pattern: Pattern | None = None
    records: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """A pattern with all that went into it and all that came of it."""

    pattern: Pattern
    why: str
    """Of its status."""
    members: tuple[tuple[Member, Record], ...] = ()
    """Its runs, oldest first."""
    drafts: tuple[Draft, ...] = ()
    """Oldest first."""
    tried: str = ""
    """Why no draft came of it the last time; empty: one did, or nobody tried."""
    versions: tuple[Version, ...] = ()
    """What was shipped of it, oldest first."""


def trail(ctx: Context, run: str) -> Trail:
    """Where a run went, by its whole id."""
    with ctx.store.read() as transaction:
        member = members.get(transaction, run)
        waits = waiting.get(transaction, run)
        pattern = patterns.get(transaction, member.pattern) if member else None
    if member is not None:
        return Trail(went="clustered", reason=member.reason, pattern=pattern, success=member.success)
    if waits is not None:
        return Trail(went="waits" if waits.text else "rejected", reason=waits.reason, success=waits.success)
    return Trail(went="new", reason="no pass of learning has looked at it yet")


def list_patterns(ctx: Context, status: PatternStatus | None = None) -> list[Pattern]:
    """The patterns of a workspace in the order they first appeared."""
    with ctx.store.read() as transaction:
        return patterns.list_all(transaction, status)


def get_pattern(ctx: Context, name: str) -> Pattern:
    """A pattern by its label, its id, or the unique beginning of its id."""
    wanted = name.strip().casefold()
    there = list_patterns(ctx)
    exact = [one for one in there if wanted in (one.id, one.label.casefold())]
    found = exact or [one for one in there if wanted and one.id.startswith(wanted)]
    if not found:
        raise NotFoundError(f"There is no pattern '{name}' here. `metier patterns --all` shows them.")
    if len(found) > 1:
        raise RefusedError(f"'{name}' is the beginning of more than one pattern's id. Give more of it.")
    return found[0]


def trace_pattern(library: Library, name: str) -> Traced:
    """A pattern, its runs, its drafts and what was shipped of it."""
    pattern = get_pattern(library.ctx, name)
    with library.ctx.store.read() as transaction:
        there = {one.run: one for one in members.of_pattern(transaction, pattern.id)}
        records = runs.get_many(transaction, list(there))
        tried = patterns.attempts(transaction).get(pattern.id, ("", ""))[1]
    mine = tuple(one for one in list_drafts(library, every=True) if one.pattern == pattern.id)
    needed = Thresholds(
        min_runs=library.ctx.config.learning.min_runs, min_success_ratio=library.ctx.config.learning.min_success_ratio
    )
    return Traced(
        pattern=pattern,
        why=standing(pattern, needed),
        members=tuple((there[record.id], record) for record in records),
        drafts=mine,
        tried=tried,
        versions=shipped_versions(library, mine),
    )


def origin(ctx: Context, draft: Draft) -> Origin:
    """What taught a draft."""
    with ctx.store.read() as transaction:
        pattern = patterns.get(transaction, draft.pattern) if draft.pattern else None
        return Origin(pattern=pattern, records=tuple(runs.get_many(transaction, draft.provenance.runs)))


def doubt_since(ctx: Context, pattern: Pattern | None) -> str:
    """What speaks against a draft by now: its pattern has fallen below the limit; empty: nothing."""
    limit = ctx.config.learning.min_success_ratio
    if pattern is None or pattern.success_ratio >= limit:
        return ""
    total = pattern.successes + pattern.failures
    return f"only {pattern.successes} of {total} runs of its pattern succeeded by now (the limit is {limit:.0%})"


def externals(ctx: Context, found: Iterable[Pattern]) -> dict[str, list[tuple[Member, str | None]]]:
    """The runs of some patterns with the ids their sources gave them, by pattern, oldest first."""
    with ctx.store.read() as transaction:
        there = {one.id: members.of_pattern(transaction, one.id) for one in found}
        wanted = [member.run for group in there.values() for member in group]
        ids = {record.id: record.run.external_id for record in runs.get_many(transaction, wanted)}
    return {name: [(one, ids[one.run]) for one in group if one.run in ids] for name, group in there.items()}


def shipped_versions(library: Library, found: Iterable[Draft]) -> tuple[Version, ...]:
    """The versions that drafts became."""
    versions: list[Version] = []
    for draft in found:
        if draft.status == "accepted":
            with suppress(MetierError):  # a skill whose history cannot be read hides none of the others
                past = target_of(library, draft).history().versions
                versions += [one for one in past if one.draft == draft.id]
    return tuple(versions)


def waits(ctx: Context) -> list[WaitingRun]:
    """Every run that stays new, and why; one without a success is no evidence, the others wait for company."""
    with ctx.store.read() as transaction:
        return waiting.list_all(transaction)


def records(ctx: Context, ids: Sequence[str]) -> dict[str, Record]:
    """Some runs, by their ids."""
    with ctx.store.read() as transaction:
        return {record.id: record for record in runs.get_many(transaction, ids)}


def steps(ctx: Context, learned: Learned) -> tuple[Taken, ...]:
    """What a pass did with every ready pattern, and why: also with those it left alone."""
    done = {one.pattern for one in learned.taken}
    with ctx.store.read() as transaction:
        ready = patterns.list_all(transaction, "ready")
        tried = patterns.attempts(transaction)
        by_pattern: dict[str, list[Draft]] = {}
        for one in drafts.list_all(transaction):
            by_pattern.setdefault(one.pattern, []).append(one)
    left: list[Taken] = []
    for one in ready:
        if one.id not in done:
            vain = tried.get(one.id, ("", ""))[1]
            reason = _why_left(ctx, one, by_pattern.get(one.id, []), learned.drafter) or vain or "nothing to do"
            left.append(Taken(pattern=one.id, label=one.label, what="left", reason=reason))
    return (*learned.taken, *left)


def _why_left(ctx: Context, pattern: Pattern, mine: Sequence[Draft], drafter: str) -> str:
    """Why a pass left a pattern alone, as far as its drafts tell; empty: drafting it was tried in vain before."""
    ratio = next((one.ratio for one in reversed(mine) if one.ratio is not None), None)
    step = next_step(pattern, mine, Situation(drafter=drafter, min_runs=ctx.config.learning.min_runs, ratio_then=ratio))
    match step:
        case Leave(reason=reason):
            return reason
        case Refresh():
            return OPEN
        case Generate():
            return ""
        case _:
            assert_never(step)
