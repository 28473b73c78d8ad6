"""Other providers, through pydantic-ai, behind the same seam."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

pytest.importorskip("pydantic_ai", reason="metier[providers] is not installed")

from pydantic_ai.embeddings import TestEmbeddingModel
from pydantic_ai.exceptions import ModelHTTPError, UnexpectedModelBehavior, UserError
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

from metier.models.answers import Answer, ask
from metier.models.failures import Malformed, RateLimited, Refused, TimedOut, Unreachable
from metier.models.model import Message, Reply, Request, Texts, Vectors
from metier.models.pydantic_ai import ForeignProvider
from metier.models.spec import parse_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

SPEC = parse_spec("bedrock:some-model")


@contextmanager
def asked(function: Any) -> Iterator[ForeignProvider]:
    with ForeignProvider(SPEC, FunctionModel(function)) as model:
        yield model


def test_a_reply_comes_through_with_its_tokens(hello: Request) -> None:
    seen: list[Any] = []

    async def answer(messages: Any, info: Any) -> ModelResponse:
        seen.extend(messages)
        return ModelResponse(parts=[TextPart("hel"), TextPart("lo")], finish_reason="length")

    talk = (Message(text="a"), Message(text="b", role="assistant"), Message(text="c"))
    with asked(answer) as model:
        reply = model.complete(replace(hello, messages=talk))
    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish) == ("hello", "length")
    assert reply.tokens is not None
    texts = [part.content for message in seen for part in message.parts]
    assert texts == ["Be brief.", "a", "b", "c"]


class Shape(BaseModel):
    number: int


def test_a_typed_answer_is_asked_for_in_words(hello: Request) -> None:
    async def answer(messages: Any, info: Any) -> ModelResponse:
        return ModelResponse(parts=[TextPart('{"number": 7}')])

    with asked(answer) as model:
        result = ask(model, hello, Shape)
    assert isinstance(result, Answer)
    assert result.value.number == 7


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ModelHTTPError(429, "m"), RateLimited),
        (ModelHTTPError(503, "m"), Unreachable),
        (ModelHTTPError(400, "m"), Refused),
        (UnexpectedModelBehavior("odd"), Malformed),
        (UserError("set AWS_REGION"), Refused),
        (OSError("broken"), Unreachable),
    ],
)
def test_foreign_errors_become_ours(hello: Request, error: Exception, kind: type[object]) -> None:
    async def answer(messages: Any, info: Any) -> ModelResponse:
        raise error

    with asked(answer) as model:
        assert isinstance(model.complete(hello), kind)


def test_an_answer_without_text_is_malformed(hello: Request) -> None:
    async def answer(messages: Any, info: Any) -> ModelResponse:
        return ModelResponse(parts=[])

    with asked(answer) as model:
        assert isinstance(model.complete(hello), Malformed)


def test_the_time_limit_holds(hello: Request) -> None:
    async def answer(messages: Any, info: Any) -> ModelResponse:
        await asyncio.sleep(30)
        raise AssertionError

    began = time.monotonic()
    with asked(answer) as model:
        assert isinstance(model.complete(replace(hello, timeout=0.2)), TimedOut)
    assert time.monotonic() - began < 5


def test_closing_ends_the_calls_under_way(hello: Request) -> None:
    began = threading.Event()

    async def answer(messages: Any, info: Any) -> ModelResponse:
        began.set()
        await asyncio.sleep(30)
        raise AssertionError

    with ThreadPoolExecutor(1) as pool:
        with asked(answer) as model:
            waiting = pool.submit(model.complete, replace(hello, timeout=30.0))
            assert began.wait(10)
        assert not isinstance(waiting.result(5), Reply)


def test_a_missing_key_or_package_is_a_refusal_with_its_reason(hello: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CO_API_KEY", raising=False)
    with ForeignProvider(parse_spec("cohere:command-r")) as model:
        result = model.complete(hello)
    assert isinstance(result, Refused), result
    assert result.reason


def test_texts_are_embedded() -> None:
    with ForeignProvider(SPEC, embedder=TestEmbeddingModel(dimensions=3)) as model:
        result = model.embed(Texts(texts=("a", "b"), timeout=5))
    assert isinstance(result, Vectors)
    assert result.vectors == ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))


def test_nothing_else_loads_pydantic_ai() -> None:
    code = (
        "import sys, metier.models.check, metier.models.layers.stack, metier.models.http.client\n"
        "print('pydantic_ai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"
