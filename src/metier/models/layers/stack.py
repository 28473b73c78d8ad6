"""A whole model out of its parts: each layer adds one concern and hands a value down.

Redacted    no secret goes further
Memo        what was answered once is not asked again
Cleaned     no secret comes back
Limited     where machines share a provider, each call has its turn
Retrying    passing failures are tried again
Budgeted    every attempt is paid from what may be spent
Recorded    every attempt is written down
the model   one attempt
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.models.layers.budget import Budgeted
from metier.models.layers.limited import Limited, TellPauses
from metier.models.layers.memo import Memo, MemoryStore
from metier.models.layers.record import Recorded
from metier.models.layers.redacted import Cleaned, Redacted
from metier.models.layers.retry import Retrying, RetryPolicy
from metier.models.ledger import Limits, MemoryLedger
from metier.models.price import unknown_price

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.layers.limited import ProviderTurns
    from metier.models.layers.memo import MemoStore
    from metier.models.layers.record import Call, Sink
    from metier.models.ledger import Ledger
    from metier.models.model import Model
    from metier.models.price import Price


class Calls:
    """A sink that keeps calls in a list."""

    def __init__(self) -> None:
        self.list: list[Call] = []

    def add(self, call: Call) -> None:
        """Keep one."""
        self.list.append(call)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """What the layers around a model need; the defaults live as long as the process."""

    redact: Callable[[str], str]
    """No default: whoever calls a model says how text is made safe."""
    memo: MemoStore = field(default_factory=MemoryStore)
    ledger: Ledger = field(default_factory=MemoryLedger)
    limits: Limits = field(default_factory=Limits)
    price: Price = unknown_price
    extra_tokens: int = 0
    """The most tokens that whoever answers adds to a request."""
    sink: Sink = field(default_factory=Calls)
    turns: ProviderTurns | None = None
    """Who else calls the same provider; None: nobody."""
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep


def build_stack(model: Model, layers: Layers) -> Model:
    """The model with every layer around it."""
    noted = Recorded(model, layers.sink, layers.price, layers.clock)
    paid = Budgeted(noted, layers.ledger, layers.limits, layers.price, layers.extra_tokens)
    told = paid if layers.turns is None else TellPauses(paid, layers.turns)
    patient = Retrying(told, layers.retry_policy, layers.clock, layers.sleep)
    in_turn = patient if layers.turns is None else Limited(patient, layers.turns)
    kept = Memo(Cleaned(in_turn, layers.redact), layers.memo, layers.clock)
    return Redacted(kept, layers.redact)
