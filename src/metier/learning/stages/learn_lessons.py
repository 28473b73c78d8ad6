"""The part of a pass that learns lessons: read new sessions with the net, add up, keep what is worth proposing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.events import Advanced, Began, Ended
from metier.learning.lessons.aggregate import lessons_from
from metier.learning.lessons.ranking import in_order, merge
from metier.learning.lessons.screen import may_be_shown
from metier.learning.lessons.session.mine import as_text, from_text, mine_session
from metier.learning.lessons.written import PAGES, written_where
from metier.store.tables import meta
from metier.store.tables.learning import lessons, sightings
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.learning.lessons.session.mine import Catch
    from metier.types.lessons import Lesson

TOGETHER = 400
"""Runs read and saved at a time, whole sessions."""
PAGE = 200_000
"""Characters of a project's page that are looked at."""


def learn_lessons(ctx: Context, *, save: bool) -> Generator[Event, None, tuple[Lesson, ...]]:
    """Every lesson as it is now, in order; with `save`, kept."""
    with ctx.store.read() as transaction:
        sessions = sightings.unread(transaction)
    total = sum(map(len, sessions))
    yield Began(stage="lessons", total=total)
    done = 0
    fresh: list[Catch] = []
    for batch in _batches(sessions):
        fresh += _read(ctx, batch, save=save)
        done += sum(map(len, batch))
        yield Advanced(stage="lessons", done=done, total=total)
    found = _add_up(ctx, () if save else fresh, save=save)
    waiting = sum(one.is_open for one in found)
    yield Ended(stage="lessons", text=f"{waiting} lessons wait for a decision")
    return tuple(found)


def _batches(sessions: Sequence[list[str]]) -> Iterator[list[list[str]]]:
    batch: list[list[str]] = []
    for one in sessions:
        batch.append(one)
        if sum(map(len, batch)) >= TOGETHER:
            yield batch
            batch = []
    if batch:
        yield batch


def _read(ctx: Context, batch: Sequence[list[str]], *, save: bool) -> list[Catch]:
    """What some sessions show."""
    with ctx.store.read() as transaction:
        records = {one.id: one for one in runs.get_many(transaction, [run for session in batch for run in session])}
    kept = [[records[run] for run in session if run in records] for session in batch]
    found = [(session, mine_session(session)) for session in kept if session]
    if save:
        with ctx.store.write() as transaction:
            for session, catch in found:
                sightings.put(transaction, [one.id for one in session], session[0].sequence, as_text(catch))
    return [catch for _, catch in found]


def _add_up(ctx: Context, fresh: Sequence[Catch], *, save: bool) -> list[Lesson]:
    """The lessons from all that was kept and what is fresh; as they were where nothing has changed."""
    with ctx.store.read() as transaction:
        stored, basis = lessons.list_all(transaction), sightings.fingerprint(transaction)
        if not fresh and meta.get(transaction, f"{meta.ADDED_UP}:{ctx.name}") == basis:
            return in_order(stored)
        kept = [from_text(text) for text in sightings.list_all(transaction)]
    new = lessons_from((one for catch in (*kept, *fresh) for one in catch), ctx.name)
    pages = project_pages(ctx)
    known = [replace(one, already_written=written_where(one, pages)) for one in new if may_be_shown(one)]
    found = merge(stored, known, ctx.now())
    if save:
        with ctx.store.write() as transaction:
            lessons.replace_proposals(transaction, found)
            meta.put(transaction, f"{meta.ADDED_UP}:{ctx.name}", basis)
    return in_order(found)


def project_pages(ctx: Context) -> Mapping[str, str]:
    """What the project says about itself, by file."""
    found: dict[str, str] = {}
    for name in PAGES:
        try:
            with (ctx.root / name).open(encoding="utf-8", errors="replace") as page:
                found[name] = page.read(PAGE)
        except OSError:
            continue
    return found
