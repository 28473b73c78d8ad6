"""Selections in the store, linked to the run each one served."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.formats.value_json import dumps, loads
from metier.store.tables.selection import trials
from metier.types import Selection

if TYPE_CHECKING:
    from collections.abc import Collection

    from metier.store.engines.engine import Transaction

EVERY = 2**62
BEGINNING = 200
"""Characters by which a selection is known to be for the same request."""


def put(transaction: Transaction, selection: Selection) -> None:
    """Store a selection, or the run it turned out to serve."""
    transaction.all(
        "INSERT INTO selections (id, workspace, run, session, created, body) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET run = excluded.run, body = excluded.body",
        (selection.id, selection.workspace, selection.run, selection.session, selection.created, dumps(selection)),
    )
    trials.enter(transaction, selection.session, selection.id, selection.trials)


def list_all(transaction: Transaction, limit: int = 100) -> list[Selection]:
    """A workspace's selections, newest first."""
    sql = "SELECT body FROM selections WHERE workspace = ? ORDER BY sequence DESC LIMIT ?"
    return [loads(Selection, row[0]) for row in transaction.all(sql, (transaction.workspace, limit))]


def forget(transaction: Transaction, runs: Collection[str], messages: Collection[str]) -> int:
    """Take the words out of selections that served these runs, or begin as these messages do; returns how many."""
    beginnings = {message[:BEGINNING] for message in messages}
    found = [
        one
        for one in list_all(transaction, EVERY)
        if one.query and (one.run in runs or one.query[:BEGINNING] in beginnings)
    ]
    for one in found:
        put(transaction, replace(one, query=""))
    return len(found)
