"""A patch in JSON is read into typed edits, and what is no edit stays a value."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.errors import InputError
from metier.skills.editing.patch_json import (
    MalformedEdit,
    SpareEdit,
    UnknownEdit,
    dump_edit,
    parse_edit,
    parse_patch,
    patch_from,
)
from metier.types import Append, Delete, Replace


def test_the_json_form_becomes_typed_edits() -> None:
    text = json.dumps(
        {
            "reasoning": "because",
            "edits": [
                {"op": "replace", "target": "a", "content": "b", "file": "references/x.md"},
                {"op": "append", "content": "c", "support": 3},
                {"op": "delete", "target": "d", "content": "why"},
                {"op": "move", "target": "e"},
                {"op": "append", "content": 5},
            ],
        }
    )
    patch = parse_patch(text)
    assert patch.reasoning == "because"
    assert patch.edits == (
        Replace(target="a", content="b", file="references/x.md"),
        Append(content="c"),
        SpareEdit(edit=Delete(target="d"), target="d", content="why"),
        UnknownEdit(op="move", target="e"),
        MalformedEdit(error="content must be text, not int"),
    )


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "{}", '{"edits": {}}', '{"edits": null}', "[" * 100_000, b"\xff"])
def test_what_is_no_patch_at_all_is_refused(text: str | bytes) -> None:
    with pytest.raises(InputError, match="patch"):
        parse_patch(text)


def test_reasons_that_are_no_text_do_not_cost_the_edits() -> None:
    assert patch_from({"edits": [], "reasoning": [1]}).reasoning == ""


texts = st.text("ab \n", max_size=4)
ops = st.sampled_from(["append", "insert_after", "replace", "delete", "x", ""])


@settings(deadline=None)
@given(ops, texts, texts, texts)
def test_an_edit_is_written_as_it_was_read(op: str, target: str, content: str, file: str) -> None:
    edit = parse_edit({"op": op, "target": target, "content": content, "file": file})
    assert not isinstance(edit, MalformedEdit)
    assert parse_edit(dump_edit(edit)) == edit
