"""One call of a model that ends in time whatever the model does, with a record of all that was said."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.formats.strict_json import clean
from metier.models.failures import Malformed, TimedOut, Unreachable, kind, one_line
from metier.models.model import Message, Reply
from metier.types import Tokens  # noqa: TC001 - interactions are kept, and read back by their types

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.failures import Failure
    from metier.models.model import Model, Request

GRACE = 0.25
"""Seconds beyond its limit that a model has to say itself that it ran out of time."""
KEPT = 20_000
"""Characters of a reply that are kept in the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adviser:
    """The model that is asked, and the clock that measures how long it took."""

    model: Model
    clock: Callable[[], float]
    provider: str = ""
    """Who runs it; empty: what the model's identity says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """What a model was asked and what it said."""

    stage: str
    model: str
    """The name the server gave, or the identity of what was asked."""
    provider: str
    messages: tuple[Message, ...]
    reply: str = ""
    finish: str = ""
    """`stop`, `length`, `other`, or the kind of failure, such as `timed_out`."""
    usage: Tokens | None = None
    seconds: float = 0.0
    problem: str = ""
    """Why there is no reply that could be used; empty when there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call that is over: its record, and the text to read if there is one."""

    interaction: Interaction
    text: str | None


def call_model(adviser: Adviser, request: Request) -> ModelCall:
    """The outcome of one call, at the latest when its time is up; nothing is raised for what a model does."""
    began = adviser.clock()
    outcome = _in_time(adviser.model, request)
    identity = adviser.model.identity
    record = Interaction(
        stage=request.stage,
        model=identity,
        provider=adviser.provider or identity,
        messages=request.messages,
        seconds=max(0.0, adviser.clock() - began),
    )
    return _with_reply(record, outcome) if isinstance(outcome, Reply) else _with_failure(record, outcome)


def _with_reply(record: Interaction, reply: Reply) -> ModelCall:
    problem = _problem(reply)
    said = replace(
        record,
        model=reply.model or record.model,
        reply=clean(reply.text[:KEPT]),
        finish=reply.finish,
        usage=reply.tokens,
        problem=problem,
    )
    return ModelCall(interaction=said, text=None if problem else reply.text)


def _with_failure(record: Interaction, failure: Failure) -> ModelCall:
    said = replace(record, finish=kind(failure), problem=failure.reason)
    if isinstance(failure, Malformed):
        said = replace(said, reply=clean(failure.text[:KEPT]), usage=failure.tokens)
    return ModelCall(interaction=said, text=None)


def _problem(reply: Reply) -> str:
    if reply.finish == "other":
        return "the model stopped for a reason that is no end of an answer"
    return "" if reply.text.strip() else "the reply is empty"


def _in_time(model: Model, request: Request) -> Reply | Failure:
    """What the model says; one that does not come back is left behind in its own thread."""
    if request.timeout <= 0:
        return TimedOut(reason="there was no time to ask")
    came: list[Reply | Failure] = []

    def call() -> None:
        try:
            came.append(model.complete(request))
        except Exception as error:  # noqa: BLE001 - whatever a model does, a selection goes on
            came.append(Unreachable(reason=f"the model broke: {one_line(repr(error))}"))

    thread = threading.Thread(target=call, name=f"selection: {request.stage}", daemon=True)
    thread.start()
    thread.join(request.timeout + GRACE)
    return came[0] if came else TimedOut(reason=f"no answer in {request.timeout:g} s", billed=True)
