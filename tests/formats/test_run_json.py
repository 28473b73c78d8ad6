"""Metier's own interchange format is read strictly and written back whole."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.errors import InputError
from metier.formats.run_json import RUN_FIELDS, dump_run, parse_run
from metier.types import Outcome, Passage, Run, ShownSkill, SkillTrace, Snapshot, Tokens, ToolCall

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
NAMES = st.lists(WORDS, max_size=3).map(tuple)
ORIGINS = st.sampled_from(["person", "operator", "model", "action", "tool", "web", "file"])
COUNTS = st.integers(0, 2**63 - 1)
TIMES = st.none() | st.datetimes().map(lambda moment: moment.isoformat())
TOOLS = st.builds(
    ToolCall,
    name=WORDS | st.sampled_from(["WebFetch", "Read", "Bash"]),
    ok=st.booleans(),
    input=WORDS,
    output=WORDS,
    error=st.none() | WORDS,
    origin=ORIGINS,
    skills=NAMES,
    said=WORDS,
)
TRACES = st.builds(
    SkillTrace,
    active=NAMES,
    attempted=NAMES,
    path=NAMES,
    shown=st.lists(st.builds(ShownSkill, name=WORDS, body=WORDS), max_size=2).map(tuple),
)
RUNS = st.builds(
    Run,
    message=WORDS,
    output=WORDS,
    status=st.none() | WORDS,
    external_id=st.none() | WORDS,
    session=WORDS,
    source=WORDS.filter(bool),
    agent=WORDS,
    model=WORDS,
    tools=st.lists(TOOLS, max_size=3).map(tuple),
    context=st.lists(st.builds(Passage, origin=ORIGINS, text=WORDS), max_size=3).map(tuple),
    skills=TRACES,
    snapshots=st.lists(st.builds(Snapshot, sequence=COUNTS, trigger=WORDS, skills=NAMES), max_size=2).map(tuple),
    tokens=st.builds(Tokens, input=COUNTS, output=COUNTS, cache_read=COUNTS, cache_write=COUNTS),
    cost_usd=st.none() | st.floats(0, 1e9),
    started=TIMES,
    ended=TIMES,
    outcome=st.none() | st.builds(Outcome, success=st.booleans(), by=WORDS, reason=WORDS),
    correction=st.none() | WORDS,
    selection=WORDS,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.sampled_from(RUN_FIELDS), inner)
    ),
    max_leaves=12,
)


def refusal(obj: object) -> str:
    with pytest.raises(InputError) as caught:
        parse_run(obj)
    return str(caught.value)


@given(RUNS)
def test_every_run_survives_a_round_trip(run: Run) -> None:
    assert parse_run(json.loads(json.dumps(dump_run(run)))) == run


@given(JSON | st.dictionaries(st.sampled_from(RUN_FIELDS), JSON).map(lambda fields: {"message": "x"} | fields))
def test_a_hostile_object_is_a_run_or_a_refusal(obj: object) -> None:
    try:
        run = parse_run(obj)
    except InputError as error:
        pytest.fail("a refusal without a reason") if not str(error) else None
    else:
        assert parse_run(dump_run(run)) == run


def test_only_the_message_is_required() -> None:
    assert parse_run({"message": "fix it"}) == Run(message="fix it")
    assert parse_run({"message": ""}) == Run(message="")
    assert parse_run({"message": "x"}, source="cli").source == "cli"


def test_a_missing_message_is_refused() -> None:
    assert refusal({"output": "done"}).startswith("message: missing")
    assert refusal({"message": None}) == "message: must be text, not null"


def test_an_unknown_field_names_the_nearest_known_one() -> None:
    assert refusal({"mesage": "x"}) == "mesage: unknown field; did you mean 'message'?"
    assert refusal({"message": "x", "tools": [{"name": "a", "out_put": ""}]}).startswith("tools[0].out_put: unknown")
    assert "known are" in refusal({"message": "x", "zzzzzz": 1})


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"tools": "Bash"}, "tools: must be a list, not text"),
        ({"tools": [{"ok": True}]}, "tools[0].name: missing"),
        ({"tools": [{"name": "a", "ok": 1}]}, "tools[0].ok: must be true or false, not a number"),
        ({"context": [{"origin": "martian", "text": "x"}]}, "context[0].origin: 'martian' is no origin"),
        ({"tokens": {"input": -1}}, "tokens.input: must be between 0"),
        ({"tokens": {"input": True}}, "tokens.input: must be a whole number, not true or false"),
        ({"tokens": {"input": 1.5}}, "tokens.input: must be a whole number, not a number"),
        ({"cost_usd": float("nan")}, "cost_usd: must be a number from 0 up"),
        ({"started": "yesterday"}, "started: 'yesterday' is no ISO 8601 time"),
        ({"outcome": {"by": "test"}}, "outcome.success: must be true or false, not null"),
        ({"skills": {"active": [1]}}, "skills.active[0]: must be text, not a number"),
        ({"skills": {"shown": [{"name": "x"}]}}, "skills.shown[0].body: missing"),
        ({"id": 7}, "id: must be text, not a number"),
    ],
)
def test_a_wrong_type_names_the_field_and_what_it_wants(fields: dict[str, object], reason: str) -> None:
    assert refusal({"message": "x"} | fields).startswith(reason)


def test_something_that_is_no_object_is_refused() -> None:
    assert refusal(["message"]) == "a run: must be an object, not a list"


def test_null_is_the_same_as_left_out() -> None:
    fields = dict.fromkeys(set(RUN_FIELDS) - {"message"})
    assert parse_run({"message": "x"} | fields) == Run(message="x")


def test_the_origin_of_a_tools_answer_follows_its_name_unless_given() -> None:
    tools = [{"name": "WebFetch"}, {"name": "Read"}, {"name": "Bash"}, {"name": "Bash", "origin": "web"}]
    assert [tool.origin for tool in parse_run({"message": "x", "tools": tools}).tools] == ["web", "file", "tool", "web"]


def test_a_tool_with_an_error_and_no_word_on_success_failed() -> None:
    assert parse_run({"message": "x", "tools": [{"name": "Bash", "error": "exit 1"}]}).tools[0].ok is False


def test_text_no_store_can_hold_is_replaced_visibly() -> None:
    assert parse_run({"message": "a\ud800b\0c"}).message == "a\ufffdb\ufffdc"


def test_defaults_are_left_out_when_written() -> None:
    assert dump_run(Run(message="x")) == {"message": "x"}
    assert dump_run(replace(Run(message="x"), tokens=Tokens(output=3))) == {"message": "x", "tokens": {"output": 3}}


def test_a_tool_may_be_given_its_arguments_as_json() -> None:
    tool = parse_run({"message": "x", "tools": [{"name": "Bash", "input": {"command": "ls"}, "output": [1, 2]}]}).tools[
        0
    ]
    assert (tool.input, tool.output) == ('{"command": "ls"}', "[1, 2]")
