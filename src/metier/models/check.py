"""Try what is configured, and say what is wrong and how to put it right."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from metier.models.answers import Answer, ask
from metier.models.builder import build
from metier.models.failures import Failure, Malformed, OverBudget, RateLimited, Refused, TimedOut, Unreachable
from metier.models.model import Message, Reply, Request, Texts, Vectors
from metier.models.price import price_of
from metier.models.spec import keys_of
from metier.types import Tokens
from metier.types.questions import NoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from metier.models.ledger import Amount, Limits
    from metier.models.model import Model
    from metier.models.price import Price
    from metier.models.spec import ModelSpec

TIMEOUT = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One thing that was tried."""

    name: str
    state: Literal["ok", "warning", "problem"]
    text: str
    fix: str = ""


if TYPE_CHECKING:
    Steps = Callable[[Model, Callable[[], float]], Iterator[CheckResult]]


class ProbeAnswer(BaseModel):
    """The answer a structured check asks for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    word: str
    number: int


def check_models(
    spec: ModelSpec | None,
    environ: Mapping[str, str],
    at: datetime,
    embedder: ModelSpec | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> list[CheckResult]:
    """What works and what does not: a tiny completion, a structured one, an embedding if one is configured."""
    results: list[CheckResult] = []
    if spec is None:
        results.append(CheckResult(name="model", state="ok", text="no model is set: learning uses heuristics"))
    else:
        price = price_of(spec, at)
        steps: Steps = lambda model, clock: _completions(model, clock, price)  # noqa: E731
        tried = _tried(spec, environ, clock, steps)
        cannot_ask = any(one.name == "model" and one.state == "problem" for one in tried)
        results += tried if cannot_ask else [*_about(spec, at), *tried]
    if embedder is not None:
        results += _tried(embedder, environ, clock, _embedding)
    secrets = [key for one in (spec, embedder) if one for key in keys_of(one, environ)]
    return [_without(result, secrets) for result in results]


def check_budget(spent: Amount, limits: Limits, pending: int = 0) -> CheckResult:
    """What was spent today beside what may be; a limit that is reached is a note, for tomorrow it is not."""
    parts = [
        f"{spent.calls:,}{_of(limits.calls)} calls" + (f" ({pending:,} under way, or cut off)" if pending else ""),
        f"{spent.tokens:,}{_of(limits.tokens)} tokens",
        _money(spent, limits),
    ]
    full = [
        name
        for name, limit, value in (("calls", limits.calls, spent.calls), ("tokens", limits.tokens, spent.tokens))
        if limit is not None and value >= limit
    ]
    if limits.usd is not None and spent.usd >= limits.usd:
        full.append("usd")
    fix = f"Nothing more is asked before midnight UTC, unless you raise budget_{full[0]}." if full else ""
    return CheckResult(name="today", state="warning" if full else "ok", text=", ".join(parts), fix=fix)


def _of(limit: int | None) -> str:
    return "" if limit is None else f" of {limit:,}"


def _money(spent: Amount, limits: Limits) -> str:
    most = "" if limits.usd is None else f" of ${limits.usd}"
    known = f"${spent.usd:.4f}{most}"
    if not spent.unpriced:
        return known
    unknown = f"{spent.unpriced:,} calls of unknown price"
    return f"{known} and {unknown}" if spent.usd or most else unknown


def _about(spec: ModelSpec, at: datetime) -> Iterator[CheckResult]:
    key = f"key from {spec.key_variable}" if spec.key_variable else "no key"
    if spec.is_program:
        key = "the agent's own login, a process for each question"
    yield CheckResult(name="model", state="ok", text=f"{spec.name} at {spec.base_url or spec.provider}, {key}")
    parts = urlsplit(spec.base_url)
    if parts.scheme == "http" and spec.key_variable and not _is_here(parts.hostname or ""):
        yield CheckResult(
            name="address", state="warning", text="the key travels unencrypted", fix="Use an https:// address."
        )
    if price_of(spec, at)(Tokens(input=1, output=1)) is None:
        fix = 'Set model_price = "INPUT/OUTPUT" in dollars per million tokens if you limit money.'
        yield CheckResult(name="price", state="warning", text="unknown: costs cannot be told", fix=fix)


def _tried(
    spec: ModelSpec,
    environ: Mapping[str, str],
    clock: Callable[[], float],
    steps: Steps,
) -> list[CheckResult]:
    model = build(spec, environ, clock)
    if isinstance(model, NoModel):
        return [CheckResult(name="model", state="problem", text=model.reason, fix=model.fix)]
    with model:
        return list(steps(model, clock))


def _completions(model: Model, clock: Callable[[], float], price: Price) -> Iterator[CheckResult]:
    began = clock()
    asked = Request(messages=(Message(text="Say: ready"),), max_tokens=1024, timeout=TIMEOUT, stage="check")
    reply = model.complete(asked)
    if not isinstance(reply, Reply):
        yield _problem("completion", reply)
        return
    text = f"answered in {clock() - began:.1f} s, {_cost_text(reply, price)}"
    yield CheckResult(name="completion", state="ok", text=text)
    question = "Give the word 'seven' as word and the number 7 as number."
    request = Request(messages=(Message(text=question),), max_tokens=4096, timeout=TIMEOUT, stage="check")
    answer = ask(model, request, ProbeAnswer, clock)
    if not isinstance(answer, Answer):
        yield _problem("structured", answer)
        return
    text = "JSON of the asked shape" + (", after one repair" if answer.repaired else "")
    yield CheckResult(name="structured", state="ok", text=text)


def _cost_text(reply: Reply, price: Price) -> str:
    """What this small question took."""
    if reply.tokens is None:
        return "the server counts no tokens: budgets reckon with the most"
    tokens = reply.tokens
    count = tokens.input + tokens.output + tokens.cache_read + tokens.cache_write
    cost = reply.cost_usd if reply.cost_usd is not None else price(tokens)
    return f"{count:,} tokens" + ("" if cost is None else f", ${cost:.5f}")


def _embedding(model: Model, clock: Callable[[], float]) -> Iterator[CheckResult]:
    began = clock()
    result = model.embed(Texts(texts=("one", "two"), timeout=TIMEOUT, stage="check"))
    if not isinstance(result, Vectors):
        yield _problem("embedding", result)
        return
    size = len(result.vectors[0])
    yield CheckResult(name="embedding", state="ok", text=f"{size} numbers a text, in {clock() - began:.1f} s")


def _problem(name: str, failure: Failure) -> CheckResult:
    return CheckResult(name=name, state="problem", text=failure.reason, fix=_fix(failure))


def _fix(failure: Failure) -> str:
    match failure:
        case Unreachable():
            return (
                "Is the server running, and its address right? Look at model_url, the network and the proxy variables."
            )
        case TimedOut():
            return f"Nothing within {TIMEOUT:g} s: try again, or take a faster model."
        case RateLimited():
            return "Wait, or ask the provider for a higher limit."
        case Refused():
            return _refused_fix(failure)
        case Malformed():
            return "Does the address speak this protocol? It usually ends in /v1; else take a stronger model."
        case OverBudget():
            return "Raise the budget."
        case _:
            assert_never(failure)


def _refused_fix(failure: Refused) -> str:
    if failure.status in (401, 403):
        return "Check the key in the variable named above, and what it may be used for."
    if failure.status == 404:
        return "Check the model's name and the end of the address (most want /v1)."
    if failure.status == 402 or "credit" in failure.reason:
        return "Add credit to the provider's account."
    return "Read what the server says; the model's name or an option may not fit."


def _is_here(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _without(result: CheckResult, secrets: list[str]) -> CheckResult:
    text = result.text
    for secret in secrets:
        text = text.replace(secret, "[key]")
    return CheckResult(name=result.name, state=result.state, text=text, fix=result.fix)
