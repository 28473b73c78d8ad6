"""What was spent: one sum for each day of a workspace and for each training; what is reserved counts as spent.

A training's purse stands where others have their day: `train:<id>`. No day is ever after it, so it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from metier.store.engines.engine import Row, Transaction

COLUMNS = "calls, tokens, usd, unpriced"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentSum:
    """Calls, tokens and money."""

    calls: int = 0
    tokens: int = 0
    usd: Decimal = Decimal(0)
    unpriced: int = 0
    """Calls whose price nobody knows; their money is not in `usd`."""


def total(transaction: Transaction, workspace: str, day: str) -> SpentSum:
    """All that is spent and reserved on a day."""
    rows = transaction.all(f"SELECT {COLUMNS} FROM spending WHERE workspace = ? AND day = ?", (workspace, day))
    return _sum(rows[0]) if rows else SpentSum()


def reserve(transaction: Transaction, workspace: str, day: str, reservation: str, asked: SpentSum) -> None:
    """Set an amount aside: it counts as spent from now on, whatever becomes of who asked for it."""
    transaction.all(
        f"INSERT INTO reservations (id, workspace, day, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (reservation, workspace, day, *_values(asked)),
    )
    spend(transaction, workspace, day, asked)


def spend(transaction: Transaction, workspace: str, day: str, amount: SpentSum) -> None:
    """Count an amount as spent; one below zero gives back what was counted too much."""
    _put(transaction, workspace, day, _plus(total(transaction, workspace, day), amount))


def put(transaction: Transaction, workspace: str, day: str, spent: SpentSum) -> None:
    """Write a sum down as it is, for a purse that only one process spends from."""
    _put(transaction, workspace, day, spent)


def settle(transaction: Transaction, reservation: str, spent: SpentSum) -> None:
    """Put what was spent in a reservation's place, on its own day; a second time changes nothing."""
    rows = transaction.all(f"SELECT workspace, day, {COLUMNS} FROM reservations WHERE id = ?", (reservation,))
    if not rows:
        return
    workspace, day, asked = str(rows[0][0]), str(rows[0][1]), _sum(rows[0][2:])
    transaction.all("DELETE FROM reservations WHERE id = ?", (reservation,))
    _put(transaction, workspace, day, _plus(_plus(total(transaction, workspace, day), spent), asked, sign=-1))


def pending(transaction: Transaction, workspace: str, day: str) -> int:
    """Calls of a day that are under way, or whose process was killed before it knew what they took."""
    rows = transaction.all(
        "SELECT coalesce(sum(calls), 0) FROM reservations WHERE workspace = ? AND day = ?", (workspace, day)
    )
    return int(cast("int", rows[0][0]))


def drop_before(transaction: Transaction, workspace: str, day: str) -> int:
    """Forget the sums of the days before one; returns how many days that were."""
    transaction.all("DELETE FROM reservations WHERE workspace = ? AND day < ?", (workspace, day))
    return transaction.many("DELETE FROM spending WHERE workspace = ? AND day < ?", [(workspace, day)])


def _put(transaction: Transaction, workspace: str, day: str, spent: SpentSum) -> None:
    transaction.all(
        f"INSERT INTO spending (workspace, day, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (workspace, day)"
        " DO UPDATE SET calls = excluded.calls, tokens = excluded.tokens, usd = excluded.usd,"
        " unpriced = excluded.unpriced",
        (workspace, day, *_values(spent)),
    )


def _plus(one: SpentSum, other: SpentSum, sign: int = 1) -> SpentSum:
    return SpentSum(
        calls=one.calls + sign * other.calls,
        tokens=one.tokens + sign * other.tokens,
        usd=one.usd + sign * other.usd,
        unpriced=one.unpriced + sign * other.unpriced,
    )


def _values(amount: SpentSum) -> tuple[int, int, str, int]:
    return amount.calls, amount.tokens, str(amount.usd), amount.unpriced


def _sum(row: Row) -> SpentSum:
    calls, tokens, usd, unpriced = row
    return SpentSum(
        calls=cast("int", calls),
        tokens=cast("int", tokens),
        usd=Decimal(str(usd)),
        unpriced=cast("int", unpriced),
    )
