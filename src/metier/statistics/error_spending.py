"""How much error each look at the same cases may spend, so that all of them together keep the stated rate."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """A stated error rate, shared by every candidate that is judged on one set of cases."""

    alpha: float = 0.05
    planned: int | None = None
    """Looks that share it evenly, those behind them get none; None: nobody knows how many, and each gets less."""

    def share(self, look: int) -> float:
        """The error rate of one look, counted from 1: the more candidates were judged before, the less it may be."""
        if look < 1:
            raise ValueError(f"looks are counted from 1, not from {look}")
        if self.planned is None:
            return self.alpha * 6 / (pi * look) ** 2
        return self.alpha / self.planned if look <= self.planned else 0.0

    def spent(self, looks: int) -> float:
        """What so many looks have used up."""
        return sum(self.share(look) for look in range(1, looks + 1))
