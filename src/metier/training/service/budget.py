"""What a training keeps, written for many threads at once: replies, rollouts, calls.

Everything goes through one `Grouped`. Replies and rollouts go to its journal as well, where they are safe from a kill
before the same worker makes its next call. So a kill loses at most what was in flight, and that was counted before.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.context.models.spending import entry_of
from metier.errors import StoreError
from metier.store.engines.known_keys import KnownKeys
from metier.store.tables.models import calls, ledger, memo
from metier.store.tables.training import rollouts
from metier.training.rollouts.rollout import BudgetSpent
from metier.training.service.journal import memo_line, rollout_line
from metier.types.trials import Unscored

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.context.context import Context
    from metier.models.layers.record import Call
    from metier.store.engines.batched_writes import BatchedWrites
    from metier.store.engines.engine import Transaction
    from metier.types.trials import Rollout


@dataclass(slots=True)
class StopSignal:
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
            self.reason = "the time limit is reached"
        return self.reason


class StoredReplies:
    """Replies in the store; counts those it could give."""

    def __init__(self, ctx: Context, grouped: BatchedWrites, *, shared: bool = False) -> None:
        self._ctx = ctx
        self._grouped = grouped
        self._known = None if shared else KnownKeys(ctx.store, "memo")
        """None: others add replies meanwhile, so each is looked for in the store."""
        self._fresh: dict[str, bytes | None] = {}
        """What was kept here, and None for what was looked for and not found: nobody else writes it meanwhile."""
        self.hits = 0

    def get(self, key: str) -> bytes | None:
        """The value under a key, if it is there."""
        if self._known is None:
            value = self._found(key)
        else:
            if key not in self._fresh:
                self._fresh[key] = self._found(key) if self._known.may_hold(key) else None
            value = self._fresh[key]
        self.hits += value is not None
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep a value; the first one stays."""
        if self._known is not None:
            self._fresh[key] = value
        row = (key, value, self._ctx.now(), self._ctx.name)
        self._grouped.add(memo.put_all, row, memo_line(row), more=True)

    def _found(self, key: str) -> bytes | None:
        with self._ctx.store.glance() as transaction:
            return memo.get(transaction, key)


class StoredCalls:
    """Calls in the store, without what the server said."""

    def __init__(self, ctx: Context, grouped: BatchedWrites) -> None:
        self._ctx = ctx
        self._grouped = grouped

    def add(self, call: Call) -> None:
        """Keep one."""
        self._grouped.add(calls.add_all, entry_of(self._ctx, call))


class StoredRollouts:
    """Rollouts in the store. One that could not be scored is kept for this training alone: another tries again."""

    def __init__(
        self, ctx: Context, grouped: BatchedWrites, account: str, limit: int | None, closing: StopSignal
    ) -> None:
        self._closing = closing
        self._ctx = ctx
        self._grouped = grouped
        self._account = account
        self._limit = limit
        self._known = KnownKeys(ctx.store, "rollouts")
        self._fresh: dict[str, Rollout | None] = {}
        """As in `StoredReplies`."""
        self._made = self.made()
        self._lock = threading.Lock()

    def get(self, key: str) -> Rollout | None:
        """The rollout under a key, if it was made before."""
        if key not in self._fresh:
            own = f"{self._account}:{key}"
            self._fresh[key] = self._found(key, own) if self._known.may_hold(key, own) else None
        return self._fresh[key]

    def begin(self) -> BudgetSpent | None:
        """Count one more, if there may be one."""
        if why := self._closing.why():
            return BudgetSpent(reason=why)
        with self._lock:
            if self._limit is not None and self._made >= self._limit:
                return BudgetSpent(reason=f"the budget of {self._limit} rollouts is used up")
            self._made += 1
        if self._limit is None:
            self._grouped.add(self._count, 1)
            return None
        try:
            self._grouped.now(lambda transaction: self._count(transaction, [1]))
        except StoreError as error:
            return BudgetSpent(reason=f"the spending cannot be saved, so nothing is spent: {error}")
        return None

    def undo(self) -> None:
        """Count one less: nothing was spent on it."""
        with self._lock:
            self._made -= 1
        self._grouped.add(self._count, -1)

    def put(self, key: str, rollout: Rollout) -> None:
        """Keep one."""
        self._fresh[key] = rollout
        name = f"{self._account}:{key}" if isinstance(rollout.score, Unscored) else key
        entry = rollouts.entry_of(name, rollout)
        self._grouped.add(rollouts.put_all, entry, rollout_line(entry))

    def _found(self, *keys: str) -> Rollout | None:
        with self._ctx.store.glance() as transaction:
            return rollouts.get(transaction, *keys)

    def _count(self, transaction: Transaction, begun: list[int]) -> None:
        ledger.spend(transaction, self._ctx.name, f"{self._account}:rollouts", ledger.SpentSum(calls=sum(begun)))

    def made(self) -> int:
        """Rollouts that were begun, in all runs of this training."""
        with self._ctx.store.read() as transaction:
            return ledger.total(transaction, self._ctx.name, f"{self._account}:rollouts").calls
