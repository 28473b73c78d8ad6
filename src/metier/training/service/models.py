"""The models a training asks: each with every layer around it, all of them spending from one account."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.context.models.access import models_of
from metier.context.models.turns import turns_of
from metier.errors import ConfigError, RefusedError
from metier.models.builder import build
from metier.models.layers.stack import Layers
from metier.models.price import price_of, price_of_own, unknown_price
from metier.models.spec import parse_spec
from metier.training.service.budget import StoredCalls, StoredReplies
from metier.training.service.ledger import BLOCKS, TrainingLedger
from metier.training.service.stack import model_stack
from metier.types import Tokens
from metier.types.questions import NoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metier.context.context import Context
    from metier.models.http.client import HttpModel
    from metier.models.layers.limited import ProviderTurns
    from metier.models.ledger import Limits
    from metier.models.model import Model
    from metier.models.price import Price
    from metier.models.programs.agent_program import AgentProgram
    from metier.models.pydantic_ai import ForeignProvider
    from metier.models.spec import ModelSpec
    from metier.store.engines.batched_writes import BatchedWrites
    from metier.training.service.budget import StopSignal

ONE = Tokens(input=1)
REMEMBERED = 1024
"""Texts whose redaction is remembered: a skill is in every question, a case comes again and again."""


class TrainingModels:
    """Opens models by their text; the same text is the same model."""

    def __init__(
        self,
        ctx: Context,
        grouped: BatchedWrites,
        account: str,
        limits: Limits,
        closing: StopSignal,
        *,
        shared: bool = False,
    ) -> None:
        """Shared: other machines spend from the same account, so nothing is reserved ahead or taken for known."""
        self._ctx = ctx
        self._limits = limits
        self._sleep = closing.sleep
        self._is_over = closing.stopped.is_set
        self.memo = StoredReplies(ctx, grouped, shared=shared)
        self._daily = _daily_limits(ctx, limits)
        blocks = () if shared else BLOCKS
        self.ledger = TrainingLedger(ctx, grouped, account, self._daily, closing, blocks=blocks)
        self._calls = StoredCalls(ctx, grouped)
        self._redact: Callable[[str], str] = lru_cache(maxsize=REMEMBERED)(ctx.redact)
        self._bare: list[HttpModel | ForeignProvider | AgentProgram] = []
        self._open: dict[str, Model] = {}

    def open(self, asked: str | Model, environ: Mapping[str, str]) -> Model:
        """The model a text names, the configured one for none; a ConfigError says what is missing."""
        if not isinstance(asked, str):
            return self._layered(asked, price_of_own(asked))
        spec = spec_of(self._ctx, asked)
        if spec.identity not in self._open:
            bare = build(spec, environ)
            if isinstance(bare, NoModel):
                raise ConfigError(f"{bare.reason} {bare.fix}".strip())
            self._bare.append(bare)
            self._open[spec.identity] = self._layered(
                bare, price_of(spec, self._ctx.clock()), spec.extra_tokens, self._turns(spec.provider)
            )
        return self._open[spec.identity]

    def _turns(self, provider: str) -> ProviderTurns | None:
        return turns_of(self._ctx, provider, self._sleep, self._is_over)

    def _layered(self, bare: Model, price: Price, extra_tokens: int = 0, turns: ProviderTurns | None = None) -> Model:
        if self._limits.usd is not None and price(ONE) is None:
            raise ConfigError(
                f"The price of {bare.identity} is unknown, so a limit in dollars cannot be kept. Set its price "
                "(docs/models.md), or limit calls or tokens instead."
            )
        layers = Layers(
            redact=self._redact,
            memo=self.memo,
            ledger=self.ledger,
            limits=self._limits,
            price=price,
            extra_tokens=extra_tokens,
            sink=self._calls,
            turns=turns,
            sleep=self._sleep,
        )
        return model_stack(bare, layers)

    def check_payable(self, asked: str | Model) -> None:
        """Refuse a model of which not one call may be paid, before anything is done for it."""
        price = self.price(asked) if isinstance(asked, str) else price_of_own(asked)
        if self._daily.usd is None or self._daily.usd or price(ONE) == 0:
            return
        name = asked or "the model that is set" if isinstance(asked, str) else asked.identity
        raise RefusedError(
            f"The optimiser ({name.partition('@')[0]}) cannot be asked: nothing may be spent (budget_usd is 0). "
            "Nothing was started. Allow some: metier config set budget_usd 2, or for this training: --budget calls=200"
        )

    def price(self, asked: object) -> Price:
        """What a model's tokens cost that a text names; nobody knows it of anything else."""
        return price_of(spec_of(self._ctx, asked), self._ctx.clock()) if isinstance(asked, str) else unknown_price

    def close(self) -> None:
        """End all connections; questions under way end without an answer."""
        for bare in self._bare:
            bare.close()


def identity_of(ctx: Context, asked: str | Model) -> str:
    """What determines a model's replies, known before it is opened."""
    return spec_of(ctx, asked).identity if isinstance(asked, str) else asked.identity


def _daily_limits(ctx: Context, own: Limits) -> Limits:
    """What the day has left; a training's own budget takes the place of the day's."""
    daily = models_of(ctx.settings).limits
    return replace(daily, usd=None, calls=None) if own.usd is not None or own.calls is not None else daily


def spec_of(ctx: Context, text: str) -> ModelSpec:
    """What a text, or the settings, say about a model."""
    if text.strip():
        return parse_spec(text)
    found = models_of(ctx.settings).model
    if found is None:
        raise ConfigError(
            "No model is set. The optimiser, which proposes edits, needs one whatever --target runs the cases. Set one "
            "(METIER_MODEL=anthropic:NAME and its key), or name it: --optimiser openai:NAME@http://127.0.0.1:8000/v1. "
            "Without a key: metier demo trains with a scripted model, and so does the Python API (docs/training.md)."
        )
    return found
