"""Removing runs for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.context.audit import note_action
from metier.errors import NotFoundError
from metier.events import Advanced, Began, Ended
from metier.library.lessons import published_pages, tell_anew
from metier.maintenance.limits import runs_before
from metier.store.engines import line_journal as journal
from metier.store.tables import meta
from metier.store.tables.learning import lessons
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


def runs_to_remove(ctx: Context, *, older_than: int | None, session: str | None) -> list[str]:
    """The runs a person names by age or session; with neither, all of them."""
    if older_than is not None:
        return runs_before(ctx, older_than)
    with ctx.store.read() as transaction:
        if session is not None:
            return runs.ids_of_session(transaction, session)
        return runs.all_ids(transaction)


def _records(transaction: Transaction, ids: Sequence[str]) -> list[Record]:
    found: dict[str, Record] = {}
    for one in ids:
        record = runs.get(transaction, one)
        found[record.id] = record
    return list(found.values())
