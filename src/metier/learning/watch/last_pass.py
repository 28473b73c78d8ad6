"""What the store remembers of the last pass of learning, so that whoever watches next knows what is due."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from metier.learning.watch.schedule import Passed
from metier.store.tables import meta
from metier.store.tables.recording import arrivals
from metier.store.tables.recording.arrivals import NOTHING, Arrivals

if TYPE_CHECKING:
    from metier.context.context import Context

FACT = "learn.passed"
"""Holds when the last completed pass began, and what had arrived by then; one for each workspace."""


def look(ctx: Context) -> tuple[Arrivals, Passed | None, int]:
    """What has arrived, the last pass, and how many runs arrived after it."""
    with ctx.store.read() as transaction:
        arrived = arrivals.look(transaction)
        passed = _parsed(meta.get(transaction, f"{FACT}:{ctx.name}"))
        seen = passed.seen if passed else NOTHING
        fresh = arrivals.count(transaction, seen.newest) if arrived.newest > seen.newest else 0
    return arrived, passed, fresh


def begun(ctx: Context) -> Passed:
    """A pass that begins now; hand it to `completed` when it has gone through."""
    with ctx.store.read() as transaction:
        return Passed(at=ctx.clock().astimezone(UTC), seen=arrivals.look(transaction))


def completed(ctx: Context, passed: Passed) -> None:
    """Remember a pass that has gone through, unless a later one is known; what arrived meanwhile is the next one's."""
    text = json.dumps({"at": passed.at.isoformat(), "newest": passed.seen.newest, "revisions": passed.seen.revisions})
    with ctx.store.write() as transaction:
        known = _parsed(meta.get(transaction, f"{FACT}:{ctx.name}"))
        if known is None or not passed.at < known.at <= ctx.clock():
            meta.put(transaction, f"{FACT}:{ctx.name}", text)


def _parsed(text: str) -> Passed | None:
    try:
        found = json.loads(text)
        seen = Arrivals(newest=int(found["newest"]), revisions=int(found["revisions"]))
        return Passed(at=datetime.fromisoformat(found["at"]).astimezone(UTC), seen=seen)
    except (ValueError, KeyError, TypeError):
        return None
