"""A number with its noun."""

from __future__ import annotations


def plural(number: int, word: str, words: str = "") -> str:
    """A number with its noun: "1 run", "2 runs"; `words`: the plural where it is not the word with an s."""
    return f"{number:,} {word if number == 1 else words or word + 's'}"
