"""What asking models leaves in a workspace's store: kept replies, spent money, calls.

A store that cannot be written to stops the spending: without a reservation nothing is asked. What is lost after that is
a reply that could have been reused, or a line of the record; never a limit.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING
from uuid import uuid4

from metier.errors import StoreError
from metier.formats.strict_json import clean
from metier.models.failures import OverBudget
from metier.models.ledger import NOTHING_AT_ALL, Amount, Reservation, exceeded_limit
from metier.store.tables.models import calls, ledger, memo

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.models.layers.record import Call
    from metier.models.ledger import Limits


class StoreMemo:
    """Replies in the store; counts those it could give."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._lock = threading.Lock()
        self.hits = 0

    def get(self, key: str) -> bytes | None:
        """The value under a key, if it is there."""
        try:
            with self._ctx.store.read() as transaction:
                value = memo.get(transaction, key)
        except StoreError:
            return None
        if value is not None:
            with self._lock:
                self.hits += 1
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep a value; the first one stays."""
        with suppress(StoreError), self._ctx.store.write() as transaction:
            memo.put(transaction, key, value, self._ctx.now())


class StoreLedger:
    """A day's spending in the store; counts what went through this ledger since it was made."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._lock = threading.Lock()
        self._mine = Amount()

    @property
    def mine(self) -> Amount:
        """What was spent through this ledger alone."""
        return self._mine

    def reserve(self, asked: Amount, limits: Limits) -> Reservation | OverBudget:
        """Set an amount aside if it fits into what the day has left: one transaction, whoever else is spending."""
        day = today(self._ctx)
        name = uuid4().hex
        try:
            with self._ctx.store.write() as transaction:
                problem = exceeded_limit(amount_of(ledger.total(transaction, self._ctx.name, day)), asked, limits)
                if problem:
                    when = "" if problem == NOTHING_AT_ALL else "; it counts from midnight UTC"
                    return OverBudget(reason=problem + when)
                ledger.reserve(transaction, self._ctx.name, day, name, sum_of(asked))
        except StoreError as error:
            return OverBudget(reason=f"the spending cannot be saved, so nothing is spent: {error}")
        return Reservation(id=name, amount=asked)

    def settle(self, reservation: Reservation, spent: Amount) -> None:
        """Put what a call really took in its reservation's place."""
        with self._lock:
            self._mine += spent
        with suppress(StoreError), self._ctx.store.write() as transaction:  # else the bound stays: never too little
            ledger.settle(transaction, reservation.id, sum_of(spent))

    def total(self) -> Amount:
        """All that is spent and reserved today."""
        with self._ctx.store.read() as transaction:
            return amount_of(ledger.total(transaction, self._ctx.name, today(self._ctx)))


class StoreCalls:
    """Calls in the store, without what the server said."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def add(self, call: Call) -> None:
        """Keep one."""
        entry = entry_of(self._ctx, call)
        with suppress(StoreError), self._ctx.store.write() as transaction:
            calls.add(transaction, entry)


def entry_of(ctx: Context, call: Call) -> calls.CallEntry:
    """A call as the store keeps it."""
    return calls.CallEntry(
        happened=ctx.now(),
        workspace=ctx.name,
        stage=call.stage,
        what=call.what,
        model=clean(call.model),
        prompt_hash=call.prompt_hash,
        tokens=call.tokens,
        cost_usd=call.cost_usd,
        seconds=call.seconds,
        outcome=call.outcome,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """What a workspace has spent on models today."""

    day: str
    """In UTC, when budgets begin anew."""
    spent: Amount
    pending: int
    """Calls in it that are under way, or whose process was killed; they count with the most they can cost."""


def spent_today(ctx: Context) -> Today:
    """The day's sums."""
    day = today(ctx)
    with ctx.store.read() as transaction:
        spent = amount_of(ledger.total(transaction, ctx.name, day))
        return Today(day=day, spent=spent, pending=ledger.pending(transaction, ctx.name, day))


def forget_before(ctx: Context, moment: str) -> int:
    """Drop kept replies, calls and days of spending older than a moment; returns how many rows, today's never."""
    day = min(moment[:10], today(ctx))
    with ctx.store.write() as transaction:
        return (
            memo.drop_before(transaction, moment)
            + calls.drop_before(transaction, moment)
            + ledger.drop_before(transaction, ctx.name, day)
        )


def today(ctx: Context) -> str:
    """The day that budgets count, by the workspace's clock, in UTC."""
    return ctx.clock().astimezone(UTC).date().isoformat()


def amount_of(spent: ledger.SpentSum) -> Amount:
    """The store's sum in the words of models."""
    return Amount(calls=spent.calls, tokens=spent.tokens, usd=spent.usd, unpriced=spent.unpriced)


def sum_of(amount: Amount) -> ledger.SpentSum:
    """An amount in the words of the store."""
    return ledger.SpentSum(calls=amount.calls, tokens=amount.tokens, usd=amount.usd, unpriced=amount.unpriced)


def less(amount: Amount, other: Amount) -> Amount:
    """What is left of an amount when another is taken out of it."""
    return Amount(
        calls=amount.calls - other.calls,
        tokens=amount.tokens - other.tokens,
        usd=amount.usd - other.usd,
        unpriced=amount.unpriced - other.unpriced,
    )
