"""The stem of a word: the same for most of its forms."""

from __future__ import annotations

from functools import lru_cache

# fmt: off
ENDINGS = (
    "ungen", "ations", "ation", "ments", "ment", "ings", "ing", "ung", "ies", "ed", "en", "es", "er", "s", "e", "n",
)
# fmt: on
"""Cut from the end of a word, one of them, while four letters stay."""


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its commonest ending: rough, but the same for most forms of one word."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4 - (ending == "s"):
            return word.removesuffix(ending)
    return word
