"""The frontmatter is found and changed in the raw bytes, whatever the file looks like."""

from __future__ import annotations

import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.errors import InputError
from metier.skills.document.frontmatter import LIMIT, line_of, read, set_value, split

PLAIN = b"---\nname: a-skill\ndescription: Does a thing.\n---\n\n# Body\n"
SHAPES = {
    "plain": PLAIN,
    "windows line ends": PLAIN.replace(b"\n", b"\r\n"),
    "old line ends": PLAIN.replace(b"\n", b"\r"),
    "byte order mark": b"\xef\xbb\xbf" + PLAIN,
    "no final newline": PLAIN.rstrip(),
    "nothing behind the frontmatter": b"---\nname: a-skill\ndescription: Does a thing.\n---",
    "trailing spaces after the dashes": PLAIN.replace(b"---\n", b"--- \t \n"),
    "comments": b"---\n# first\nname: a-skill # why\n\n# more\ndescription: Does a thing.\n# last\n---\nbody\n",
    "tab behind the colon": b"---\nname:\ta-skill\ndescription:\tDoes a thing.\n---\nbody",
    "tabs for indentation": b"---\nname: a-skill\nmetadata:\n\ta: b\n\tc: d\ndescription: Does a thing.\n---\n",
    "unknown keys": b"---\nname: a-skill\nx-y: [1, {a: b}]\ndescription: Does a thing.\nz:\n- 1\n- 2\n---\n",
    "quotes": b"---\nname: 'a-skill'\ndescription: \"Does a thing.\"\n---\n",
    "folded": b"---\nname: a-skill\ndescription: >-\n  Does a\n  thing.\nlicense: MIT\n---\n",
    "value on the next line": b"---\nname:\n  a-skill\ndescription:\n  Does a\n  thing.\n---\n",
    "quoted text that runs on at the margin": b'---\nname: a-skill\ndescription: "Does a\nthing."\nlicense: MIT\n---\n',
    "indented keys": b"---\n  name: a-skill\n  description: Does a thing.\n---\n",
    "one mapping in braces": b"---\n{name: a-skill, description: Does a thing.}\n---\n",
    "emoji": "---\nemoji: 🦀🦀\nname: a-skill # 🦀\ndescription: Does a thing.\n---\n🦀".encode(),
}
TEXTS = (
    *("plain words", "a: b", "ends with:", "- dash", "# sharp", "a # b", '"quoted"', "it's", "two\nlines", "tab\there"),
    *(
        "true",
        "null",
        "12",
        "1.5",
        "2026-01-01",
        "~",
        "",
        " spaces ",
        "ümläut 🦀",
        "a --- b",
        "---",
        "...",
        "{a}",
        "[a]",
    ),
    *("&a", "*a", "!a", "%a", "@a", "`a`", "| a", "> a", "? a", ", a", "\\n", "\x07bell", "\u2028", "\ufeff", "C:\\x"),
)
lines = st.lists(
    st.sampled_from(["---", "name: x", "description: 'y'", "", "# h", "\tz: 1", "a: |", "  b", "é: 🦀", "- q"])
)
newlines = st.sampled_from(["\n", "\r\n", "\r"])


@pytest.mark.parametrize("document", SHAPES.values(), ids=SHAPES.keys())
def test_every_shape_of_frontmatter_is_read(document: bytes) -> None:
    front = read(document)
    assert front.problem is None
    assert front.get("name") == "a-skill"
    assert front.get("description") == "Does a thing."


@pytest.mark.parametrize("document", SHAPES.values(), ids=SHAPES.keys())
def test_setting_a_value_changes_the_bytes_of_that_value_alone(document: bytes) -> None:
    entry = read(document).entry("description")
    assert entry is not None
    changed = set_value(document, "description", "Says: no # comment")
    assert changed.startswith(document[: entry.span.start])
    assert changed.endswith(document[entry.span.end :])
    assert read(changed).get("description") == "Says: no # comment"


@pytest.mark.parametrize("document", SHAPES.values(), ids=SHAPES.keys())
def test_a_missing_key_is_added_as_one_line_in_the_style_of_the_file(document: bytes) -> None:
    if document == SHAPES["one mapping in braces"]:
        with pytest.raises(InputError, match="one key a line"):
            set_value(document, "extra", "1")
        return
    at = split(document).frontmatter.end
    changed = set_value(document, "extra", "a: b")
    newline = split(document).newline
    assert changed[:at] + changed[len(changed) - len(document) + at :] == document
    assert changed[at : at + len(changed) - len(document)].strip() == b'extra: "a: b"'
    assert changed[at : at + len(changed) - len(document)].endswith(newline)


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_quoted_so_that_it_reads_back_the_same(text: str) -> None:
    changed = set_value(PLAIN, "description", text)
    assert read(changed).get("description") == text
    start, end = split(changed).frontmatter
    assert yaml.safe_load(changed[start:end]) == {"name": "a-skill", "description": text}
    assert changed.count(b"---") == 2


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_set_value_is_read_back_by_us_and_by_others(text: str) -> None:
    changed = set_value(PLAIN, "description", text)
    start, end = split(changed).frontmatter
    assert read(changed).get("description") == text
    assert yaml.safe_load(changed[start:end])["description"] == text


