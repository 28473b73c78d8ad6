"""A typed answer, one repair, or a failure that says what was wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import pytest
from loopback import answers, completion
from pydantic import BaseModel, ConfigDict, Field

from metier.models.answers import Answer, ask
from metier.models.failures import Malformed, TimedOut, Unreachable
from metier.models.memo_keys import prompt_hash
from metier.models.scripted import Scripted, fails, on, says
from metier.models.wire.schemas import schema_of, wire_schema

if TYPE_CHECKING:
    from metier.models.model import Request


class Judged(BaseModel):
    model_config = ConfigDict(extra="forbid")

    success: bool
    reason: str = Field(min_length=1)


GOOD = {"success": True, "reason": "it did"}
BAD: dict[str, str] = {
    "prose": "I think it went well.",
    "empty": "",
    "a list": "[1, 2]",
    "wrong types": '{"success": "yes", "reason": "it did"}',
    "a missing field": '{"success": true}',
    "an unknown field": '{"success": true, "reason": "x", "ids": []}',
    "an empty reason": '{"success": true, "reason": ""}',
    "half of it": '{"success": true, "rea',
    "not a number": '{"success": NaN, "reason": "x"}',
    "deep": '{"success": ' + "[" * 50_000,
    "braces": "{" * 50_000 + "}",
}


@pytest.mark.parametrize(
    "text",
    [
        '{"success": true, "reason": "it did"}',
        '```json\n{"success": true, "reason": "it did"}\n```',
        'Here it is:\n{"success": true, "reason": "it did"}\nAnything else?',
        '<think>{"success": false}</think>\n{"success": true, "reason": "it did"}',
        'The first of two: {"success": true, "reason": "it did"} {"success": false, "reason": "no"}',
        'Filled in for {name}: {"success": true, "reason": "it did"}. See {other}.',
        '```json\n[1]\n```\nthen {"success": true, "reason": "it did"} and {}',
    ],
)
def test_an_answer_is_found_where_models_put_it(text: str, hello: Request) -> None:
    answer = ask(Scripted(on("hello", says(text))), hello, Judged)
    assert isinstance(answer, Answer)
    assert answer.value == Judged(success=True, reason="it did")
    assert not answer.repaired


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_an_unusable_answer_is_shown_to_the_model_once(text: str, hello: Request) -> None:
    model = Scripted(on("cannot be used", says(GOOD)), on("hello", says(text)))
    answer = ask(model, hello, Judged)
    assert isinstance(answer, Answer)
    assert answer.repaired
    first, second = model.requests
    assert second.messages[:-2] == first.messages
    assert [message.role for message in second.messages[-2:]] == ["assistant", "user"]
    assert second.messages[-2].text
    assert answer.prompt_hash == prompt_hash(first)


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_two_unusable_answers_are_malformed(text: str, hello: Request) -> None:
    model = Scripted(on("hello", says(text)))
    failure = ask(model, hello, Judged)
    assert isinstance(failure, Malformed)
    assert failure.reason.startswith("two answers could not be used: ")
    assert len(model.requests) == 2
    assert len(failure.text) <= 300


def test_the_repair_says_which_field_is_wrong(hello: Request) -> None:
    model = Scripted(on("hello", says('{"success": "yes", "reason": "x"}')))
    ask(model, hello, Judged)
    assert "success: Input should be a valid boolean" in model.requests[1].messages[-1].text


def test_a_cut_off_answer_is_asked_for_in_fewer_words(hello: Request) -> None:
    model = Scripted(on("hello", says('{"success": tr', finish="length")))
    ask(model, hello, Judged)
    assert "cut off" in model.requests[1].messages[-1].text


def test_an_outage_is_passed_on_and_not_repaired(hello: Request) -> None:
    model = Scripted(on("hello", fails(Unreachable(reason="down"))))
    assert ask(model, hello, Judged) == Unreachable(reason="down")
    assert len(model.requests) == 1


def test_both_attempts_share_one_time_limit(hello: Request) -> None:
    moments = iter([0.0, 4.0])
    model = Scripted(on("hello", says("nothing")))
    ask(model, replace(hello, timeout=5.0), Judged, clock=lambda: next(moments))
    assert [request.timeout for request in model.requests] == [5.0, 1.0]
    late = iter([0.0, 6.0])
    failure = ask(Scripted(on("hello", says("nothing"))), hello, Judged, clock=lambda: next(late))
    assert isinstance(failure, TimedOut)


def test_the_schema_is_in_the_words_and_in_the_request(hello: Request) -> None:
    model = Scripted(on("hello", says(GOOD)))
    ask(model, hello, Judged)
    assert schema_of(Judged).json in model.requests[0].system
    assert model.requests[0].system.startswith("Be brief.")
    assert model.requests[0].schema == schema_of(Judged)


def test_it_works_over_http(serve: Any, hello: Request) -> None:
    server, model = serve(answers(completion("no")), answers(completion(GOOD)))
    answer = ask(model, hello, Judged)
    assert isinstance(answer, Answer)
    assert answer.repaired
    assert server.seen[0].json["response_format"]["json_schema"]["name"] == "Judged"


class Leaf(BaseModel):
    kind: Literal["leaf"] = "leaf"
    size: int = Field(default=1, ge=0, le=9)


class Twig(BaseModel):
    kind: Literal["twig"] = "twig"
    leaves: list[Leaf] = Field(default=[], max_length=3)


class Tree(BaseModel):
    title: str
    part: Leaf | Twig = Field(discriminator="kind")


class Loose(BaseModel):
    anything: dict[str, int]


def objects_of(node: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if isinstance(node, dict):
        found += [node] if node.get("type") == "object" else []
        for value in node.values():
            found += objects_of(value)
    elif isinstance(node, list):
        for value in node:
            found += objects_of(value)
    return found


def test_the_wire_form_of_a_schema_closes_every_object() -> None:
    shape = wire_schema(schema_of(Tree).json)
    assert shape is not None
    closed = objects_of(shape)
    assert len(closed) == 3
    for one in closed:
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])
    text = str(shape)
    assert not [word for word in ("default", "maximum", "maxItems", "oneOf", "discriminator") if f"'{word}'" in text]
    assert "title" in shape["properties"]  # type: ignore[operator]


def test_a_field_named_like_a_keyword_survives() -> None:
    shape = wire_schema('{"type": "object", "properties": {"pattern": {"type": "string"}}}')
    assert shape is not None
    assert shape["properties"] == {"pattern": {"type": "string"}}


def test_a_shape_that_strict_servers_cannot_take_is_left_to_the_prompt(serve: Any, hello: Request) -> None:
    assert wire_schema(schema_of(Loose).json) is None
    server, model = serve(answers(completion({"anything": {"a": 1}})))
    answer = ask(model, hello, Loose)
    assert isinstance(answer, Answer)
    assert "response_format" not in server.seen[0].json
