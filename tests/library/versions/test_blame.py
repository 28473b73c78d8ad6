"""Every line is traced to the version that brought it in."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.library.versions.blame import blame, matches
from metier.types import Provenance
from metier.types.skills import Version


def version(number: int) -> Version:
    return Version(skill="s", root="r", number=number, hash=f"{number:064x}")


def blamed(*contents: str | None) -> list[tuple[int, str]]:
    history = [(version(n), None if text is None else text.encode()) for n, text in enumerate(contents, 1)]
    return [(line.version.number, line.text) for line in blame(history)]


def test_a_line_belongs_to_the_version_that_brought_it() -> None:
    assert blamed("a\nb\n", "a\nx\nb\n", "a\nx\nb\nc\n") == [(1, "a"), (2, "x"), (1, "b"), (3, "c")]


def test_a_changed_line_belongs_to_the_change_and_its_neighbours_do_not() -> None:
    assert blamed("a\nb\nc\n", "a\nB\nc\n") == [(1, "a"), (2, "B"), (1, "c")]


def test_a_rollback_gives_the_lines_back_to_those_who_wrote_them() -> None:
    assert blamed("a\n", "a\nb\n", "z\n", "a\nb\n") == [(1, "a"), (2, "b")]
    assert blamed("a\n", "z\n", "a\n", "a\nc\n") == [(1, "a"), (4, "c")]


def test_a_version_without_another_byte_brings_nothing() -> None:
    assert blamed("a\n", "a\n", "a\n") == [(1, "a")]


def test_a_file_that_was_away_keeps_its_lines() -> None:
    assert blamed(None, "a\n", None, "a\nb\n") == [(2, "a"), (4, "b")]
    assert blamed("a\n", None) == blamed() == blamed(None) == blamed("") == []


def test_line_ends_make_no_line_new() -> None:
    assert blamed("a\nb", "a\nb\nc", "a\r\nb\r\nc\r\n") == [(1, "a"), (1, "b"), (2, "c")]


def test_everything_the_version_knows_comes_along() -> None:
    taught = replace(version(2), draft="d1", step="", provenance=Provenance(runs=("r1", "r2")), actor="m", gain=0.25)
    line = blame([(version(1), b"a\n"), (taught, b"a\nb\n")])[1]
    assert (line.number, line.version.draft, line.version.provenance.runs, line.version.gain) == (
        *(2, "d1", ("r1", "r2")),
        0.25,
    )


def test_blank_lines_between_new_paragraphs_do_not_move_the_old_ones() -> None:
    old = "# T\n\none\n\ntwo\n\nthree\n"
    new = "# T\n\nzero\n\none\n\ntwo\n\nmore\n\nthree\n"
    assert [number for number, text in blamed(old, new) if text] == [1, 2, 1, 1, 2, 1]


def test_bytes_that_are_no_text_are_lines_too() -> None:
    assert [line.text for line in blame([(version(1), b"\xff\n")])] == ["\ufffd"]


LINES = st.lists(st.sampled_from(["", "a", "b", "c", "- x", "- y"]), max_size=14)


@given(LINES, LINES)
@settings(max_examples=100)
def test_matches_are_equal_lines_in_order(old: list[str], new: list[str]) -> None:
    found = matches(old, new)
    assert all(old[a] == new[b] for a, b in found)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_with_lines_of_their_own_the_history_is_known_exactly(edits: list[tuple[int, int, int]]) -> None:
    """Each edit takes lines out at a place and puts in some that were never there before."""
    text: list[tuple[int, str]] = [(1, f"first {n}") for n in range(5)]
    contents = ["".join(f"{line}\n" for _, line in text)]
    for number, (at, gone, new) in enumerate(edits, 2):
        text[at : at + gone] = [(number, f"{number} {n}") for n in range(new)]
        contents.append("".join(f"{line}\n" for _, line in text))
    assert blamed(*contents) == text


@given(st.lists(LINES, min_size=1, max_size=6))
def test_any_history_blames_every_line_on_a_version_that_had_it(contents: list[list[str]]) -> None:
    texts = ["".join(f"{line}\n" for line in lines) for lines in contents]
    found = blamed(*texts)
    assert [text for _, text in found] == contents[-1]
    assert all(text in contents[number - 1] for number, text in found)


def _shuffled(number: int) -> bytes:
    lines = [f"line {n}" for n in range(5_000)]
    random.Random(number).shuffle(lines)
    return "\n".join(lines).encode()


HOSTILE = {
    "equal lines": lambda n: b"x\n" * (5_000 - n),
    "two lines in turn": lambda n: (b"x\n" * (n % 7 + 1) + b"y\n") * (10_000 // (n % 7 + 2)),
    "shuffled": _shuffled,
    "reversed": lambda n: "\n".join(str(i) for i in (range(5_000), range(5_000, 0, -1))[n % 2]).encode() + b"%d" % n,
    "few words": lambda n: "\n".join(random.Random(n).choices("abcdefgh", k=5_000)).encode(),
    "one line more": lambda n: "\n".join(f"line {i * 7919 % 5000}" for i in range(4_800 + n)).encode(),
}


@pytest.mark.parametrize("shape", HOSTILE)
def test_a_long_history_of_a_long_text_takes_seconds(shape: str) -> None:
    history = [(version(n), HOSTILE[shape](n)) for n in range(1, 21)]
    begun = time.process_time()
    assert len(blame(history)) > 4_000
    assert (time.process_time() - begun) * 10 < 15  # 20 versions stand for 200
