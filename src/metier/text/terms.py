"""The words of a text that say what it is about."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from metier.text import stop_words
from metier.text.words import stem

if TYPE_CHECKING:
    from collections.abc import Iterable

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
