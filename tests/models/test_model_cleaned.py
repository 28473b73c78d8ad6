"""What comes back is redacted before anybody keeps or reads it, and stays an answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from loopback import answers

from metier.models.failures import Malformed, Refused, Unreachable
from metier.models.layers.memo import MemoryStore
from metier.models.layers.redacted import Cleaned
from metier.models.layers.stack import Layers, build_stack
from metier.models.model import Reply, Request, Texts, Vectors
from metier.models.scripted import Scripted, fails, on, says
from metier.redaction import Redactor
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Served

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
REDACT = Redactor(b"key").redact


def test_the_first_answer_and_the_kept_one_are_the_same_and_hold_no_secret(hello: Request) -> None:
    store = MemoryStore()
    model = build_stack(Scripted(on("hello", says({"word": SECRET}))), Layers(redact=REDACT, memo=store))
    first, second = model.complete(hello), model.complete(hello)
    assert isinstance(first, Reply)
    assert first == second
    assert json.loads(first.text)["word"].startswith("[REDACTED:")
    assert SECRET.encode() not in b"".join(store.values.values())


def test_a_redaction_that_would_break_the_json_makes_it_no_answer(hello: Request) -> None:
    model = Scripted(on("hello", says('{"x": "a b", "y": "c"}')))
    found = Cleaned(model, lambda text: text.replace('b", ', "[REDACTED:x:00000000]")).complete(hello)
    assert isinstance(found, Malformed)
    assert "cannot be taken out" in found.reason
    assert '"c"' not in found.text


def test_an_answer_that_cannot_be_redacted_is_none_and_still_paid_for(hello: Request) -> None:
    def broken(text: str) -> str:
        raise RecursionError(text)

    found = Cleaned(Scripted(on("hello", says("x", tokens=Tokens(input=3)))), broken).complete(hello)
    assert isinstance(found, Malformed)
    assert found.billed
    assert found.tokens == Tokens(input=3)
    assert "RecursionError" in found.reason


def test_characters_that_no_store_can_hold_are_replaced(hello: Request) -> None:
    found = Cleaned(Scripted(on("hello", lambda _: Reply(text="a\0b\ud800c"))), REDACT).complete(hello)
    assert isinstance(found, Reply)
    assert found.text == "a\ufffdb\ufffdc"


def test_failures_and_vectors_pass_as_they_are(hello: Request) -> None:
    failure = Unreachable(reason="down")
    model = Scripted(on("hello", fails(failure)))
    cleaned = Cleaned(model, REDACT)
    assert cleaned.complete(hello) is failure
    assert isinstance(cleaned.embed(Texts(texts=("one",))), Vectors)
    assert cleaned.identity == model.identity


@pytest.mark.parametrize("status", [400, 402, 403, 429])
def test_an_account_without_money_is_told_from_a_wrong_question(
    serve: Callable[..., Served], hello: Request, status: int
) -> None:
    said = {"error": {"message": "Your credit balance is too low to access the API."}}
    _, model = serve(answers(said, status))
    found = model.complete(hello)
    assert isinstance(found, Refused)
    assert found.status == 402
    assert "no credit is left" in found.reason
