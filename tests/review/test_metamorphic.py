"""Disguises do not lower a verdict."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from package_samples import MALICIOUS, package, pipe

from metier.review.review import review_package
from metier.review.rules.catalogue import content_rules
from metier.review.rules.rule import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable

GLYPHS = str.maketrans("aeopcxyi", "аеорсхуі")


def padded(text: str) -> str:
    return "Intro.\n" + "\n" * 200 + text + "\n" + "\n" * 200 + "End."


def filled(text: str) -> str:
    return "Some honest words on reports.\n\n" * 300 + text + "\n\nMore honest words.\n" * 300


def zero_width(text: str) -> str:
    return "".join(char + "\u200b" if char.isalpha() else char for char in text)


def homoglyphs(text: str) -> str:
    return text.translate(GLYPHS)


def quote_split(text: str) -> str:
    chosen = random.Random(7)
    return " ".join(
        f'{word[:1]}""{word[1:]}' if word.isalpha() and chosen.random() < 0.7 else word for word in text.split(" ")
    )


def commented(text: str) -> str:
    words = text.split(" ")
    return f"{words[0]} <!-- note --> {' '.join(words[1:])}"


def spread(text: str) -> str:
    """Prose over several lines of a quotation; a command keeps its line."""
    return text if "|" in text or ">" in text or "/" in text else "> " + "\n> ".join(text.split(" "))


def emphasised(text: str) -> str:
    return " ".join(f"**{word}**" if word.isalpha() else word for word in text.split(" "))


def full_width(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if char.isalpha() else char for char in text)


REWRITES: tuple[Callable[[str], str], ...] = (
    padded, filled, zero_width, homoglyphs, quote_split, commented, spread, emphasised, full_width, pipe,
)  # fmt: skip
PROSE = tuple(text for text in MALICIOUS if not any(sign in text for sign in ("http", "|", ">")))
"""What means the same in capitals; a command does not."""
ALONE = [rule for rule in content_rules() if rule.weight >= BLOCKS and rule.file == "any" and rule.reads == ("prose",)]
FOUND = tuple(rule.hostile[0] for rule in ALONE if rule.ways and rule.hostile and rule.family != "languages")


@pytest.mark.parametrize("text", MALICIOUS)
def test_the_plain_text_is_quarantined(text: str) -> None:
    assert review_package(package(text)).status == "quarantined"


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("text", MALICIOUS)
def test_no_rewrite_lowers_the_verdict(text: str, rewrite: Callable[[str], str]) -> None:
    assert review_package(package(rewrite(text))).status == "quarantined"


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda one: one.__name__)
def test_no_rewrite_hides_what_a_rule_finds(rewrite: Callable[[str], str]) -> None:
    assert [text for text in FOUND if review_package(package(rewrite(text))).status != "quarantined"] == []


@pytest.mark.parametrize("text", PROSE)
def test_shouting_does_not_lower_the_verdict(text: str) -> None:
    assert review_package(package(text.upper())).status == "quarantined"


@pytest.mark.parametrize("text", MALICIOUS)
def test_it_does_not_matter_in_which_file_it_stands(text: str) -> None:
    assert review_package(package("Honest.", references__notes_dot_md=text)).status == "quarantined"


@pytest.mark.parametrize("lines", [("npx -y helper-sync", "echo $GITHUB_TOKEN"), ("claude", "see below", "--yolo")])
@pytest.mark.parametrize("mark", ["> - ", "> 1. ", "> # ", "- ", ""])
def test_items_and_lines_outside_a_quotation_are_commands_of_their_own(mark: str, lines: tuple[str, ...]) -> None:
    assert review_package(package("\n".join(mark + line for line in lines))).status == "candidate"


@pytest.mark.parametrize("start", ["Start.", "> Start\n> here.", "A=start; echo $A"])
def test_a_finding_names_its_line_however_much_was_undone_before_it(start: str) -> None:
    body = f"{start}\n\n" + "Clean\u200b it\u200b up.\n" * 40 + "\nclaude --yolo"
    found = [one for one in review_package(package(body)).findings if one.rule == "runs-agent-unasked"]
    assert [(one.line, one.excerpt) for one in found] == [(49 + start.count("\n"), "claude --yolo")]
