"""Notes of Metier's own stand under `metadata`, as texts, and nothing else moves."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skills_ref.parser import read_properties
from skills_ref.validator import validate as reference

from metier.errors import InputError
from metier.skills.document.frontmatter import read, set_metadata, split

BARE = b"---\nname: deploy\ndescription: Deploys the shop.\n---\n\n# Deploy\n"
SHAPES = {
    "none": BARE,
    "empty": BARE.replace(b"---\n\n", b"metadata:\n---\n\n"),
    "empty, with a comment": BARE.replace(b"---\nname", b"---\nmetadata: # ours\nname"),
    "one key": BARE.replace(b"---\n\n", b"metadata:\n  author: me\n---\n\n"),
    "in the middle": BARE.replace(b"description", b"metadata:\n    author: me # why\n    b: 'c'\ndescription"),
    "ends with a block": BARE.replace(b"---\n\n", b"metadata:\n  a: |+\n    x\n\n---\n\n"),
    "ends with a list": BARE.replace(b"description", b"metadata:\n  a:\n    - x\n  b: [1]\ndescription"),
    "windows line ends": BARE.replace(b"---\n\n", b"metadata:\n  author: me\n---\n\n").replace(b"\n", b"\r\n"),
    "old line ends": BARE.replace(b"---\n\n", b"metadata:\n  author: me\n---\n\n").replace(b"\n", b"\r"),
    "byte order mark": b"\xef\xbb\xbf" + BARE,
    "unknown keys": BARE.replace(b"name", b"x: {a: b}\nname", 1),
    "emoji": BARE.replace(b"---\n\n", "metadata:\n  äö: 🦀\n---\n\n".encode()),
    "comments": BARE.replace(b"---\n\n", b"metadata: # of mine\n  # first\n  a: b\n  # last\n---\n\n"),
    "no text behind": BARE.rstrip().removesuffix(b"# Deploy").rstrip(),
}


def metadata(document: bytes) -> dict[str, object]:
    found = read(document).get("metadata")
    return dict(found) if isinstance(found, dict) else {}


TEXTS = ["learned", "a: b", "", "true", "1.0", "---", "two\nlines", 'qu"ote', "🦀 é", " x ", "# no", "{}"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("text", TEXTS)
def test_a_key_is_set_and_set_again_and_all_else_stays(shape: str, text: str) -> None:
    before = SHAPES[shape]
    once = set_metadata(before, "metier.origin", "first")
    after = set_metadata(once, "metier.origin", text)
    assert metadata(after) == metadata(before) | {"metier.origin": text}
    assert {**read(after).values, "metadata": None} == {**read(before).values, "metadata": None}
    rest = [line for line in after.splitlines() if b"metier.origin" not in line]
    assert [line for line in rest if line != b"metadata:"] == [
        line for line in before.splitlines() if line != b"metadata:"
    ]
    assert after[split(after).body.start :] == before[split(before).body.start :]
    assert set_metadata(after, "metier.origin", "first") == once


def test_the_text_is_always_in_quotes() -> None:
    after = set_metadata(BARE, "metier.version", "3")
    assert after == BARE.replace(b"---\n\n", b'metadata:\n  metier.version: "3"\n---\n\n')
    again = set_metadata(after, "metier.runs", "4")
    assert b'  metier.version: "3"\n  metier.runs: "4"\n---\n' in again


@pytest.mark.parametrize(
    "key", ["origin", "metier", "metier.", "metier.A", "x.metier.a", "metier.a b", "metier.a\n", "metier.é"]
)
def test_only_keys_of_ours_are_set(key: str) -> None:
    with pytest.raises(InputError, match="no key of ours"):
        set_metadata(BARE, key, "x")


@pytest.mark.parametrize(
    "document",
    [
        b"# No frontmatter\n",
        b"---\nname: never closed\n",
        b"---\nname: [\n---\n",
        BARE.replace(b"---\n\n", b"metadata: {a: b}\n---\n\n"),
        BARE.replace(b"---\n\n", b"metadata: {}\n---\n\n"),
        BARE.replace(b"---\n\n", b"metadata: [a]\n---\n\n"),
        BARE.replace(b"---\n\n", b"metadata: text\n---\n\n"),
        BARE.replace(b"---\n\n", b"metadata: null\n---\n\n"),
        b"---\n{name: a, description: b}\n---\n",
    ],
)
def test_a_shape_that_would_have_to_be_rewritten_is_refused(document: bytes) -> None:
    with pytest.raises(InputError, match=r"metier\.a"):
        set_metadata(document, "metier.a", "x")


@given(st.dictionaries(st.from_regex(r"metier\.[a-z0-9._-]{1,12}", fullmatch=True), st.text(), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_text_comes_back_from_us_and_from_the_reference(notes: dict[str, str]) -> None:
    document = BARE
    try:
        for key, text in notes.items():
            document = set_metadata(document, key, text)
    except InputError as error:
        assert "half a character" in str(error)  # noqa: PT017 - the only reason there is
        return
    assert metadata(document) == notes
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "deploy"
        place.mkdir()
        (place / "SKILL.md").write_bytes(document)
        assert reference(place) == []
        assert read_properties(place).metadata == notes


@given(st.binary(max_size=80), st.text(max_size=8))
def test_any_bytes_are_changed_or_refused(document: bytes, text: str) -> None:
    try:
        after = set_metadata(b"---\n" + document, "metier.a", text)
    except InputError:
        return
    assert metadata(after)["metier.a"] == text
