"""Who is asked which skills a task needs: the configured model with every layer around it, one handed in, or nobody."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.context.models.access import models_of
from metier.selection.choosing.model_call import Adviser
from metier.types.questions import NoModel

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from metier.context.context import Context
    from metier.models.model import Model
    from metier.models.price import Price


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The one to ask, or why nobody is."""

    adviser: Adviser | None = None
    note: str = ""
    """Why a model that is set is not asked."""


@contextmanager
def selection_model(
    ctx: Context, *, model: bool | Model, environ: Mapping[str, str] | None = None
) -> Generator[Advice]:
    """The adviser for the time of a selection; afterwards its connections are closed, whatever still hangs in them."""
    if model is False or (model is True and not ctx.config.models.model):
        yield Advice()
        return
    if model is not True:
        from metier.models.price import unknown_price

        yield Advice(adviser=_adviser(ctx, model, unknown_price))
        return
    from metier.models.builder import build

    found = models_of(ctx.settings).model
    if found is None or found.is_program:  # it takes longer to start than a selection may take
        yield Advice()
        return
    bare = build(found, os.environ if environ is None else environ)
    if isinstance(bare, NoModel):
        yield Advice(note=bare.reason)
        return
    from metier.models.price import price_of

    try:
        yield Advice(adviser=_adviser(ctx, bare, price_of(found, ctx.clock()), f"{found.provider}:{found.name}"))
    finally:
        bare.close()


def _adviser(ctx: Context, model: Model, price: Price, provider: str = "") -> Adviser:
    """A model with every layer around it. Decisions are kept, replies are not: a useless one would be for ever."""
    from metier.context.models.spending import StoreCalls, StoreLedger
    from metier.models.layers.stack import Layers, build_stack

    layers = Layers(
        redact=ctx.redact,
        ledger=StoreLedger(ctx),
        limits=models_of(ctx.settings).limits,
        price=price,
        sink=StoreCalls(ctx),
    )
    return Adviser(model=build_stack(model, layers), clock=time.monotonic, provider=provider)
