"""What a training keeps and spends, written for many threads at once: replies, rollouts, calls, money.

Everything goes through one `Grouped`: a reservation is committed before its call is made, and what came of the call at
the latest before the same worker makes its next one. So a kill loses at most what was in flight, and that was counted.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tacit.errors import StoreError
from tacit.models.failures import OverBudget
from tacit.models.ledger import Amount, Limits, Reservation, over
from tacit.store import calls, ledger, memo, rollouts
from tacit.training.rollout import Spent
from tacit.trials import Unscored
from tacit.workspace.spending import amount_of, entry_of, less, sum_of, today

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.models.record import Call
    from tacit.store.engine import Transaction
    from tacit.store.grouped import Grouped
    from tacit.trials import Rollout
    from tacit.workspace.workspace import Workspace

UNWRITTEN = 0.05
"""Seconds of work that a kill may lose beside what is in flight, where rollouts need not be counted first."""


@dataclass(slots=True)
class Closing:
    """Whether new work may begin: until the time is over or somebody says so."""

    clock: Callable[[], float]
    deadline: float | None = None
    reason: str = ""
    stopped: threading.Event = field(default_factory=threading.Event)
    """Set when what is under way shall end, too."""

    def stop(self, reason: str) -> None:
        """Begin nothing more, and end what can be ended."""
        self.reason = self.reason or reason
        self.stopped.set()

    def sleep(self, seconds: float) -> None:
        """Wait, unless what is under way shall end."""
        self.stopped.wait(seconds)

    def why(self) -> str:
        """Why nothing new may begin; empty while it may."""
        if not self.reason and self.deadline is not None and self.clock() >= self.deadline:
            self.reason = "its time is over"
        return self.reason


class PurseMemo:
    """Replies in the store; counts those it could give."""

    def __init__(self, ws: Workspace, grouped: Grouped) -> None:
        self._ws = ws
        self._grouped = grouped
        self._fresh: dict[str, bytes | None] = {}
        """What was kept here, and None for what was looked for and not found: nobody else writes it meanwhile."""
        self.hits = 0

    def get(self, key: str) -> bytes | None:
        """The value under a key, if it is there."""
        if key not in self._fresh:
            with self._ws.engine.read() as transaction:
                self._fresh[key] = memo.get(transaction, key)
        value = self._fresh[key]
        self.hits += value is not None
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep a value; the first one stays."""
        self._fresh[key] = value
        moment, name = self._ws.now(), self._ws.name
        self._grouped.later(lambda transaction: memo.put(transaction, key, value, moment, name))


class PurseLedger:
    """What one training and this day have spent; a refusal waits first for what calls under way give back."""

    def __init__(self, ws: Workspace, grouped: Grouped, purse: str, daily: Limits, closing: Closing) -> None:
        self._closing = closing
        self._ws = ws
        self._grouped = grouped
        self._purse = purse
        self._daily = daily
        self._reserved = 0
        """Counted in the order of the store, by whoever writes."""
        self._settled = 0
        self._returned = 0
        """Those that are settled or about to be."""
        self._change = threading.Condition()
        self._seen: tuple[Transaction | None, dict[str, Amount]] = (None, {})

    def reserve(self, asked: Amount, limits: Limits) -> Reservation | OverBudget:
        """Set an amount aside, in the training's purse and in the day's, if both can bear it."""
        day = today(self._ws)
        while not (over_now := self._closing.why()):
            try:
                problem, others = self._grouped.now(lambda transaction: self._try(transaction, day, asked, limits))
            except StoreError as error:
                return OverBudget(reason=f"what is spent cannot be written down, so nothing is: {error}")
            if not problem:
                return Reservation(id=day, amount=asked)
            if not others:
                return OverBudget(reason=problem)
            with self._change:
                self._change.wait_for(lambda known=others: self._returned >= known, timeout=60.0)
        return OverBudget(reason=over_now)

    def _try(self, transaction: Transaction, day: str, asked: Amount, limits: Limits) -> tuple[str, int]:
        """What is in the way, and how many must have been settled before it is worth another try; 0: it never is."""
        for purse, most in ((self._purse, limits), (day, self._daily)):
            problem = over(self._sum(transaction, purse), asked, most)
            if problem:
                said = problem if purse == self._purse else f"{problem}; that of a day, which begins at midnight UTC"
                return said, self._settled + 1 if self._reserved > self._settled else 0
        for purse in (self._purse, day):
            self._put(transaction, purse, self._sum(transaction, purse) + asked)
        self._reserved += 1
        return "", 0

    def settle(self, reservation: Reservation, spent: Amount) -> None:
        """Put what a call really took in its reservation's place; the day is that on which it was reserved."""
        day, asked = reservation.id, reservation.amount

        def write(transaction: Transaction) -> None:
            for purse in (self._purse, day):
                self._put(transaction, purse, less(self._sum(transaction, purse) + spent, asked))
            self._settled += 1

        self._grouped.later(write)
        with self._change:
            self._returned += 1
            self._change.notify_all()

    def _sum(self, transaction: Transaction, purse: str) -> Amount:
        """A purse's sum, read once in a transaction: nobody else writes while it is open."""
        if self._seen[0] is not transaction:
            self._seen = (transaction, {})
        sums = self._seen[1]
        if purse not in sums:
            sums[purse] = amount_of(ledger.total(transaction, self._ws.name, purse))
        return sums[purse]

    def _put(self, transaction: Transaction, purse: str, amount: Amount) -> None:
        self._seen[1][purse] = amount
        ledger.put(transaction, self._ws.name, purse, sum_of(amount))

    def total(self) -> Amount:
        """All that the training has spent and reserved."""
        with self._ws.engine.read() as transaction:
            return amount_of(ledger.total(transaction, self._ws.name, self._purse))


