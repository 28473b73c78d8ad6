"""What may be spent, what was, and what is reserved for calls under way."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from metier.models.failures import OverBudget

NOTHING_AT_ALL = "nothing may be spent (budget_usd is 0), and the model's price is unknown"
UNPRICED_CALLS = 100
"""Calls that stand in for a limit on money where no price is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most that may be spent; None: no limit, 0: nothing."""

    calls: int | None = None
    tokens: int | None = None
    usd: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Calls, tokens and money, spent or to be."""

    calls: int = 0
    tokens: int = 0
    usd: Decimal = Decimal(0)
    unpriced: int = 0
    """Calls whose price nobody knows; their money is not in `usd`."""

    @property
    def cost_usd(self) -> Decimal | None:
        """The money, or None when a part of it is unknown."""
        return None if self.unpriced else self.usd

    def __add__(self, other: Amount) -> Amount:
        return Amount(
            calls=self.calls + other.calls,
            tokens=self.tokens + other.tokens,
            usd=self.usd + other.usd,
            unpriced=self.unpriced + other.unpriced,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """An upper bound set aside for one call."""

    id: str
    amount: Amount


class Ledger(Protocol):
    """Keeps the sums; what is reserved and never settled (a killed process) counts as spent."""

    def reserve(self, asked: Amount, limits: Limits) -> Reservation | OverBudget:
        """Set an amount aside if it fits; looking and setting aside are one step for all threads and processes."""
        ...

    def settle(self, reservation: Reservation, spent: Amount) -> None:
        """Put what a call really took in its reservation's place."""
        ...

    def total(self) -> Amount:
        """All that is spent and reserved."""
        ...


@dataclass(slots=True)
class MemoryLedger:
    """A ledger that lasts as long as the process."""

    start: Amount = field(default_factory=Amount)
    """What was spent before."""
    _reserved: dict[str, Amount] = field(default_factory=dict[str, Amount], init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _count: int = field(default=0, init=False)

    def reserve(self, asked: Amount, limits: Limits) -> Reservation | OverBudget:
        """Set an amount aside if it fits."""
        with self._lock:
            problem = exceeded_limit(self._total(), asked, limits)
            if problem:
                return OverBudget(reason=problem)
            self._count += 1
            name = str(self._count)
            self._reserved[name] = asked
            return Reservation(id=name, amount=asked)

    def settle(self, reservation: Reservation, spent: Amount) -> None:
        """Put what was spent in the reservation's place; a second time changes nothing."""
        with self._lock:
            if self._reserved.pop(reservation.id, None) is not None:
                self.start += spent

    def total(self) -> Amount:
        """All that is spent and reserved."""
        with self._lock:
            return self._total()

    def _total(self) -> Amount:
        total = self.start
        for amount in self._reserved.values():
            total += amount
        return total


def exceeded_limit(total: Amount, asked: Amount, limits: Limits) -> str:
    """Which limit an amount would pass on top of a total; empty if it fits."""
    after = total + asked
    if limits.usd is not None and asked.unpriced and not limits.usd:
        return NOTHING_AT_ALL
    most = UNPRICED_CALLS if limits.calls is None else limits.calls
    if limits.usd is not None and after.unpriced > most:
        return f"the model's price is unknown, so {most} calls are the most; set model_price, or budget_calls"
    for name, limit, value in (("calls", limits.calls, after.calls), ("tokens", limits.tokens, after.tokens)):
        if limit is not None and value > limit:
            return f"the budget of {limit} {name} could be passed (up to {value})"
    if limits.usd is not None and after.usd > limits.usd:
        return f"the budget of ${limits.usd} could be passed (up to ${after.usd:.6f})"
    return ""
