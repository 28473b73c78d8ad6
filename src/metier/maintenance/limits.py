"""The limits on age and size, enforced once a day; `retention.py` removes what is over them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from metier.events import Noted
from metier.store.tables import meta
from metier.store.tables.learning import lessons
from metier.store.tables.library import drafts
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.store.engines.engine import Transaction

RESTING = ("accepted", "candidate", "quarantined")
"""Statuses of drafts whose runs stay."""
LEARNED = ("proposed", "approved")
"""Statuses of lessons whose runs stay."""
ROOM = 0.9
"""A store that grew over its limit is brought down to this share of it."""


def enforce_limits(ctx: Context) -> Iterator[Event]:
    """Enforce the limits on age and size, at most once a day."""
    today, fact = ctx.now()[:10], f"{meta.TIDIED}:{ctx.name}"
    with ctx.store.read() as transaction:
        if meta.get(transaction, fact) == today:
            return
    days, megabytes = ctx.config.retention_days, ctx.config.max_disk_mb
    if days:
        yield from _limit(ctx, runs_before(ctx, days), f"they are older than {days} days (retention_days)")
        _forget(ctx, days)
    if megabytes:
        yield from _limit(
            ctx, _too_many(ctx, megabytes * 1024 * 1024), f"all take more than {megabytes} MB (max_disk_mb)"
        )
    with ctx.store.write() as transaction:
        meta.put(transaction, fact, today)


def _forget(ctx: Context, days: int) -> None:
    """Drop what models said, and what they cost, so many days ago."""
    from metier.context.models.spending import forget_before

    forget_before(ctx, _moment(ctx, days))


def _limit(ctx: Context, ids: Sequence[str], why: str) -> Iterator[Event]:
    """Remove runs that came of age, but for those that something rests on."""
    if not ids:
        return
    with ctx.store.read() as transaction:
        kept = _rested_on(transaction)
    ids = [one for one in ids if one not in kept]
    if ids:
        from metier.maintenance.retention import remove_runs

        yield Noted(stage="tidy", text=f"Removing the {len(ids)} oldest runs: {why}.", level="warning")
        yield from remove_runs(ctx, ids, why)


def _rested_on(transaction: Transaction) -> set[str]:
    """The runs that a skill, an open draft or a lesson quotes: only a person who forgets them removes those."""
    drafted = {run for one in drafts.list_all(transaction) if one.status in RESTING for run in one.provenance.runs}
    return drafted | {
        quote.run for one in lessons.list_all(transaction) if one.status in LEARNED for quote in one.quotes
    }


def _too_many(ctx: Context, limit: int) -> list[str]:
    """The oldest runs that have to go so that this workspace's take clearly less than the limit."""
    with ctx.store.read() as transaction:
        weight = runs.total_size(transaction)
        if weight <= limit:
            return []
        return runs.oldest_ids(transaction, weight - int(limit * ROOM), _rested_on(transaction))


def runs_before(ctx: Context, days: int) -> list[str]:
    """The runs that are older than so many days."""
    with ctx.store.read() as transaction:
        return runs.ids_before(transaction, _moment(ctx, days))


def _moment(ctx: Context, days: int) -> str:
    """The moment so many days ago."""
    return (ctx.clock() - timedelta(days=days)).isoformat().replace("+00:00", "Z")
