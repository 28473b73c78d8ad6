"""A text as numbers that stand for its words: the same number for most forms of one word, in any script."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from metier.text.words import LONGEST, is_dense, stem
from metier.text.words import words as words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]

CACHED: Final = 100_000
SPREAD: Final = 0x9E3779B1
"""An odd number that leaves no pattern when numbers are multiplied with it."""
_WORD = re.compile(r"\w+")


class _Known(dict[str, int]):
    """The numbers of words in plain letters, each worked out once; -1 for any other word."""

    def __missing__(self, word: str) -> int:
        if len(self) >= CACHED:
            self.clear()
        self[word] = found = _number(stem(word[:LONGEST].lower())) if word.isascii() else -1
        return found


_KNOWN: Final = _Known()


def words_in(text: str) -> list[str]:
    """The words of a text as they stand there."""
    return _WORD.findall(text.replace("_", " "))


def numbers(text: str) -> Numbers:
    """One number for every word in order; in a script without spaces for every two signs that follow each other."""
    words = words_in(text)
    found = np.array(list(map(_KNOWN.__getitem__, words)), dtype=np.int64)
    if len(found) and found.min() < 0:
        found = np.fromiter(chain.from_iterable(map(parts, words)), dtype=np.int64)
    return found.astype(np.uint32)


def pairs(found: Numbers) -> Numbers:
    """One number for every two words that follow each other."""
    return found[:-1] * np.uint32(SPREAD) + found[1:]


@lru_cache(maxsize=CACHED)
def parts(word: str) -> tuple[int, ...]:
    """The numbers of one word; in foreign letters it may be several."""
    if word.isascii():
        return (_KNOWN[word],)
    return tuple(_number(part) for one in words_of(word) for part in _split(one))


def _number(term: str) -> int:
    return crc32(term.encode("utf-8", "surrogatepass"))


def _split(word: str) -> tuple[str, ...]:
    if not is_dense(word) or len(word) == 1:
        return (stem(word[:LONGEST]),)
    return tuple(word[at : at + 2] for at in range(len(word) - 1))
