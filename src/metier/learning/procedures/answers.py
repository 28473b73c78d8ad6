"""What the answers of successful runs have in common; a model's words, so only as far as most agree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from metier.learning.drafting.sanitise import foreign_texts, is_risky, without_marks
from metier.learning.procedures.requests import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.types import Run

AGREED = 0.6
LEAST = 3
"""Answers that must agree; two may do so by chance."""
SHORTEST, LONGEST = 20, 240


def common_answer(runs: Sequence[Run], values: Mapping[int, Mapping[str, str]]) -> str:
    """The sentence most answers begin with, without their own values; empty: they differ, or a tool said it."""
    counts = Counter(_first(run.output, values.get(number, {})) for number, run in enumerate(runs))
    usable = {text: count for text, count in counts.items() if SHORTEST <= len(text) <= LONGEST and not is_risky(text)}
    text = min(usable, key=lambda one: (-usable[one], one), default="")
    if not text or usable[text] < max(LEAST, AGREED * len(runs)):
        return ""
    pieces = [piece.strip() for piece in text.split("…") if len(piece.split()) > 3]
    heard = [" ".join(one.split()) for one in foreign_texts(runs)]
    return "" if any(piece.casefold() in one.casefold() for piece in pieces for one in heard) else text


def _first(output: str, values: Mapping[str, str]) -> str:
    line = next((line for line in without_marks(output).splitlines() if line.strip()), "")
    return plain(line.split(". ")[0], values).rstrip(".")
