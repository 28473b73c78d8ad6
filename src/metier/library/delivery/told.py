"""What agents were told of lessons: in one run, and since a moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.errors import NotFoundError
from metier.library.delivery.notes_file import person_notes
from metier.store.tables.learning import lessons, told

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.types import Record
    from metier.types.lessons import ToldHow

SAID = {
    "start": "at the start",
    "prompt": "with the request",
    "remind": "as a reminder before a call",
    "deny": "a call was denied",
    "fix": "after an error",
}
"""How a lesson was told, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldLine:
    """A lesson's line, as it is now, and how an agent was told it; how often in one run."""

    lesson: str
    text: str
    how: ToldHow
    times: int = 1


def told_last(ctx: Context) -> str:
    """The lesson that an agent was told last."""
    with ctx.store.read() as transaction:
        found = told.since(transaction, "")
    if not found:
        raise NotFoundError("No agent was told a lesson yet. Name one: metier lessons wrong ID")
    return found[-1].lesson


def told_in_run(ctx: Context, record: Record) -> list[ToldLine]:
    """The lessons that the agent was told for a run, in the order in which it was told them."""
    if not record.run.session:
        return []
    with ctx.store.read() as transaction:
        found = told.in_run(transaction, record.run.session, record.run.selection or "")
        texts = {one.id: one.text for one in lessons.list_all(transaction)} if found else {}
    texts = {one.id: one.text for one in person_notes(ctx)} | texts if found else {}
    counts: dict[tuple[str, ToldHow], int] = {}
    for one in found:
        counts[one.lesson, one.how] = counts.get((one.lesson, one.how), 0) + 1
    return [
        ToldLine(lesson=lesson, text=texts.get(lesson, "a lesson that is gone"), how=how, times=times)
        for (lesson, how), times in counts.items()
    ]
