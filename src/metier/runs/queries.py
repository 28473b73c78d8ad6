"""Looking at runs: the newest, one of them, those that hold some words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import BusyError
from metier.events import Advanced, Began, Ended, Noted
from metier.store.tables.runs import full_text as fulltext
from metier.store.tables.runs import runs, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.context.context import Context
    from metier.events import Event
    from metier.types import Record, Verdict

STEP = 1000
"""Runs indexed per transaction."""


def list_runs(ctx: Context, limit: int = 50) -> list[Record]:
    """The newest runs of the workspace."""
    with ctx.store.read() as transaction:
        return runs.page(transaction, limit=limit)


def get_run(ctx: Context, run: str) -> Record:
    """One run by its id or the unique beginning of it."""
    with ctx.store.read() as transaction:
        return runs.get(transaction, run)


def get_verdict(ctx: Context, run: str) -> Verdict | None:
    """The stored verdict on a run, if there is one."""
    with ctx.store.read() as transaction:
        return verdicts.get(transaction, run)


def search_runs(ctx: Context, words: str, limit: int = 50) -> list[Record]:
    """Runs that hold all the words; the index is completed first, unless another process keeps it busy."""
    for _ in index_runs(ctx):
        pass
    with ctx.store.read() as transaction:
        return fulltext.search(transaction, words, limit)


def index_runs(ctx: Context) -> Iterator[Event]:
    """Put every run into the full-text index, a step per transaction, as long as no other process is writing."""
    with ctx.store.read() as transaction:
        total = fulltext.behind(transaction)
    if not total:
        return
    yield Began(stage="index", total=total)
    done = 0
    while True:
        try:
            with ctx.store.write() as transaction:
                step = fulltext.catch_up(transaction, STEP)
        except BusyError as error:
            yield Noted(stage="index", text=f"The newest runs are not in the index yet. {error}", level="warning")
            step = 0
        if not step:
            break
        done += step
        yield Advanced(stage="index", done=done, total=total)
    yield Ended(stage="index", text=f"{done} runs indexed")
