"""What tokens cost: a price of one's own, or the offline price table; unknown is None, never 0."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from metier.models.spec import PRICED_AS, price_name

if TYPE_CHECKING:
    from datetime import datetime

    from metier.models.model import Model
    from metier.models.spec import ModelSpec, PerMillion
    from metier.types import Tokens

SCRIPTED = ("scripted", "simulated")
"""How the identity of a model begins whose answers were written down before."""
MILLION = Decimal(1_000_000)


class Price(Protocol):
    """What a number of tokens costs."""

    def __call__(self, tokens: Tokens) -> Decimal | None:
        """US dollars; None: nobody knows."""
        ...


def price_of(spec: ModelSpec, at: datetime) -> Price:
    """The price of a model at a moment."""
    if spec.price is not None:
        return FlatPrice(spec.price)
    provider = price_name(spec.provider)
    name = PRICED_AS.get(spec.name, spec.name) if spec.is_program else spec.name
    return TablePrice(provider, name, at) if provider and spec.is_own_address else unknown_price


def unknown_price(tokens: Tokens) -> Decimal | None:  # noqa: ARG001
    """The price nobody knows."""
    return None


def price_of_own(model: Model) -> Price:
    """The price of a model that is an object and no name: scripted answers cost nothing, others nobody knows."""
    return no_price if model.identity.startswith(SCRIPTED) else unknown_price


def no_price(tokens: Tokens) -> Decimal | None:  # noqa: ARG001
    """The price of answers that no model gave."""
    return Decimal(0)


class FlatPrice:
    """A price per million tokens; what came from a cache is charged in full."""

    def __init__(self, price: PerMillion) -> None:
        self.price = price

    def __call__(self, tokens: Tokens) -> Decimal | None:
        """US dollars."""
        given = tokens.input + tokens.cache_read + tokens.cache_write
        return (self.price.input * given + self.price.output * tokens.output) / MILLION


class TablePrice:
    """The price in the table that `genai-prices` ships; nothing is fetched."""

    def __init__(self, provider: str, name: str, at: datetime) -> None:
        self.provider = provider
        self.name = name
        self.at = at
        self._looked_up = lru_cache(maxsize=1024)(self._look_up)

    def __call__(self, tokens: Tokens) -> Decimal | None:
        """US dollars; None when the table lacks the model."""
        return self._looked_up(tokens)

    def _look_up(self, tokens: Tokens) -> Decimal | None:
        from genai_prices import Usage, calc_price

        usage = Usage(
            input_tokens=tokens.input + tokens.cache_read + tokens.cache_write,
            output_tokens=tokens.output,
            cache_read_tokens=tokens.cache_read,
            cache_write_tokens=tokens.cache_write,
        )
        try:
            found = calc_price(usage, self.name, provider_id=self.provider, genai_request_timestamp=self.at)
        except (LookupError, ValueError):
            return None
        return found.total_price
