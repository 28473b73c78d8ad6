"""Cases in the store, by suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.formats.value_json import dumps, loads
from metier.types.trials import Case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.store.engines.engine import Transaction


def put(transaction: Transaction, suite: str, cases: Iterable[Case]) -> None:
    """Store the cases of a suite; one with a known id replaces it."""
    transaction.many(
        "INSERT INTO cases (workspace, suite, id, body) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (workspace, suite, id) DO UPDATE SET body = excluded.body",
        [(transaction.workspace, suite, case.id, dumps(case)) for case in cases],
    )


def list_all(transaction: Transaction, suite: str) -> list[Case]:
    """The cases of a suite, by id."""
    sql = "SELECT body FROM cases WHERE workspace = ? AND suite = ? ORDER BY id"
    return [loads(Case, row[0]) for row in transaction.all(sql, (transaction.workspace, suite))]
