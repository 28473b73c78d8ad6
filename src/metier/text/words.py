"""A text as words, in any script, and a word as its stem: what search, clustering and the embedder compare."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

from metier.text import stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable

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


Language = Literal["en", "de"]


_WORD = re.compile(r"[^\W\d_](?:[^\W_]|[.'’-](?=[^\W_]))*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENGLISH = stop_words.ENGLISH | stop_words.MORE_ENGLISH
_GERMAN = stop_words.GERMAN | stop_words.MORE_GERMAN
_STOPS = _ENGLISH | _GERMAN
_ONLY_ENGLISH, _ONLY_GERMAN = _ENGLISH - _GERMAN, _GERMAN - _ENGLISH


@lru_cache(maxsize=512)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, in order; scripts without spaces give pairs of characters."""
    plain = text.casefold()
    found = _WORD.findall(plain)
    wide = [] if plain.isascii() else _WIDE.findall(plain)
    if not wide:
        return tuple(found)
    narrow = [word for word in found if not _WIDE.search(word)]
    return (*narrow, *(left + right for left, right in zip(wide, wide[1:] or wide, strict=False)))


def terms_of(text: str) -> list[str]:
    """The words that carry meaning, in order."""
    return [word for word in words_of(text) if word not in _STOPS and len(word) > 1]


@lru_cache(maxsize=2048)
def stems_of(text: str) -> frozenset[str]:
    """The meaning words of a text without their endings."""
    return frozenset(map(stem, terms_of(text)))


def language_of(texts: Iterable[str]) -> Language:
    """German where its small words outnumber the English ones; everything else is answered in English."""
    words = [word for text in texts for word in words_of(text)]
    german = sum(map(_ONLY_GERMAN.__contains__, words))
    return "de" if german and german > sum(map(_ONLY_ENGLISH.__contains__, words)) else "en"
