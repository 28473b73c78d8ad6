"""The sieve leaves out only patterns that cannot match."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from metier.review.matching.re2 import Prefilter, compile_pattern
from metier.review.rules.catalogue import content_rules

if TYPE_CHECKING:
    from collections.abc import Callable

WAYS = [way for rule in content_rules() for way in rule.ways]
PATTERNS = sorted({part for way in WAYS for part in way.all if not part.startswith("@")})
SIEVE = Prefilter(PATTERNS)
TEXTS = [text for rule in content_rules() for text in (*rule.hostile, *rule.harmless)]
LONG_S, KELVIN = "\u017f", "\u212a"
"""Letters that are s and k to a search which does not mind case."""


def _missed(text: str) -> list[str]:
    data = text.encode("utf-8", "replace")
    possible = SIEVE.possible(data)
    return [pattern for pattern in PATTERNS if pattern not in possible and compile_pattern(pattern).search(data)]


@pytest.mark.parametrize("change", [str.swapcase, pytest.param(str.upper, marks=pytest.mark.slow)])
def test_no_sample_of_any_rule_falls_through(change: Callable[[str], str]) -> None:
    assert not [text for text in TEXTS[:: 1 if change is str.upper else 4] if _missed(change(text))]


def test_letters_of_other_alphabets_that_count_as_the_same_do_not_fall_through() -> None:
    changed = [text.replace("s", LONG_S).replace("k", KELVIN) for text in TEXTS[1::4]]
    assert not [text for text in changed if _missed(text)]


def test_texts_put_together_at_random_do_not_fall_through() -> None:
    random = Random(3)
    for _ in range(40):
        assert not _missed(" ".join(random.choice(TEXTS)[:400] for _ in range(6)))


def test_most_patterns_are_ruled_out_for_an_ordinary_text() -> None:
    text = b"Open the file, read the table, write the totals into the report."
    assert len(SIEVE.possible(text)) < len(PATTERNS) / 2
