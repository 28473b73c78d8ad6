"""Raw completions speak their own protocol, through the same layers as every other model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from loopback import answers

from metier.models.failures import Malformed, Refused
from metier.models.layers.stack import Layers, build_stack
from metier.models.memo_keys import prompt_hash
from metier.models.model import Message, Reply, Request, Texts
from metier.models.spec import parse_spec
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Served

ASKED = Request(
    system="Skill. ",
    messages=(Message(text="Q: 1+1\nA:"),),
    grammar="root ::= [0-9]+",
    stop=("\n",),
    sample=7,
    max_tokens=9,
)
DONE = {
    "choices": [{"text": " 2", "finish_reason": "stop"}],
    "model": "m",
    "usage": {"prompt_tokens": 8, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 5}},
}


def test_a_completion_goes_out_as_one_prompt_and_comes_back_as_a_reply(serve: Callable[..., Served]) -> None:
    server, model = serve(answers(DONE), text="completion:some-model")
    reply = model.complete(ASKED)
    assert reply == Reply(text=" 2", model="m", tokens=Tokens(input=3, output=1, cache_read=5))
    (seen,) = server.seen
    assert seen.path == "/v1/completions"
    assert seen.json == {
        "model": "some-model",
        "prompt": "Skill. Q: 1+1\nA:",
        "max_tokens": 9,
        "temperature": 0.0,
        "seed": 7,
        "stop": ["\n"],
        "grammar": "root ::= [0-9]+",
    }


def test_what_is_not_asked_for_is_not_sent(serve: Callable[..., Served]) -> None:
    server, model = serve(answers(DONE), text="completion:some-model")
    model.complete(replace(ASKED, grammar="", stop=()))
    assert not {"stop", "grammar"} & server.seen[0].json.keys()


def test_a_completion_is_kept_under_its_grammar_and_redacted_on_its_way(serve: Callable[..., Served]) -> None:
    server, bare = serve(answers(DONE), text="completion:some-model")
    model = build_stack(bare, Layers(redact=lambda text: text.replace("Skill", "[x]")))
    for request in (ASKED, ASKED, replace(ASKED, grammar="root ::= [a-z]"), replace(ASKED, stop=("x",))):
        assert isinstance(model.complete(request), Reply)
    assert [one.json["prompt"][:5] for one in server.seen] == ["[x]. "] * 3


def test_requests_without_a_grammar_keep_the_hash_they_had() -> None:
    plain = Request(messages=(Message(text="hi"),))
    assert prompt_hash(plain) == "b825577d8c2777050039217d709ff305be476ed3866db85beb7fe5b78fe19af4"


@pytest.mark.parametrize("body", [{"choices": []}, {"choices": [{"message": {"content": "x"}}]}, b"<html>"])
def test_an_answer_of_another_form_is_malformed(serve: Callable[..., Served], body: object) -> None:
    _, model = serve(answers(body), text="completion:some-model")
    assert isinstance(model.complete(ASKED), Malformed)


def test_raw_completions_embed_nothing(serve: Callable[..., Served]) -> None:
    _, model = serve(answers(DONE), text="completion:some-model")
    assert isinstance(model.embed(Texts(texts=("a",))), Refused)


def test_a_model_for_completions_is_written_like_any_other() -> None:
    spec = parse_spec("completion:qwen@http://127.0.0.1:9/v1")
    assert (spec.protocol, spec.name, spec.base_url, spec.key_variable) == (
        "completion",
        "qwen",
        "http://127.0.0.1:9/v1",
        "",
    )