@settings(deadline=None)
@given(lines, newlines, st.booleans())
def test_the_parts_of_any_document_are_all_of_it(pieces: list[str], newline: str, bom: bool) -> None:
    document = (b"\xef\xbb\xbf" if bom else b"") + newline.join(pieces).encode()
    front = read(document)
    start, end = front.layout.frontmatter
    assert 0 <= start <= end <= front.layout.body.start <= front.layout.body.end == len(document)
    for entry in front.entries:
        assert start <= entry.key_at <= entry.span.start <= entry.span.end <= end
        assert line_of(document, entry.key_at) == entry.line


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(content: bytes) -> None:
    read(content)
    read(b"---\n" + content + b"\n---\n")


@settings(deadline=None)
@given(lines, newlines)
def test_a_value_that_was_set_leaves_all_others_as_they_were(pieces: list[str], newline: str) -> None:
    document = newline.join(["---", *(piece for piece in pieces if piece != "---"), "---", "body"]).encode()
    before = read(document)
    try:
        changed = set_value(document, "name", "a: new one")
    except InputError:
        return
    assert read(changed).values == before.values | {"name": "a: new one"}
    assert set_value(changed, "name", "a: new one") == changed


def test_a_file_without_frontmatter_gets_one() -> None:
    assert read(b"# Title\n").layout.state == "absent"
    assert set_value(b"# Title\r\n", "name", "x") == b"---\r\nname: x\r\n---\r\n# Title\r\n"


def test_an_unterminated_frontmatter_is_told_and_not_written_to() -> None:
    document = b"---\nname: x\n# Title\n"
    assert read(document).layout.state == "unterminated"
    with pytest.raises(InputError, match="not terminated"):
        set_value(document, "name", "y")


def test_a_broken_frontmatter_names_its_line_and_is_not_written_to() -> None:
    document = b"---\nname: x\ndescription: use: this\n---\n"
    problem = read(document).problem
    assert problem is not None
    assert (problem.rule, problem.line) == ("yaml-unreadable", 3)
    with pytest.raises(InputError, match="line 3"):
        set_value(document, "name", "y")


def test_a_key_that_is_none_cannot_be_added_and_half_a_character_cannot_be_set() -> None:
    for key in ("a b", "a:b", "", "é", "a\n"):
        with pytest.raises(InputError, match="cannot be a key"):
            set_value(PLAIN, key, "x")
    with pytest.raises(InputError, match="surrogate"):
        set_value(PLAIN, "name", "\ud800")


def test_of_a_key_that_is_there_twice_the_last_one_counts() -> None:
    document = b"---\nname: one\nname: two\n---\n"
    assert read(document).get("name") == "two"
    assert read(document).odd == {"duplicate": 3}
    assert set_value(document, "name", "three") == b"---\nname: one\nname: three\n---\n"


def test_values_are_texts_and_nothing_is_none() -> None:
    front = read(b"---\na: 1.0\nb: yes\nc:\nd: null\ne: 'null'\nf: [1, {x: 2026-99-99}]\n---\n")
    assert front.values == {"a": "1.0", "b": "yes", "c": None, "d": None, "e": "null", "f": ["1", {"x": "2026-99-99"}]}


HOSTILE = {
    "alias bomb": b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
    "alias as a value": b"a: &a x\nb: *a\n",
    "alias as a key": b"a: &a x\n*a : b\n",
    "deep brackets": b"a: " + b"[" * 200_000,
    "deep braces": b"a: " + b"{a: " * 60_000,
    "deep dashes": b"a:\n " + b"- " * 120_000,
    "deep questions": b"? " * 120_000,
    "many keys": b"".join(b"k%d: v\n" % number for number in range(20_000)),
    "many items": b"a: [" + b"x," * 100_000 + b"]",
    "a number no character has": b'a: "\\UFFFFFFFF"',
    "a control character": b"a: \x01",
    "not UTF-8": b"a: \xff\xfe",
    "a list": b"- a\n- b\n",
    "a text": b"just words",
    "two documents": b"a: b\n...\nc: d\n",
    "more than the limit": b"a: " + b"x" * LIMIT,
}


@pytest.mark.parametrize("inner", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_yaml_is_refused_in_bounded_time(inner: bytes) -> None:
    start = time.process_time()
    front = read(b"---\n" + inner + b"\n---\nbody\n")
    assert front.problem is not None
    assert front.entries == ()
    assert time.process_time() - start < 1.0
    assert front.layout.body.end - front.layout.body.start == len(b"body\n")


@pytest.mark.parametrize("inner", [b"a: " + b"x " * 120_000, b'a: "' + b"\\n" * 120_000 + b'"', b"#\n" * 120_000])
def test_large_frontmatter_within_the_limit_is_read_in_bounded_time(inner: bytes) -> None:
    start = time.process_time()
    assert read(b"---\n" + inner + b"\n---\n").problem is None
    assert time.process_time() - start < 1.5
