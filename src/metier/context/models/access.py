"""Which model a workspace asks and what it may spend: the configured one, or why there is none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from metier.context.models.consent import has_consent, recipient_of
from metier.models.ledger import UNPRICED_CALLS
from metier.types import Tokens
from metier.types.questions import UNSET, NoModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.config import Config, Settings
    from metier.context.context import Context
    from metier.context.models.line import ModelAsker, ModelLine, RemoteEmbedder
    from metier.models.builder import ModelSettings

Setting = Literal["model", "embed_model"]
TELL_COST = ("claude-code",)
"""Agents that say what a rollout took in dollars, when they are the target."""
STARTING = 45.0
"""Further seconds for a program that answers: it starts, and it thinks before it answers."""
BUILT_IN = NoModel(
    reason="No model for embeddings is set: the built-in one is used.",
    fix="Set one: metier config set embed_model openai:NAME",
)


def asker_of(
    ctx: Context, environ: Mapping[str, str] | None = None, *, within: float | None = None
) -> ModelAsker | NoModel:
    """Who answers this workspace's questions, or why nobody does; `within`: seconds for all questions together."""
    line = _line(ctx, os.environ if environ is None else environ, "model")
    if isinstance(line, NoModel):
        return line
    if not may_send(ctx):
        line.close()
        return _not_allowed(line.name)
    from metier.context.models.line import ModelAsker

    return ModelAsker(line, limits_of(ctx.config, is_program=line.is_program), within)


def _not_allowed(name: str) -> NoModel:
    return NoModel(
        reason=f"Text of your sessions is not sent to {name} before you say yes; heuristics do the work.",
        fix="See what would be sent, and say yes: metier models allow",
    )


def may_send(ctx: Context) -> bool:
    """Whether text of sessions may go to the model that is set."""
    spec = models_of(ctx.settings).model
    return spec is not None and has_consent(ctx, recipient_of(spec))


def what_is_sent(ctx: Context) -> str:
    """What learning may spend, or what it waits for before it asks the model; empty where none is set."""
    name = ctx.config.models.model
    if name and not may_send(ctx):
        found = _not_allowed(name)
        return f"{found.reason} {found.fix}"
    return budget_line(ctx)


def models_of(settings: Settings) -> ModelSettings:
    """The models and limits that settings name; a ConfigError says what is wrong with one, and where it stands."""
    from metier.models.builder import model_settings

    return model_settings(settings.config.flat(), settings.sources)


def budget_line(ctx: Context, named: Sequence[str] = ()) -> str:
    """What may be spent today, in one line; empty where no model is set or named."""
    asked = list(dict.fromkeys(one or ctx.config.models.model for one in named or ("",)))
    names = {one: one.partition("@")[0] for one in asked if one}
    if not names:
        return ""
    from metier.context.models.spending import spent_today

    spent, limits = spent_today(ctx).spent, models_of(ctx.settings).limits
    unpriced = list(dict.fromkeys(name for one, name in names.items() if not _is_priced(ctx, one)))
    all_names = list(dict.fromkeys(names.values()))
    said = f"Model {' and '.join(all_names)}:"
    if unpriced and not limits.usd:
        return f"{said} nothing may be spent (budget_usd is 0). Change it: metier config set budget_usd 2"
    money = f"at most ${ctx.config.models.budget_usd:.2f} a day, ${spent.usd:.2f} of it spent"
    most, made = (UNPRICED_CALLS, spent.unpriced) if limits.calls is None else (limits.calls, spent.calls)
    calls = f"price unknown: at most {most} calls today, {made} made"
    if not unpriced:
        return f"{said} {money}. Change it: metier config set budget_usd 2"
    if unpriced != all_names:
        calls = f"{money}; {' and '.join(unpriced)}: {calls}"
    return f"{said} {calls}. Change it: metier config set budget_calls 500"


def _is_priced(ctx: Context, asked: str) -> bool:
    """Whether the limit on money holds for a model or an agent: its price is known, or it tells what it took."""
    from metier.models.price import price_of
    from metier.models.spec import parse_spec

    if ":" not in asked:
        return asked.split(maxsplit=1)[0] in TELL_COST
    spec = models_of(ctx.settings).model if asked == ctx.config.models.model else parse_spec(asked)
    return spec is not None and price_of(spec, ctx.clock())(Tokens(input=1, output=1)) is not None


def embedder_of(ctx: Context, environ: Mapping[str, str] | None = None) -> RemoteEmbedder | NoModel:
    """The model that turns this workspace's texts into vectors, or why it is the built-in one."""
    line = _line(ctx, os.environ if environ is None else environ, "embed_model")
    if isinstance(line, NoModel):
        return line
    from metier.context.models.line import RemoteEmbedder

    return RemoteEmbedder(line)


def _line(ctx: Context, environ: Mapping[str, str], name: Setting) -> ModelLine | NoModel:
    nobody = UNSET if name == "model" else BUILT_IN
    if not ctx.config.flat()[name]:
        return nobody
    from metier.models.builder import build

    found = models_of(ctx.settings)
    spec = found.model if name == "model" else found.embedder
    if spec is None:
        return nobody
    bare = build(spec, environ, setting="model_key" if name == "model" else "embed_key")
    if isinstance(bare, NoModel):
        return bare
    from metier.context.models.line import ModelLine

    return ModelLine(ctx, bare, spec, found.limits)


def limits_of(settings: Config, *, is_program: bool = False) -> dict[str, float]:
    """Seconds that a question of each stage may take; a program has to start first."""
    limits = {
        "judge": settings.learning.judge_timeout,
        "cluster": settings.learning.cluster_timeout,
        "draft": settings.learning.draft_timeout,
    }
    return {stage: seconds + STARTING if is_program else seconds for stage, seconds in limits.items()}
