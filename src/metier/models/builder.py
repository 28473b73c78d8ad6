"""From settings to something that can be asked, or the reason why there is nothing to ask."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from metier.errors import ConfigError
from metier.models.ledger import Limits
from metier.models.spec import ModelOptions, ModelSpec, parse_spec
from metier.types.questions import UNSET, NoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from metier.models.http.client import HttpModel
    from metier.models.programs.agent_program import AgentProgram
    from metier.models.pydantic_ai import ForeignProvider

OPTIONS = ("url", "key", "headers", "price")
"""What can be set beside a model, after `model_` or `embed_`."""
EXTRA = "pip install 'metier[providers]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """What the settings say about models."""

    model: ModelSpec | None = None
    embedder: ModelSpec | None = None
    limits: Limits = field(default_factory=Limits)


def model_settings(values: Mapping[str, object], sources: Mapping[str, str] | None = None) -> ModelSettings:
    """The specs and limits in settings, by their names; a setting that is not there is not set.

    `sources` say where each was given, for the error about it.
    """
    return ModelSettings(
        model=_spec(values, sources or {}, "model", "model"),
        embedder=_spec(values, sources or {}, "embed_model", "embed"),
        limits=Limits(
            calls=_limit(values, "budget_calls"),
            tokens=_limit(values, "budget_tokens"),
            usd=None if values.get("budget_usd") is None else Decimal(str(values["budget_usd"])),
        ),
    )


def build(
    spec: ModelSpec | None,
    environ: Mapping[str, str],
    clock: Callable[[], float] = time.monotonic,
    setting: str = "model_key",
) -> HttpModel | ForeignProvider | AgentProgram | NoModel:
    """The bare model a spec means: one attempt per call, none of the layers of `stack.py`."""
    if spec is None:
        return UNSET
    missing = next(_missing(spec, environ, setting), None)
    if missing is not None:
        return missing
    if spec.is_program:
        return _program(spec, environ)
    if spec.protocol == "pydantic-ai":
        return _foreign(spec, clock)
    from metier.models.http.client import HttpModel

    return HttpModel(spec, environ, clock)


def _missing(spec: ModelSpec, environ: Mapping[str, str], setting: str) -> Iterator[NoModel]:
    names = [spec.key_variable, *(value[1:] for _, value in spec.headers if value.startswith("$"))]
    for name in filter(None, names):
        value = environ.get(name, "").strip()
        if not value:
            fix = f"export {name}=…, or name another variable with {setting} (none: this server needs no key)."
            yield NoModel(reason=f"{spec.provider}:{spec.name} needs a key, and {name} is not set.", fix=fix)
        elif not (value.isascii() and value.isprintable()):
            yield NoModel(reason=f"{name} holds what can be no key.", fix=f"Set {name} again, without line breaks.")


def _program(spec: ModelSpec, environ: Mapping[str, str]) -> AgentProgram | NoModel:
    from metier.models.programs.agent_program import AgentProgram, command_of, find_program, is_started_by_metier

    if is_started_by_metier(environ):
        return NoModel(reason="Metier itself started the agent that runs this, so no further agent is started.")
    command = command_of(spec)
    program = find_program(command.PROGRAM, environ)
    if not program:
        reason = (
            f"{spec.provider}:{spec.name} is answered by {command.TITLE}, and there is no `{command.PROGRAM}` on PATH."
        )
        return NoModel(reason=reason, fix=f"Install {command.TITLE} and log in, or set another model.")
    return AgentProgram(spec, environ, program)


def _foreign(spec: ModelSpec, clock: Callable[[], float]) -> ForeignProvider | NoModel:
    try:
        from metier.models.pydantic_ai import ForeignProvider
    except ImportError as error:
        return NoModel(
            reason=f"'{spec.provider}' is reached through pydantic-ai, which is not here ({error}).", fix=EXTRA
        )
    return ForeignProvider(spec, clock=clock)


def _spec(values: Mapping[str, object], sources: Mapping[str, str], name: str, prefix: str) -> ModelSpec | None:
    text = str(values.get(name) or "").strip()
    if not text:
        return None
    options = ModelOptions(
        url=str(values.get(f"{prefix}_url") or ""),
        key_variable=str(values.get(f"{prefix}_key") or ""),
        headers=tuple(cast("Iterable[str]", values.get(f"{prefix}_headers") or ())),
        price=str(values.get(f"{prefix}_price") or ""),
    )
    try:
        return parse_spec(text, options)
    except ConfigError as error:
        given = [one for one in (name, *(f"{prefix}_{part}" for part in OPTIONS)) if values.get(one)]
        where = " and ".join(dict.fromkeys(sources[one] for one in given if one in sources))
        raise ConfigError(f"Setting '{name}'{f' in {where}' if where else ''}: {error}") from None


def _limit(values: Mapping[str, object], name: str) -> int | None:
    """A limit; 0 in the settings means none."""
    return cast("int", values.get(name) or 0) or None
