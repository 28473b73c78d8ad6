from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.selection.choosing.ask_model import KEYS, KnownNames, Unreadable, read_names

KNOWN = ("a", "b", "deploy-shop", "größe")


def names(text: str) -> tuple[str, ...] | None:
    found = read_names(text, KNOWN)
    return found.names if isinstance(found, KnownNames) else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["a", "b"]', ("a", "b")),
        ('["b", "a"]', ("b", "a")),
        ("[]", ()),
        ('  \n["a"]\n ', ("a",)),
        ('["a", "a", "b", "a"]', ("a", "b")),
        ('["a", "invented", "b"]', ("a", "b")),
        ('["A"]', ()),
        ('["a", 1, null, {"name": "b"}, ["b"], true, "", "  "]', ("a",)),
        ('["gr\\u00f6\\u00dfe"]', ("größe",)),
        ('```json\n["a"]\n```', ("a",)),
        ('```\n["a"]```', ("a",)),
        ('```json ["a"]```', ("a",)),
        ('```{"skills": ["a"]}\n```', ("a",)),
        ('~~~\n["a"]\n~~~', ("a",)),
        ('````json\n["a"]\n````\n', ("a",)),
        ('\ufeff["a"]', ("a",)),
        ('<think>["b"] perhaps?</think>["a"]', ("a",)),
        ('{"skills": ["a"]}', ("a",)),
        ('{"selected_skills": ["a"]}', ("a",)),
        ('{"activated_skills": ["a"]}', ("a",)),
        ('{"selected": ["a"]}', ("a",)),
        ('```json\n{"selected": ["a"], "why": "because"}\n```', ("a",)),
        ('{"selected": ["b"], "skills": ["a"]}', ("a",)),
        ('{"skills": "a", "selected_skills": null, "selected": ["b"]}', ("b",)),
        ('{"skills": [], "selected": ["b"]}', ()),
    ],
)
def test_names_are_read_from_an_array_or_the_first_key_that_holds_one(text: str, expected: tuple[str, ...]) -> None:
    assert names(text) == expected


def test_padded_names_are_stripped() -> None:
    assert names('[" deploy-shop ", "a\\n", "a", "\\tb"]') == ("deploy-shop", "a", "b")
    assert names('{"skills": [" größe "]}') == ("größe",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "a",
        '"a"',
        "null",
        "7",
        "true",
        "{}",
        '{"skills": "a"}',
        '{"names": ["a"]}',
        '["a"',
        'The skills are ["a"]',
        "```json\nnothing\n```",
        "[" * 100_000,
        "[" + "9" * 10_000 + "]",
        "[1" + ",1" * 200_000 + "]",
    ],
)
def test_anything_else_is_unreadable(text: str) -> None:
    found = read_names(text, KNOWN)
    assert isinstance(found, Unreadable)
    assert found.reason


def test_what_was_dropped_is_told_and_can_be_stored() -> None:
    found = read_names('["a", "invented", 5, "\\ud800"]', KNOWN)
    assert isinstance(found, KnownNames)
    assert found.dropped == ("invented", "int", "\ufffd")


def test_a_long_answer_of_white_space_takes_no_time() -> None:
    began = time.perf_counter()
    read_names("```\n" + " \n" * 90_000, KNOWN)
    read_names("```\n" + "`\n" * 90_000 + "```", KNOWN)
    assert time.perf_counter() - began < 1


Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(KNOWN),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from([*KEYS, "x"]) | st.text(), inner),
    max_leaves=12,
)


@given(st.text() | Json.map(json.dumps) | Json.map(lambda value: f"```json\n{json.dumps(value)}\n```"))
def test_only_known_names_each_once_come_out_of_any_text(text: str) -> None:
    found = read_names(text, KNOWN)
    if isinstance(found, KnownNames):
        assert set(found.names) <= set(KNOWN)
        assert len(set(found.names)) == len(found.names)


@given(st.lists(st.sampled_from(KNOWN) | st.text() | st.integers()), st.sampled_from(["", *KEYS]), st.booleans())
def test_the_order_is_the_models(items: list[object], key: str, fenced: bool) -> None:
    text = json.dumps({key: items} if key else items)
    found = names(f"```json\n{text}\n```" if fenced else text)
    expected = list(dict.fromkeys(item for item in items if item in KNOWN))
    assert found == tuple(expected)
