"""A text as words, in any script, and a word as its stem: what search, clustering and the embedder compare."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

SIGNS = "\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff\u0f00-\u0fff"
"""Vowel signs and the like: part of a word, though Python's `\\w` leaves them out."""
DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts written without spaces, or with words too long to compare whole (Thai, Japanese, Chinese, Korean …)."""
ACCENTS = re.compile("[\u0300-\u036f]")
ASCII_WORD = re.compile(r"[^\W_]+")
LONGEST = 48
"""Characters of a word that are looked at; what is longer is a key or a path, not a word."""
# fmt: off
ENDINGS = (
    "ungen", "ations", "ation", "ments", "ment", "ings", "ing", "ung", "ies", "ed", "en", "es", "er", "s", "e", "n",
)
# fmt: on
"""Cut from the end of a word, one of them, while four letters stay."""


def fold_text(text: str) -> str:
    """The text without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    bare = ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFKC", bare)


def words(text: str) -> list[str]:
    """The words of a text in order; a change between spaced and dense script is a boundary too."""
    if text.isascii():
        return ASCII_WORD.findall(text.lower())
    word, run, dense = _patterns()
    found = word.findall(fold_text(text))
    return [part for one in found for part in (run.findall(one) if dense.search(one) else (one,))]


def is_dense(word: str) -> bool:
    """Whether a word (as `words` gives it) is a run of a script without spaces."""
    return not word.isascii() and _patterns()[2].match(word) is not None


def has_dense(text: str) -> bool:
    """Whether any character of a text is of a script without spaces."""
    return not text.isascii() and _patterns()[2].search(text) is not None


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A word, a run of one kind of script, and a dense character; made when needed, because making them takes long."""
    word = re.compile(f"(?:[^\\W_]|[{SIGNS}{DENSE}])+")
    return word, re.compile(f"[{DENSE}]+|[^{DENSE}]+"), re.compile(f"[{DENSE}]")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its commonest ending: rough, but the same for most forms of one word."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4 - (ending == "s"):
            return word.removesuffix(ending)
    return word
