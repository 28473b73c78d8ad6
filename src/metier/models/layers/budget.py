"""A model that spends no more than it may: an upper bound is reserved before each call, settled after it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from metier.models.failures import FAILURES, Malformed, OverBudget
from metier.models.ledger import Amount
from metier.models.model import Reply, Vectors
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from metier.models.failures import Failure
    from metier.models.ledger import Ledger, Limits
    from metier.models.model import Model, Request, Texts
    from metier.models.price import Price

R = TypeVar("R", Reply, Vectors)
PER_MESSAGE = 16
"""Tokens a protocol may add around one message."""
THOUGHTS = 1024
"""Tokens a model that was told to think may write beyond the limit of its answer."""
PER_SCHEMA = 1024
"""Tokens a provider may add to explain that the answer must fit a schema."""


class Budgeted:
    """A model that refuses what could pass a limit."""

    def __init__(self, model: Model, ledger: Ledger, limits: Limits, price: Price, extra: int = 0) -> None:
        self.model = model
        self.identity = model.identity
        self.ledger = ledger
        self.limits = limits
        self.price = price
        self.extra = extra
        """Tokens that whoever answers may add to a request."""

    def complete(self, request: Request) -> Reply | Failure:
        """A reply the budget can bear."""
        bound = most_tokens(request)
        if self.extra:  # an agent, which thinks before it answers
            bound = replace(bound, input=bound.input + self.extra, output=request.max_tokens + THOUGHTS)
        return self._spend(bound, lambda: self.model.complete(request))

    def embed(self, texts: Texts) -> Vectors | Failure:
        """Vectors the budget can bear."""
        return self._spend(Tokens(input=_bytes(texts.texts)), lambda: self.model.embed(texts))

    def _spend(self, bound: Tokens, call: Callable[[], R | Failure]) -> R | Failure:
        reservation = self.ledger.reserve(self._amount(bound), self.limits)
        if isinstance(reservation, OverBudget):
            return reservation
        result = call()  # if this raises, the reservation stays: nobody knows what was charged
        spent = self._spent(result)
        self.ledger.settle(reservation, reservation.amount if spent is None else spent)
        return result

    def _spent(self, result: Reply | Vectors | Failure) -> Amount | None:
        """What a call took; None when nobody knows, and the bound stands for it."""
        if isinstance(result, FAILURES) and not isinstance(result, Malformed):
            return None if result.billed else Amount()
        if isinstance(result, Reply) and result.cost_usd is not None:
            return Amount(calls=1, tokens=_count(result.tokens or Tokens()), usd=result.cost_usd)
        return None if result.tokens is None else self._amount(result.tokens)

    def _amount(self, tokens: Tokens) -> Amount:
        count = _count(tokens)
        usd = self.price(tokens)
        if usd is None:
            return Amount(calls=1, tokens=count, unpriced=1)
        return Amount(calls=1, tokens=count, usd=usd)


def _count(tokens: Tokens) -> int:
    return tokens.input + tokens.output + tokens.cache_read + tokens.cache_write


def most_tokens(request: Request) -> Tokens:
    """The most tokens a request can take: a token stands for at least one byte, and the reply has its own limit."""
    texts = [request.system, *(message.text for message in request.messages)]
    given = _bytes(texts) + PER_MESSAGE * (len(texts) + 1)
    if request.schema:
        given += 2 * len(request.schema.json.encode("utf-8", "replace")) + PER_SCHEMA
    thoughts = THOUGHTS if request.thinking else 0
    return Tokens(input=given, output=request.max_tokens + thoughts)


def _bytes(texts: Iterable[str]) -> int:
    return sum(len(text.encode("utf-8", "replace")) + PER_MESSAGE for text in texts)
