"""Cases in the store, by suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from metier.formats.value_json import dumps, loads
from metier.types.trials import Case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.store.engines.engine import Transaction


CaseStatus = Literal["proposed", "accepted", "rejected"]
"""What a person said of a case that was made from a run."""


def suite_of(status: CaseStatus) -> str:
    """The suite that holds the cases from runs of a status."""
    return f"replay:{status}"


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


def move(transaction: Transaction, case: Case, before: str, now: str) -> None:
    """Put a case from one suite into another."""
    transaction.all(
        "DELETE FROM cases WHERE workspace = ? AND suite = ? AND id = ?", (transaction.workspace, before, case.id)
    )
    put(transaction, now, [case])


def forget_runs(transaction: Transaction, runs: Iterable[str]) -> None:
    """Drop the cases that were made from removed runs, whatever was decided on them."""
    gone = {f"run:{run}" for run in runs}
    suites = [suite_of(status) for status in get_args(CaseStatus)]
    found = [(suite, case.id) for suite in suites for case in list_all(transaction, suite) if case.origin in gone]
    transaction.many(
        "DELETE FROM cases WHERE workspace = ? AND suite = ? AND id = ?",
        [(transaction.workspace, *one) for one in found],
    )
