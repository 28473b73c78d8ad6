"""Removing runs for good: by hand, by age and by size."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from metier.context.audit import note_action
from metier.errors import NotFoundError
from metier.events import Advanced, Began, Ended, Noted
from metier.library.lessons import published_pages, tell_anew
from metier.store.engines import line_journal as journal
from metier.store.tables import meta
from metier.store.tables.learning import lessons
from metier.store.tables.library import drafts
from metier.store.tables.models import memo
from metier.store.tables.runs import full_text as search
from metier.store.tables.runs import runs
from metier.store.tables.runs import transcripts as files
from metier.store.tables.selection import selections
from metier.store.tables.training import cases

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.store.engines.engine import Transaction
    from metier.types import Record

STEP = 500
"""Runs removed per transaction."""
RESTING = ("accepted", "candidate", "quarantined")
"""Statuses of drafts whose runs stay."""
LEARNED = ("proposed", "approved")
"""Statuses of lessons whose runs stay."""
ROOM = 0.9
"""A store that grew over its limit is brought down to this share of it."""


def remove_runs(ctx: Context, ids: Sequence[str], reason: str) -> Iterator[Event]:
    """Remove runs for good: rows, words in the index, what the database's log still holds of them."""
    yield Began(stage="remove", total=len(ids))
    gone, pages = 0, published_pages(ctx)
    for start in range(0, len(ids), STEP):
        with ctx.store.write() as transaction:
            found = _records(transaction, ids[start : start + STEP])
            part = [record.id for record in found]
            gone += runs.remove(transaction, part, ctx.now())
            memo.clear(transaction)  # what a model said may quote them
            lessons.forget_runs(transaction, part)
            cases.forget_runs(transaction, part)
            selections.forget(transaction, part, [record.run.message for record in found])
            note_action(transaction, ctx, f"remove {len(part)} runs", " ".join(part), reason)
            meta.put(transaction, meta.ERASING, "yes")
        yield Advanced(stage="remove", done=gone, total=len(ids))
    if gone:
        tell_anew(ctx, pages)
        erase_removed_text(ctx)
    yield Ended(stage="remove", text=f"{gone} runs removed for good")


def erase_removed_text(ctx: Context) -> None:
    """Wipe what removed runs left in the full-text index and in the database's log."""
    journal.remove_all(ctx.state)
    with ctx.store.write() as transaction:
        search.erase(transaction)
    ctx.store.erase()
    with ctx.store.write() as transaction:
        meta.put(transaction, meta.ERASING, "")


def readmit_run(ctx: Context, run: str) -> None:
    """Let a run that was removed be recorded again, should it be delivered again."""
    with ctx.store.write() as transaction:
        if not runs.readmit(transaction, run):
            raise NotFoundError(f"No run '{run}' was removed here. Give its whole id.")
        files.forget_positions(transaction)
        note_action(transaction, ctx, "readmit run", run, "")


def _runs_before(ctx: Context, days: int) -> list[str]:
    with ctx.store.read() as transaction:
        return runs.ids_before(transaction, _moment(ctx, days))


def _moment(ctx: Context, days: int) -> str:
    """The moment so many days ago."""
    return (ctx.clock() - timedelta(days=days)).isoformat().replace("+00:00", "Z")


def runs_to_remove(ctx: Context, *, older_than: int | None, session: str | None) -> list[str]:
    """The runs a person names by age or session; with neither, all of them."""
    if older_than is not None:
        return _runs_before(ctx, older_than)
    with ctx.store.read() as transaction:
        if session is not None:
            return runs.ids_of_session(transaction, session)
        return runs.all_ids(transaction)


def enforce_limits(ctx: Context) -> Iterator[Event]:
    """Enforce the limits on age and size, at most once a day."""
    today, fact = ctx.now()[:10], f"{meta.TIDIED}:{ctx.name}"
    with ctx.store.read() as transaction:
        if meta.get(transaction, fact) == today:
            return
    days, megabytes = ctx.config.retention_days, ctx.config.max_disk_mb
    if days:
        yield from _limit(ctx, _runs_before(ctx, days), f"they are older than {days} days (retention_days)")
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
    with ctx.store.read() as transaction:
        kept = _rested_on(transaction)
    ids = [one for one in ids if one not in kept]
    if ids:
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


def _records(transaction: Transaction, ids: Sequence[str]) -> list[Record]:
    found: dict[str, Record] = {}
    for one in ids:
        record = runs.get(transaction, one)
        found[record.id] = record
    return list(found.values())
