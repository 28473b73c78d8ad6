"""Which side of the split a case is on: near-duplicates share one, and no case ever changes sides."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.cases.splits import hashed_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.types.trials import Case, Split

SAME = 0.7
"""Share of words of two requests that are in both, from which on they are nearly the same."""
_WORD = re.compile(r"[^\W\d_]+")


def with_sides(new: Iterable[Case], known: Sequence[Case]) -> list[Case]:
    """New cases, each on the side of a near-duplicate that has one, else where the hash of its id says."""
    placed = [(words_of(one.input), one.split) for one in known if one.split]
    found: list[Case] = []
    for case in sorted(new, key=lambda one: one.id):
        words = words_of(case.input)
        side = next((split for other, split in placed if alike(words, other) >= SAME), None) or _side(case)
        placed.append((words, side))
        found.append(replace(case, split=side))
    return found


def words_of(text: str) -> frozenset[str]:
    """The words of a request, without numbers and names of one case."""
    return frozenset(word.casefold() for word in _WORD.findall(text) if len(word) > 1)


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of their words that two requests have in common."""
    return len(one & other) / len(one | other) if one or other else 1.0


def _side(case: Case) -> Split:
    part = hashed_part(case)
    return "test" if part == "confirm" else part
