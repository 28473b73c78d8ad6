"""What is no word of the person, as structure shows: fences, quoted lines, markup, and what stood elsewhere before."""

from __future__ import annotations

import time

import pytest

from metier.text.own_words import own_words, stood_in


@pytest.mark.parametrize(
    "apart",
    [
        "```\nnever push\n```",
        "```sh\nnever push",
        "~~~\nnever push\n~~~",
        "> never push\n>never push",
        "  > never push",
        "<system-reminder>\nnever push\n\nnever push</system-reminder>",
        '<file path="a.md">\nnever push\n</file>',
        "<pasted>\nnever push",
        "Look: <b>never push</b>",
        "</details> never push",
    ],
)
def test_what_is_set_apart_is_no_word_of_the_person(apart: str) -> None:
    left = own_words(f"Fix this.\n{apart}")
    assert ("Fix this." in left, "never push" in left) == (True, False)


def test_what_follows_is_the_persons_again() -> None:
    left = own_words("```\nx\n```\nA.\n> x\nB.\n<log>\nx\n</log>\nC. <b>x</b> D.")
    assert left.split() == ["A.", "B.", "C.", "D."]


@pytest.mark.parametrize(
    "message",
    [
        "Use a Vec<String> here, and never push to main.",
        "The result has to be > 3, never less.",
        "# Rules\n- never push\n1. ask me first",
        "Error: never push",
        '{"never": "push"}',
        "$ never push",
        "if a < b, never push",
    ],
)
def test_nothing_is_guessed_from_words_and_signs(message: str) -> None:
    assert own_words(message) == message


def test_many_open_tags_take_no_time() -> None:
    began = time.perf_counter()
    own_words("<a" * 700)
    own_words("x <a> " * 250)
    assert time.perf_counter() - began < 1


def test_a_text_stood_elsewhere_however_it_was_spaced() -> None:
    assert stood_in("never push to main", ["no", "1. never\n   push  to main!"])
    assert not stood_in("never push to main", ["never push to\nthe main branch"])
    assert not stood_in("a.c", ["abc"])
