"""Ask for an answer of a given type: validated, with one attempt at repair."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from metier.models.failures import Malformed, TimedOut, one_line
from metier.models.memo_keys import prompt_hash
from metier.models.model import Message, Reply
from metier.models.wire.schemas import schema_of
from metier.prompts import load, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from metier.models.failures import Failure
    from metier.models.model import Model, Request

T = TypeVar("T", bound=BaseModel)
SHOWN = 8_000
"""Characters of a bad answer that are shown to the model again."""
FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)
THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
TRIES = 32
"""Braces in a text at which an object is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[T]):
    """A typed answer, and what it took."""

    value: T
    prompt_hash: str
    """Of the request as it was first sent."""
    model: str
    """The identity of what answered."""
    repaired: bool = False


def ask(
    model: Model, request: Request, kind: type[T], clock: Callable[[], float] = time.monotonic
) -> Answer[T] | Failure:
    """An answer of the given pydantic type, or why there is none; `request.timeout` holds for both attempts."""
    deadline = clock() + request.timeout
    request = _shaped(request, kind)
    reply = model.complete(request)
    if not isinstance(reply, Reply):
        return reply
    value, error = read_answer(reply, kind)
    if value is not None:
        return Answer(value=value, prompt_hash=prompt_hash(request), model=model.identity)
    left = deadline - clock()
    if left <= 0:
        return TimedOut(reason=f"no time was left to repair an unusable answer: {error}")
    second = model.complete(replace(_repairing(request, reply, error), timeout=left))
    if not isinstance(second, Reply):
        return second
    value, error = read_answer(second, kind)
    if value is not None:
        return Answer(value=value, prompt_hash=prompt_hash(request), model=model.identity, repaired=True)
    return Malformed(reason=f"two answers could not be used: {error}", text=one_line(second.text), tokens=second.tokens)


def read_answer(reply: Reply, kind: type[T]) -> tuple[T | None, str]:
    """The value in a reply, or what is wrong with it in words for the model."""
    problem = ""
    for text in _candidates(reply.text):
        try:
            return kind.model_validate_json(text, strict=True), ""
        except ValidationError as error:
            problem = problem or _problem(error)
    if reply.finish == "length":
        problem = "it was cut off at the token limit; be much shorter"
    return None, problem


def _candidates(text: str) -> Iterator[str]:
    """The places where the JSON may stand, the likeliest first."""
    text = THOUGHT.sub("", text).strip()
    yield text
    yield from (found[1] for found in FENCE.finditer(text))
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        yield text[start : end + 1]
        yield from _objects(text, start)


def _objects(text: str, start: int) -> Iterator[str]:
    """The objects that stand one after the other in a text, from the first brace on."""
    for _ in range(TRIES):
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield text[start:end]
        start = text.find("{", end)
        if start < 0:
            return


def _problem(error: ValidationError) -> str:
    wrong = error.errors(include_url=False, include_input=False, include_context=False)
    parts = [f"{'.'.join(map(str, one['loc'])) or 'the whole'}: {one['msg']}" for one in wrong[:5]]
    return one_line("; ".join(parts) + ("; and more" if len(wrong) > 5 else ""), 800)


def _shaped(request: Request, kind: type[BaseModel]) -> Request:
    schema = schema_of(kind)
    words = render(_prompt("format"), schema=schema.json).strip()
    return replace(request, schema=schema, system=f"{request.system}\n\n{words}".strip())


def _repairing(request: Request, reply: Reply, error: str) -> Request:
    shown = Message(role="assistant", text=reply.text.strip()[:SHOWN].strip() or "(empty)")
    asked = Message(text=render(_prompt("repair"), error=error).strip())
    return replace(request, messages=(*request.messages, shown, asked))


@cache
def _prompt(name: str) -> str:
    return load("metier.models", name)
