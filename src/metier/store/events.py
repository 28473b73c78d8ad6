"""Events in the store: what each piece of long work said, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.events import Advanced, Began, Ended, Event, Noted
from metier.formats.value_json import dumps, loads

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction

KINDS: dict[str, type[Began] | type[Advanced] | type[Noted] | type[Ended]] = {
    "began": Began,
    "advanced": Advanced,
    "noted": Noted,
    "ended": Ended,
}


def add(transaction: Transaction, workspace: str, work: str, event: Event, now: str) -> None:
    """Keep one event of a piece of work."""
    kind = type(event).__name__.lower()
    transaction.all(
        "INSERT INTO events (workspace, work, happened, body) VALUES (?, ?, ?, ?)",
        (workspace, work, now, f"{kind} {dumps(event)}"),
    )


def listed(transaction: Transaction, workspace: str, work: str) -> list[Event]:
    """The events of a piece of work in order."""
    sql = "SELECT body FROM events WHERE workspace = ? AND work = ? ORDER BY sequence"
    return [_event(str(row[0])) for row in transaction.all(sql, (workspace, work))]


def _event(body: str) -> Event:
    kind, _, text = body.partition(" ")
    return loads(KINDS[kind], text)
