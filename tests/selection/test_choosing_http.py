"""A model behind a real socket may do what it likes: a decision is there in time, with the reason."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from loopback import Loopback, answers, completion, floods, hangs, raw, resets, trickles
from selection_world import NO_CHANCE, decide, falling, names, skill

from metier.models.http.client import HttpModel
from metier.models.spec import parse_spec
from metier.selection.types import ScoredSkill

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopback import Act

HURRIED = replace(NO_CHANCE, shortlist_timeout=0.4, final_timeout=0.4)
CLEAR = (
    ScoredSkill(skill=skill("ship"), score=0.95),
    *(ScoredSkill(skill=skill(f"bake-{at}", body="Flour."), score=0.2) for at in range(3)),
)
TASK = "ship: run the script and look at its log"


@contextmanager
def served(*acts: Act) -> Iterator[tuple[Loopback, HttpModel]]:
    with Loopback(*acts) as server, HttpModel(parse_spec(f"openai:some-model@{server.url}"), {}) as model:
        yield server, model


def test_two_stages_over_http_choose_and_record_usage() -> None:
    said = (answers(completion(["s3", "s1"])), answers(completion('```json\n{"selected_skills": ["s1"]}\n```')))
    with served(*said) as (server, model):
        choice = decide(model, falling(6))
    assert names(choice) == ["s1"]
    assert [seen.json["temperature"] for seen in server.seen] == [0.0, 0.0]
    assert [seen.json["max_tokens"] for seen in server.seen] == [256, 256]
    first = choice.interactions[0]
    assert first.usage is not None
    assert (first.model, first.usage.input, first.usage.output) == ("served", 12, 5)


MISBEHAVIOUR: list[tuple[str, Act]] = [
    ("nonsense", answers(completion("Certainly! I recommend the first one."))),
    ("an empty text", answers(completion(""))),
    ("no text at all", answers(completion(None))),
    ("an object without a list", answers(completion({"answer": "ship"}))),
    (
        "an error finish",
        answers(completion([], choices=[{"finish_reason": "error", "message": {"content": '["bake-0"]'}}])),
    ),
    ("HTTP 500", answers({"error": {"message": "oops"}}, 500)),
    ("HTTP 401", answers({"error": {"message": "no"}}, 401)),
    ("HTTP 429", answers({"error": {"message": "slow down"}}, 429)),
    ("no JSON", answers(b"<html>")),
    ("a huge text", answers(completion("x" * 2_000_000))),
    ("a huge list", answers(completion([f"bake-{at}" for at in range(100_000)]))),
    ("deep brackets", answers(completion("[" * 150_000))),
    ("too late", hangs),
    ("a trickle", trickles(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"x")),
    ("a flood", floods),
    ("a cut connection", resets),
    ("no HTTP", raw(b"\0\1\2\3", close=True)),
]


@pytest.mark.parametrize("act", [one[1] for one in MISBEHAVIOUR], ids=[one[0] for one in MISBEHAVIOUR])
def test_whatever_the_server_does_the_score_decides_in_time(act: Act) -> None:
    with served(act) as (_, model):
        began = time.monotonic()
        choice = decide(model, CLEAR, TASK, HURRIED)
        assert time.monotonic() - began < 2.0
    assert [(one.skill.name, one.activation_reason) for one in choice.chosen] == [("ship", "score")]
    assert choice.stages[-1].stage == "score"
    assert "the score decides" in choice.stages[-2].note
    assert len(choice.interactions) == 1
    assert len(choice.interactions[0].reply) <= 20_000


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["invented", "bake-1", 5, None, "", "bake-1", "bake-0"], ["bake-1", "bake-0"]),
        ({"skills": ["bake-2"], "selected": ["ship"]}, ["bake-2"]),
        ("```json\n[]\n```", []),
        (["nothing", "of", "the kind"], []),
    ],
)
def test_what_can_be_read_counts(said: object, expected: list[str]) -> None:
    with served(answers(completion(said))) as (_, model):
        choice = decide(model, CLEAR, TASK)
    assert names(choice) == expected
    assert choice.stages[-1].by == "model"


def test_nobody_at_the_address_is_a_reason_too() -> None:
    with served(answers({})) as (server, _):
        address = server.url
    with HttpModel(parse_spec(f"openai:some-model@{address}"), {}) as model:
        choice = decide(model, CLEAR, TASK, HURRIED)
    assert names(choice) == ["ship"]
    assert choice.interactions[0].finish == "unreachable"
