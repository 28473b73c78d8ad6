"""Cases come from text, and every line that is none says what to do about it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.errors import InputError
from metier.formats.value_json import dumps, loads
from metier.training.cases.read import dump_case, parse_cases, read_cases
from metier.types.trials import Case


def lines(*cases: object) -> str:
    return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in cases)


def refusal(*cases: object) -> str:
    with pytest.raises(InputError) as caught:
        read_cases(lines(*cases), "c.jsonl")
    return str(caught.value)


A = {"id": "a", "input": "say a", "expected": "a"}


def test_a_case_has_all_its_fields() -> None:
    full = {
        "id": 7,
        "input": "do it",
        "expected": {"b": 1},
        "scorer": {"subset": True, "kind": "json-equal"},
        "split": "val",
        "tags": ["x"],
        "files": {"b/c.txt": "1", "a.txt": "2"},
        "origin": "run",
    }
    assert read_cases("\ufeff" + lines(full) + "\r\n\n") == (
        Case(
            id="7",
            input="do it",
            expected='{"b": 1}',
            scorer='{"kind":"json-equal","subset":true}',
            split="val",
            tags=("x",),
            origin="run",
            files=(("a.txt", "2"), ("b/c.txt", "1")),
        ),
    )


def test_most_fields_can_be_left_out() -> None:
    (case,) = read_cases(lines(A))
    assert case == Case(id="a", input="say a", expected="a", scorer='{"kind":"exact"}')
    assert read_cases(lines(A | {"scorer": "contains"}))[0].scorer == '{"kind":"contains"}'
    combined = read_cases(lines(A | {"scorer": {"kind": "all", "of": ["exact", nested(3)]}}))
    assert '"of":[{"kind":"exact"},' in combined[0].scorer


def nested(levels: int) -> object:
    return {"kind": "any", "of": [nested(levels - 1)]} if levels else "exact"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "a", ', "no JSON (Expecting property name"),
        ("[1]", "not an object; write one such as"),
        ("[" * 100_000, "nested too deep"),
        ({"input": "x"}, "id: missing"),
        ({"id": " ", "input": "x"}, "id: missing"),
        ({"id": 1.5, "input": "x"}, "id: must be text"),
        ({"id": "a"}, "input: missing; write what the agent is asked"),
        (A | {"inptu": "x"}, "unknown field; did you mean 'input'?"),
        (A | {"split": "validation"}, "did you mean 'val'?"),
        (A | {"split": "later"}, "write train, val, test, or leave it out"),
        (A | {"tags": "x"}, "tags: must be a list"),
        (A | {"files": ["a"]}, "files: must be an object of texts by path"),
        (A | {"files": {"../a": "x"}}, "cannot be a path"),
        (A | {"files": {"a": 1}}, "files.a: must be text"),
        (A | {"scorer": {"kind": "exat"}}, "did you mean 'exact'?"),
        (A | {"scorer": 3}, "scorer.kind"),
        (A | {"scorer": nested(9)}, "more than 8 deep"),
        (A | {"files": {"a": "x", "a/b/c": "y"}}, "'a' is a file and the folder of another"),
        ('{"id": %s, "input": "x"}' % ("9" * 5000), "a number has too many digits"),
        (A | {"expected": ""}, "give the case an 'expected'"),
    ],
)
def test_a_bad_line_is_named_with_what_to_do(line: object, said: str) -> None:
    text = refusal(A | {"id": "fine", "input": "other"}, "", line)
    assert text.startswith("c.jsonl cannot be used:\nline 3: ")
    assert said in text


def test_the_good_lines_beside_bad_ones_can_be_had() -> None:
    found = parse_cases(lines(A, "x", A | {"id": "b"}, "y"))
    assert [case.id for case in found.cases] == ["a", "b"]
    assert [bad.line for bad in found.bad] == [2, 4]


def test_every_bad_line_is_listed_up_to_a_point() -> None:
    text = refusal(*["x"] * 30)
    assert "write one object a line.\nline 20: " in text
    assert "line 21: " not in text
    assert text.endswith("… and 10 more")


def test_an_empty_file_is_no_suite() -> None:
    assert "it is empty; write one case a line" in refusal("", "  ")


def test_one_id_belongs_to_one_case() -> None:
    assert "more than one case has the id a, b;" in refusal(A, A, A | {"id": "b", "input": "b"}, A | {"id": "b"})


def test_one_task_with_two_answers_is_a_contradiction_for_exact_scorers_only() -> None:
    other = {"id": "b", "input": " say  a ", "expected": "b"}
    assert "a, b ask the same and expect different answers" in refusal(A, other)
    assert "2 cases with the id a ask the same and expect different answers" in refusal(A, A | {"expected": "b"})
    assert len(read_cases(lines(A, other | {"scorer": {"kind": "contains"}}))) == 2
    assert len(read_cases(lines(A, other | {"expected": "a"}))) == 2
    assert len(read_cases(lines(A, other | {"files": {"x": "y"}}))) == 2


def test_one_task_on_two_sides_proves_nothing() -> None:
    text = refusal(A | {"split": "train"}, A | {"id": "b", "split": "val"}, A | {"id": "c"})
    assert "a (train), b (val), c (no split) ask the same but are in different splits" in text
    assert len(read_cases(lines(A | {"split": "val"}, A | {"id": "b", "split": "val"}))) == 2


KEPT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
TEXTS = KEPT.filter(lambda text: bool(text.strip()))
CASES = st.builds(
    Case,
    id=TEXTS.map(str.strip),
    input=TEXTS,
    expected=TEXTS,
    split=st.sampled_from([None, "train", "val", "test"]),
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    origin=TEXTS,
    files=st.dictionaries(st.sampled_from(["a", "b/c", "ü.md"]), KEPT, max_size=2).map(
        lambda files: tuple(sorted(files.items()))
    ),
)


@settings(max_examples=40)
@given(CASES)
def test_a_case_comes_back_from_its_line_and_from_the_store(case: Case) -> None:
    assert read_cases(dump_case(case)) == (case,)
    assert loads(Case, dumps(case)) == case


@given(st.text())
def test_no_text_makes_the_reader_raise_anything_else(text: str) -> None:
    try:
        cases = read_cases(text)
    except InputError:
        return
    assert cases
