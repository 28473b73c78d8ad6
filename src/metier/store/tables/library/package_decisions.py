"""The latest decision on each package, by the hash of its bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.types.skills import PackageDecision

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.store.engines.engine import Row, Transaction

COLUMNS = "hash, allowed, action, happened, seal"
PUT = (
    f"INSERT INTO package_decisions (workspace, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (workspace, hash) DO UPDATE SET allowed = excluded.allowed, action = excluded.action,"
    " happened = excluded.happened, seal = excluded.seal"
)


def put(transaction: Transaction, decisions: Iterable[PackageDecision]) -> None:
    """Keep decisions; each takes the place of an earlier one on the same bytes."""
    rows = [
        (transaction.workspace, one.hash, int(one.allowed), one.action, one.happened, one.seal) for one in decisions
    ]
    transaction.many(PUT, rows)


def get(transaction: Transaction, package: str) -> PackageDecision | None:
    """The decision on one package, if there is one."""
    sql = f"SELECT {COLUMNS} FROM package_decisions WHERE workspace = ? AND hash = ?"
    rows = transaction.all(sql, (transaction.workspace, package))
    return _decision(rows[0]) if rows else None


def list_all(transaction: Transaction) -> dict[str, PackageDecision]:
    """Every decision of a workspace, by the hash it is about."""
    rows = transaction.all(f"SELECT {COLUMNS} FROM package_decisions WHERE workspace = ?", (transaction.workspace,))
    return {one.hash: one for one in map(_decision, rows)}


def state(transaction: Transaction) -> tuple[str, ...]:
    """What differs when a decision was made."""
    sql = (
        "SELECT count(*), coalesce(sum(allowed), 0), coalesce(max(happened), '')"
        " FROM package_decisions WHERE workspace = ?"
    )
    return tuple(map(str, transaction.all(sql, (transaction.workspace,))[0]))


def _decision(row: Row) -> PackageDecision:
    digest, allowed, action, happened, seal = row
    return PackageDecision(
        hash=str(digest), allowed=bool(allowed), action=str(action), happened=str(happened), seal=str(seal)
    )
