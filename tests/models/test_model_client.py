"""What goes over the wire, in both protocols, and what comes back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from loopback import answers, completion, embeddings, message

from metier.models.failures import Malformed, Refused
from metier.models.model import Message, Reply, Request, Schema, Texts, Vectors
from metier.types import Tokens

KEY = "sk-test-0123456789abcdef"
SHAPE = Schema(name="Shape", json='{"properties": {"a": {"type": "integer", "minimum": 1}}, "type": "object"}')


def test_a_chat_completion_is_asked_for_and_read(serve: Any, hello: Request) -> None:
    server, model = serve(answers(completion("hello")))
    reply = model.complete(hello)
    assert reply == Reply(text="hello", model="served", tokens=Tokens(input=12, output=5), finish="stop")
    assert server.seen[0].path == "/v1/chat/completions"
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.seen[0].json == {
        "model": "some-model",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello"}],
        "max_tokens": 64,
        "temperature": 0.0,
    }


def test_an_anthropic_message_is_asked_for_and_read(serve: Any, hello: Request) -> None:
    server, model = serve(answers(message("hello")), text="anthropic:claude-x")
    reply = model.complete(replace(hello, schema=SHAPE, temperature=1.5))
    assert reply == Reply(text="hello", model="served", tokens=Tokens(input=12, output=5, cache_read=3))
    seen = server.seen[0]
    assert seen.path == "/v1/messages"
    assert (seen.headers["x-api-key"], seen.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert seen.json["system"] == "Be brief."
    assert seen.json["temperature"] == 1.0
    shape = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert seen.json["output_config"] == {"format": {"type": "json_schema", "schema": shape}}


def test_a_schema_is_sent_closed_and_without_what_servers_refuse(serve: Any, hello: Request) -> None:
    server, model = serve(answers(completion("{}")))
    model.complete(replace(hello, schema=SHAPE))
    wanted = server.seen[0].json["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert wanted["schema"]["required"] == ["a"]
    assert wanted["schema"]["properties"] == {"a": {"type": "integer"}}


def test_further_headers_are_sent_and_may_come_from_variables(serve: Any, hello: Request) -> None:
    server, model = serve(answers(completion("x")), headers=("X-Plain: one", "X-Team: $TEAM"))
    model.complete(hello)
    assert server.seen[0].headers["x-plain"] == "one"
    assert server.seen[0].headers["x-team"] == "search"


def test_connections_are_used_again(serve: Any, hello: Request) -> None:
    places: set[object] = set()

    def act(handler: Any) -> None:
        places.add(handler.client_address)
        answers(completion("x"))(handler)

    _, model = serve(act)
    for _ in range(5):
        assert isinstance(model.complete(hello), Reply)
    assert len(places) == 1


def test_many_threads_may_ask_at_once_and_each_gets_its_own_answer(serve: Any, hello: Request) -> None:
    def echo(handler: Any) -> None:
        answers(completion(handler.asked.json["messages"][-1]["content"]))(handler)

    _, model = serve(echo)
    asked = [replace(hello, messages=(Message(text=f"number {n}"),)) for n in range(128)]
    with ThreadPoolExecutor(32) as pool:
        replies = list(pool.map(model.complete, asked))
    assert [reply.text for reply in replies] == [f"number {n}" for n in range(128)]


def test_vectors_come_back_in_the_order_asked(serve: Any) -> None:
    mixed = embeddings([1.0, 0.5], [0.1, 2.0])
    mixed["data"] = list(reversed(mixed["data"]))  # type: ignore[call-overload]
    server, model = serve(answers(mixed))
    result = model.embed(Texts(texts=("a", "b"), timeout=5))
    assert isinstance(result, Vectors)
    assert result.vectors[0] == (1.0, 0.5)
    assert result.vectors[1][0] == pytest.approx(0.1)
    assert result.tokens == Tokens(input=4)
    assert server.seen[0].path == "/v1/embeddings"
    assert server.seen[0].json["input"] == ["a", "b"]


@pytest.mark.parametrize(
    "broken",
    [
        embeddings([1.0]),
        embeddings([1.0], [1.0, 2.0]),
        embeddings([1.0], []),
        {"data": "x"},
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999]}, {"index": 1, "embedding": [1]}]}',
    ],
)
def test_vectors_that_do_not_fit_the_texts_are_malformed(serve: Any, broken: object) -> None:
    _, model = serve(answers(broken))
    assert isinstance(model.embed(Texts(texts=("a", "b"), timeout=5)), Malformed)


def test_anthropic_offers_no_embeddings_and_says_so(serve: Any) -> None:
    server, model = serve(answers({}), text="anthropic:claude-x")
    result = model.embed(Texts(texts=("a",)))
    assert isinstance(result, Refused)
    assert "no embeddings" in result.reason
    assert server.seen == []


UNKNOWN = {
    "temperature": "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value",
    "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.",
    "response_format": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
}


def test_what_a_model_does_not_understand_is_left_out_and_remembered(serve: Any, hello: Request) -> None:
    def picky(handler: Any) -> None:
        body = handler.asked.json
        unknown = next((name for name in UNKNOWN if name in body), None)
        if unknown:
            answers({"error": {"message": UNKNOWN[unknown], "param": unknown}}, 400)(handler)
        else:
            answers(completion("fine"))(handler)

    server, model = serve(picky)
    request = replace(hello, schema=SHAPE)
    assert isinstance(model.complete(request), Reply)
    assert len(server.seen) == 4
    assert server.seen[-1].json["max_completion_tokens"] == 64
    assert isinstance(model.complete(request), Reply)
    assert len(server.seen) == 5


def test_the_switch_for_thinking_is_passed_on_and_left_out_where_nobody_knows_it(serve: Any, hello: Request) -> None:
    def picky(handler: Any) -> None:
        known = "chat_template_kwargs" not in handler.asked.json
        answers(
            completion("ok") if known else {"error": {"message": "unknown field: chat_template_kwargs"}},
            200 if known else 400,
        )(handler)

    server, model = serve(picky)
    asked = replace(hello, thinking=False)
    assert isinstance(model.complete(asked), Reply)
    assert server.seen[0].json["chat_template_kwargs"] == {"enable_thinking": False}
    assert "chat_template_kwargs" not in server.seen[1].json
    assert isinstance(model.complete(hello), Reply)
    assert len(server.seen) == 3


def test_anthropic_is_given_room_to_think_or_told_not_to(serve: Any, hello: Request) -> None:
    server, model = serve(answers(message("ok")), text="anthropic:claude-x")
    model.complete(replace(hello, thinking=True))
    model.complete(replace(hello, thinking=False))
    on, off = (one.json for one in server.seen)
    assert (on["thinking"]["type"], on["max_tokens"], on["temperature"]) == ("enabled", 64 + 1024, 1.0)
    assert (off["thinking"], off["max_tokens"]) == ({"type": "disabled"}, 64)


def test_a_refusal_that_is_no_matter_of_dialect_is_not_asked_again(serve: Any, hello: Request) -> None:
    server, model = serve(answers({"error": {"message": "max_tokens: 64 > 32, the maximum of this model"}}, 400))
    assert isinstance(model.complete(hello), Refused)
    assert len(server.seen) == 1


def test_a_text_with_lone_surrogates_still_goes_out(serve: Any) -> None:
    server, model = serve(answers(completion("ok")))
    request = Request(messages=(Message(text="a\ud800b\0"),), timeout=5)
    assert isinstance(model.complete(request), Reply)
    assert server.seen[0].json["messages"] == [{"role": "user", "content": "a\ufffdb\ufffd"}]


def test_the_key_is_in_no_representation_and_no_reason(serve: Any, hello: Request) -> None:
    _, model = serve(answers({"error": {"message": f"Incorrect API key provided: {KEY}."}}, 401))
    failure = model.complete(hello)
    assert isinstance(failure, Refused)
    assert KEY not in repr(failure) + repr(model) + repr(model.spec) + model.identity
    assert "[key]" in failure.reason
