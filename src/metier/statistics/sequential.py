"""Evidence that may be looked at as often as one likes: a bet on each paired difference, stopped at any time.

Whoever bets a share of his money on "the candidate is better" cannot, if it is not, expect to win: however long he
plays and whenever he stops, he multiplies his money by 20 in at most one game of 20. So the money itself is evidence
(an e-value), and it stays valid whatever made one look, go on or stop. Several shares are bet at once, each with its
own part of the money.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

BETS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
"""Shares of the money put on each difference: small ones see small gains in the end, large ones large gains soon."""
LARGEST = 1e300
"""The largest sum of money that is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialEvidence:
    """What the differences seen so far say for "the mean difference is above zero"."""

    wealth: tuple[float, ...] = (1.0,) * len(BETS)
    most: float = 1.0
    """The largest value it has had."""
    seen: int = 0

    @property
    def value(self) -> float:
        """How many times the money put in: 1 is no evidence, below 1 speaks against it."""
        return sum(self.wealth) / len(self.wealth)

    @property
    def p(self) -> float:
        """A p-value that holds at any time, however often it was looked at."""
        return min(1.0, 1.0 / self.most)

    def after(self, differences: Iterable[float]) -> SequentialEvidence:
        """The evidence with further differences, each between -1 and 1."""
        wealth, most, seen = self.wealth, self.most, self.seen
        for one in differences:
            if not -1.0 <= one <= 1.0:
                raise ValueError(f"a difference of two scores lies between -1 and 1, not at {one}")
            wealth = tuple(min(money * (1 + bet * one), LARGEST) for money, bet in zip(wealth, BETS, strict=True))
            most, seen = max(most, sum(wealth) / len(wealth)), seen + 1
        return SequentialEvidence(wealth=wealth, most=most, seen=seen)

    def enough(self, alpha: float) -> bool:
        """Whether it is so strong that luck alone reaches it, ever, with at most this probability."""
        return alpha > 0 and self.most * alpha >= 1


def e_values(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of the evidence after each difference, for many games at once: a row each."""
    import numpy as np

    total = np.zeros(differences.shape)
    with np.errstate(over="ignore"):
        for bet in BETS:
            total += np.minimum(np.cumprod(1 + differences * bet, axis=1), LARGEST)
    return total / len(BETS)
