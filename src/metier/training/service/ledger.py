"""What one training and this day have spent: reserved in the store before a call, a block of calls at a time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from metier.context.models.spending import amount_of, less, sum_of, today
from metier.errors import StoreError
from metier.models.failures import OverBudget
from metier.models.ledger import NOTHING_AT_ALL, Amount, Limits, Reservation, exceeded_limit
from metier.store.tables.models import ledger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.store.engines.batched_writes import BatchedWrites
    from metier.store.engines.engine import Transaction
    from metier.training.service.budget import StopSignal

BLOCKS = (96, 24, 6)
"""Calls that are reserved together with the one that is asked for, so that the next ones need not wait."""
SPARE = 50
"""A block must fit so often into what is left: a kill may lose no more than this part of a budget."""
LOW = 48
"""When what is reserved is not enough for so many calls, it is time for more."""
NOTHING = Amount()


class TrainingLedger:
    """A ledger over two accounts, the training's and the day's; a refusal waits first for what calls give back."""

    def __init__(
        self,
        ctx: Context,
        grouped: BatchedWrites,
        account: str,
        daily: Limits,
        closing: StopSignal,
        *,
        blocks: tuple[int, ...] = BLOCKS,
    ) -> None:
        self._closing = closing
        self._blocks = blocks
        """Empty: nothing is reserved but what is asked for."""
        self._ctx = ctx
        self._grouped = grouped
        self._account = account
        self._daily = daily
        self._block: tuple[str, Amount] = ("", NOTHING)
        """What is reserved in both accounts and not yet for any call, after the day of it."""
        self._coming: dict[Transaction, Amount] = {}
        """The same for what each transaction reserves, until one of its callers is back: by then it is committed."""
        self._usual: tuple[str, Amount, Limits] | None = None
        """The last call that was paid from a block: its day, what it asked for, and its limits."""
        self._lock = threading.Lock()
        self._refilling = threading.Lock()
        self._over = False
        """Whether nothing is reserved ahead any more."""
        self._reserved = 0
        self._settled = 0
        """Those whose end is in the store."""
        self._returned = 0
        """Those that are settled or about to be."""
        self._change = threading.Condition()
        self._seen: tuple[Transaction | None, dict[str, Amount]] = (None, {})

    def reserve(self, asked: Amount, limits: Limits) -> Reservation | OverBudget:
        """Set an amount aside, in the training's account and in the day's, if both can bear it."""
        self._grouped.noted()  # what this thread got before is safe before it asks for more
        day = today(self._ctx)
        while not (over_now := self._closing.why()):
            if self._taken(day, asked):
                self._usual = (day, asked, limits)
                return Reservation(id=day, amount=asked)
            try:
                problem, others, more = self._grouped.now(
                    lambda transaction: self._try(transaction, day, asked, limits)
                )
            except StoreError as error:
                return OverBudget(reason=f"the spending cannot be saved, so nothing is spent: {error}")
            if not problem:
                self._open(day, more)
                return Reservation(id=day, amount=asked)
            if not others:
                return OverBudget(reason=problem)
            with self._change:
                self._change.wait_for(lambda known=others: self._returned >= known, timeout=60.0)
        return OverBudget(reason=over_now)

    def keep_up(self) -> None:
        """Reserve more before what is reserved runs out, so that nobody has to wait for it."""
        with self._refilling:
            usual = self._usual
            if usual is None or self._over:
                return
            day, asked, limits = usual
            with self._lock:
                plenty = self._block[0] != day or holds(self._block[1], times(asked, LOW))
            if not plenty:
                self._open(day, self._grouped.now(lambda transaction: self._more(transaction, day, asked, limits)))

    def settle(self, reservation: Reservation, spent: Amount) -> None:
        """Put what a call really took in its reservation's place; the day is that on which it was reserved."""
        self._grouped.add(self._settle, (reservation.id, less(spent, reservation.amount)))
        with self._change:
            self._returned += 1
            self._change.notify_all()

    def give_back(self) -> None:
        """Take what is reserved for no call out of the accounts again, and reserve nothing ahead from now on."""
        with self._refilling:
            self._over = True
        self._grouped.later(self._emptied)

    def total(self) -> Amount:
        """All that the training has spent and reserved."""
        with self._ctx.store.read() as transaction:
            return amount_of(ledger.total(transaction, self._ctx.name, self._account))

    def _open(self, day: str, transaction: Transaction | None) -> None:
        """What a transaction reserved beyond its calls may be used, as it is committed now."""
        with self._lock:
            if transaction not in self._coming:
                return
            before, left = self._block
            more = self._coming.pop(transaction)
            self._block = (day, left + more if before == day else more)

    def _taken(self, day: str, asked: Amount, transaction: Transaction | None = None) -> bool:
        """Whether there was room for it in what is reserved already, or what this transaction reserves."""
        with self._lock:
            self._reserved += 1
            reserved, block = self._block
            if reserved == day and holds(block, asked):
                self._block = (day, less(block, asked))
            elif transaction in self._coming and holds(self._coming[transaction], asked):
                self._coming[transaction] = less(self._coming[transaction], asked)
            else:
                self._reserved -= 1
                return False
            return True

    def _emptied(self, transaction: Transaction) -> None:
        """Out of the accounts with what is reserved for no call."""
        with self._lock:
            (day, block), self._block = self._block, ("", NOTHING)
        if block != NOTHING:
            self._change_by(transaction, day, less(NOTHING, block))

    def _try(
        self, transaction: Transaction, day: str, asked: Amount, limits: Limits
    ) -> tuple[str, int, Transaction | None]:
        """What is in the way, and how many must have been settled before it is worth another try; 0: it never is.

        If nothing is, the transaction that reserved more than was asked for.
        """
        if self._taken(day, asked, transaction):
            return "", 0, None
        self._emptied(transaction)
        sums = ((self._sum(transaction, self._account), limits), (self._sum(transaction, day), self._daily))
        for spent, most in sums:
            if problem := exceeded_limit(spent, asked, most):
                is_daily = most is not limits and problem != NOTHING_AT_ALL
                said = f"{problem}. That is for each day; the next begins at midnight UTC" if is_daily else problem
                return said, self._settled + 1 if self._reserved > self._settled else 0, None
        self._reserve(transaction, day, asked, max(1, size_of(asked, NOTHING, sums, self._blocks)))
        self._taken(day, asked, transaction)
        return "", 0, transaction

    def _more(self, transaction: Transaction, day: str, asked: Amount, limits: Limits) -> Transaction:
        """Another block beside the one there is, if that is a small part of what is left."""
        sums = ((self._sum(transaction, self._account), limits), (self._sum(transaction, day), self._daily))
        with self._lock:
            left = self._block[1]
        if size := size_of(asked, left, sums, self._blocks):
            self._reserve(transaction, day, asked, size)
        return transaction

    def _reserve(self, transaction: Transaction, day: str, asked: Amount, size: int) -> None:
        """So many calls at once, to be used when the transaction is committed, or by who else is in it."""
        more = times(asked, size)
        self._change_by(transaction, day, more)
        with self._lock:
            self._coming[transaction] = self._coming.get(transaction, NOTHING) + more

    def _settle(self, transaction: Transaction, changes: list[tuple[str, Amount]]) -> None:
        by_day: dict[str, Amount] = {}
        for day, change in changes:
            by_day[day] = by_day.get(day, NOTHING) + change
        for day, change in by_day.items():
            self._change_by(transaction, day, change)
        self._settled += len(changes)

    def _change_by(self, transaction: Transaction, day: str, change: Amount) -> None:
        for account in (self._account, day):
            amount = self._sum(transaction, account) + change
            self._seen[1][account] = amount
            ledger.put(transaction, self._ctx.name, account, sum_of(amount))

    def _sum(self, transaction: Transaction, account: str) -> Amount:
        """An account's sum, read once in a transaction: nobody else writes while it is open."""
        if self._seen[0] is not transaction:
            self._seen = (transaction, {})
        sums = self._seen[1]
        if account not in sums:
            sums[account] = amount_of(ledger.total(transaction, self._ctx.name, account))
        return sums[account]


def holds(amount: Amount, asked: Amount) -> bool:
    """Whether an amount is enough for another."""
    return (
        asked.calls <= amount.calls
        and asked.tokens <= amount.tokens
        and asked.usd <= amount.usd
        and asked.unpriced <= amount.unpriced
    )


def size_of(asked: Amount, left: Amount, sums: Sequence[tuple[Amount, Limits]], blocks: Sequence[int] = BLOCKS) -> int:
    """The calls of the largest block that is, with what is left of another, a small part of what may be spent."""
    fit = (size for size in blocks if all(fits(spent, left + times(asked, size), most) for spent, most in sums))
    return next(fit, 0)


def times(amount: Amount, count: int) -> Amount:
    """An amount, so many times."""
    return Amount(
        calls=amount.calls * count,
        tokens=amount.tokens * count,
        usd=amount.usd * count,
        unpriced=amount.unpriced * count,
    )


def fits(spent: Amount, block: Amount, limits: Limits) -> bool:
    """Whether a block is a small part of what is left."""
    return not exceeded_limit(spent, times(block, SPARE), limits)
