"""What has arrived in a workspace, as two numbers that cost next to nothing to ask for again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.types.runs import Arrivals

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction

RECENT = 200
"""Runs among which a change of content is noticed; older ones hardly ever grow."""
MANY = 10_000
"""Where counting ends."""


def read_arrivals(transaction: Transaction) -> Arrivals:
    """How far recording in a workspace has come."""
    newest, revisions = transaction.all(
        "SELECT coalesce(max(sequence), 0), coalesce(sum(revision), 0) FROM (SELECT sequence, revision FROM runs"
        " WHERE workspace = ? ORDER BY sequence DESC LIMIT ?) AS recent",
        (transaction.workspace, RECENT),
    )[0]
    return Arrivals(newest=int(cast("int", newest)), revisions=int(cast("int", revisions)))


def count(transaction: Transaction, after: int) -> int:
    """How many runs have arrived after a sequence, up to `MANY`."""
    sql = "SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE workspace = ? AND sequence > ? LIMIT ?) AS some_runs"
    return int(cast("int", transaction.all(sql, (transaction.workspace, after, MANY))[0][0]))
