"""Text as words and pieces of words, in any script."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SIGNS = "\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff\u0f00-\u0fff"
"""Vowel signs and the like: part of a word, though Python's `\\w` leaves them out."""
DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts written without spaces, or with words too long to compare whole (Thai, Japanese, Chinese, Korean …)."""
ACCENTS = re.compile("[\u0300-\u036f]")
WORD = re.compile(f"(?:[^\\W_]|[{SIGNS}{DENSE}])+")
RUN = re.compile(f"[{DENSE}]+|[^{DENSE}]+")
IS_DENSE = re.compile(f"[{DENSE}]")
LONGEST = 48
"""Characters of a word that are looked at; what is longer is a key or a path, not a word."""


def folded(text: str) -> str:
    """The text without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    bare = ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFKC", bare)


def words(text: str) -> list[str]:
    """The words of a text in order; a change between spaced and dense script is a boundary too."""
    found = WORD.findall(folded(text))
    if text.isascii():
        return found
    return [run for word in found for run in (RUN.findall(word) if IS_DENSE.search(word) else (word,))]


def is_dense(word: str) -> bool:
    """Whether a word (as `words` gives it) is a run of a script without spaces."""
    return IS_DENSE.match(word) is not None


def pieces(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """The longest known pieces from left to right, as row numbers; empty when a part is not known."""
    whole = vocabulary.get(word)
    if whole is not None:
        return [whole]
    rows: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            row = vocabulary.get(prefix + word[start:end])
            if row is not None:
                rows.append(row)
                start = end
                break
        else:
            return []
    return rows


def grams(word: str) -> Iterator[str]:
    """Short overlapping parts of a word: pairs in a dense script, else threes and fours with the word's ends."""
    if is_dense(word):
        yield from word
        yield from (word[at : at + 2] for at in range(len(word) - 1))
        return
    ended = f"<{word}>"
    for length in (3, 4, 5):
        yield from (ended[at : at + length] for at in range(max(1, len(ended) - length + 1)))


def bucket(gram: str, buckets: int) -> int:
    """A number below `buckets` that is always the same for the same letters."""
    return crc32(gram.encode("utf-8", "surrogatepass")) % buckets
