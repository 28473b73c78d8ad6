"""What is read without the YAML parser is read exactly as the parser reads it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metier.skills.document.yaml_values import MANY, quote, read_simple_yaml, read_yaml

OWN = (
    'name: rotate-logs\ndescription: "Rotate the logs, for example “rotate … now”. Key words: rotate, logs."\n'
    'metadata:\n  metier.origin: "learned"\n'
)
"""The frontmatter of a learned skill."""
keys = st.sampled_from(
    ["name", "description", "metadata", "metier.origin", "a-b", "null", "y", "A1", "é", "-", "#", "1"]
)
texts = st.text(alphabet="ab1 .,:/-#'\"\\&*!|>%@`?{}[]~\t\r\n\x00\x85\u2028\ufeff\ufffeé🦀…", max_size=8) | st.text(
    max_size=8
)
written = texts | texts.map(lambda text: f'"{text}"') | st.sampled_from(["null", "~", "Null", "true", "12", "on", ""])
line = st.tuples(
    st.sampled_from(["", "", "  ", " ", "    "]), keys, st.sampled_from([": ", ":", ":  ", " : "]), written
)
loose = st.lists(line.map("".join), max_size=5).map(lambda lines: "".join(f"{one}\n" for one in lines))
simple = st.text(alphabet="abz09 ._/-,;()'\"&*!?+=%@<>|~^$", max_size=8) | st.text(
    alphabet="ab c: #'é🦀…—-", max_size=8
).map('"{}"'.format)
near = st.lists(st.tuples(keys, simple), max_size=4).map(
    lambda pairs: "".join(f"{key}: {text}\n" for key, text in pairs)
)
below = st.tuples(keys, near).map(lambda pair: f"{pair[0]}:\n" + "".join(f"  {one}\n" for one in pair[1].splitlines()))


@settings(max_examples=100, deadline=None)
@given(st.lists(near | below | loose, max_size=3).map("".join))
@example(OWN)
@example("a: b\n  c: d\n")
@example("a:\n  b: c\n   d: e\n")
@example("a:\n  b: c\n d: e\n")
@example('a: "b"\n"c": d\n')
@example("a: b\n...\n")
def test_an_ordinary_frontmatter_is_what_the_parser_makes_of_it(text: str) -> None:
    found = read_simple_yaml(text)
    assert found is None or found == read_yaml(text)


@pytest.mark.parametrize(
    "text",
    [
        OWN,
        "name: a-skill\nlicense: Apache 2.0\n".replace("2.0", "v2.0"),
        f"name: null\ndescription: {quote('Does: a thing, “quoted” — and more')}\n",
        'metadata:\n  a: b\n  c: "d"\nname: x\n',
    ],
)
def test_what_learned_skills_have_needs_no_parser(text: str) -> None:
    assert read_simple_yaml(text) is not None
    assert read_simple_yaml(text) == read_yaml(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name: a\nname: b\n",
        "metadata:\n  a: b\n  a: c\n",
        'name: "a\\tb"\n',
        "name: a # why\n",
        "name: a: b\n",
        "name:\n",
        "name: a",
        "name: a\r\n",
        "name: 'a'\n",
        "name: [a]\n",
        "name: &a b\n",
        "name: a\n  b\n",
        'name: "a\u2028b"\n',
        "".join(f"k{number}: v\n" for number in range(MANY + 1)),
    ],
)
def test_anything_else_is_left_to_the_parser(text: str) -> None:
    assert read_simple_yaml(text) is None
