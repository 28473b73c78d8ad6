"""A target that spends money of its own: reserved before each attempt, settled by what the agent says it took."""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import TYPE_CHECKING

from metier.models.failures import OverBudget
from metier.models.ledger import Amount
from metier.training.targets.target import Attempt, Broken

if TYPE_CHECKING:
    from metier.models.ledger import Ledger, Limits
    from metier.skills.package import Package
    from metier.training.targets.target import Target
    from metier.types.trials import Case

FIRST = Amount(tokens=30_000, usd=Decimal("0.10"))
"""What an attempt is reckoned with before any is known: an agent's own prompt has some 12,000 tokens."""
MORE = Decimal("1.5")
"""How much dearer than the dearest one the next attempt may be."""


class PaidTarget:
    """A target whose attempts count against the budget; safe for many threads."""

    def __init__(self, target: Target, ledger: Ledger, limits: Limits, *, tells_cost: bool) -> None:
        self.target = target
        self.identity = target.identity
        self._ledger, self._limits, self._tells_cost = ledger, limits, tells_cost
        self._dearest = Amount()
        self._lock = threading.Lock()

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        """One try that the budget can bear."""
        reserved = self._ledger.reserve(self._bound(), self._limits)
        if isinstance(reserved, OverBudget):
            return Broken(reason=reserved.reason, again=False, spent=True)
        result = self.target.run(case, skill, sample)  # if this raises, the reservation stays: nobody knows
        self._ledger.settle(reserved, self._spent(result))
        return result

    def _bound(self) -> Amount:
        with self._lock:
            known = self._dearest
        if not known.tokens and not known.usd:
            return FIRST if self._tells_cost else Amount(tokens=FIRST.tokens, unpriced=1)
        tokens = int(known.tokens * MORE)
        return Amount(tokens=tokens, usd=known.usd * MORE, unpriced=0 if self._tells_cost else 1)

    def _spent(self, result: Attempt | Broken) -> Amount:
        """What an attempt took; one that came to nothing after it began counts like the dearest."""
        if isinstance(result, Broken):
            return self._dearest if result.again else Amount()
        tokens = result.tokens
        count = tokens.input + tokens.output + tokens.cache_read + tokens.cache_write
        usd = None if result.cost_usd is None else Decimal(str(result.cost_usd))
        spent = Amount(tokens=count, usd=usd or Decimal(0), unpriced=1 if usd is None else 0)
        with self._lock:
            dearest = self._dearest
            self._dearest = Amount(tokens=max(count, dearest.tokens), usd=max(spent.usd, dearest.usd))
        return spent