class PurseCalls:
    """Calls in the store, without what the server said."""

    def __init__(self, ws: Workspace, grouped: Grouped) -> None:
        self._ws = ws
        self._grouped = grouped

    def add(self, call: Call) -> None:
        """Keep one."""
        entry = entry_of(self._ws, call)
        self._grouped.later(lambda transaction: calls.add(transaction, entry))


class PurseKeeper:
    """Rollouts in the store. One that could not be scored is kept for this training alone: another tries again."""

    def __init__(self, ws: Workspace, grouped: Grouped, purse: str, limit: int | None, closing: Closing) -> None:
        self._closing = closing
        self._ws = ws
        self._grouped = grouped
        self._purse = purse
        self._limit = limit
        self._fresh: dict[str, Rollout | None] = {}
        """As in `PurseMemo`."""
        self._made = self.made()
        self._written = closing.clock()
        self._lock = threading.Lock()

    def get(self, key: str) -> Rollout | None:
        """The rollout under a key, if it was made before."""
        if key not in self._fresh:
            with self._ws.engine.read() as transaction:
                kept = rollouts.get(transaction, key) or rollouts.get(transaction, f"{self._purse}:{key}")
            self._fresh[key] = kept
        return self._fresh[key]

    def begin(self) -> Spent | None:
        """Count one more, if there may be one."""
        if why := self._closing.why():
            return Spent(reason=why)
        with self._lock:
            if self._limit is not None and self._made >= self._limit:
                return Spent(reason=f"the budget of {self._limit} rollouts is used up")
            self._made += 1
        name, purse = self._ws.name, f"{self._purse}:rollouts"
        write = self._grouped.later if self._limit is None else self._grouped.now
        try:
            write(lambda transaction: ledger.spend(transaction, name, purse, ledger.Sum(calls=1)))
            if (now := self._closing.clock()) - self._written > UNWRITTEN:
                self._written = now
                self._grouped.settle()
        except StoreError as error:
            return Spent(reason=f"what is spent cannot be written down, so nothing is: {error}")
        return None

    def put(self, key: str, rollout: Rollout) -> None:
        """Keep one."""
        self._fresh[key] = rollout
        name = f"{self._purse}:{key}" if isinstance(rollout.score, Unscored) else key
        self._grouped.later(lambda transaction: rollouts.put(transaction, name, rollout))

    def made(self) -> int:
        """Rollouts that were begun, in all runs of this training."""
        with self._ws.engine.read() as transaction:
            return ledger.total(transaction, self._ws.name, f"{self._purse}:rollouts").calls
