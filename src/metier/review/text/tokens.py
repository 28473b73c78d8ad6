"""Text reduced to what it says: the same words in another case, alphabet or layout are the same tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.review.text.folding import fold_lookalikes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WINDOW = 8
"""So many tokens in a row, the same in two texts, are no accident."""
SQUEEZED = 40
"""So many letters and digits in a row, whatever stands between them."""
_BLOCK = 20
_TOKEN = re.compile(r"[a-z0-9]+|[^\W\d_a-z]")
"""A run of Latin letters and digits, or one character of another script."""


@dataclass(frozen=True, slots=True)
class TextTokens:
    """The tokens of a text, in order."""

    words: tuple[str, ...]
    places: tuple[int, ...]
    """Where each token begins in the folded text."""

    def windows(self, size: int = WINDOW) -> Iterator[tuple[int, str]]:
        """Every so many tokens in a row, with the number of the first."""
        for at in range(len(self.words) - size + 1):
            yield at, " ".join(self.words[at : at + size])


def plain_text(text: str) -> str:
    """A text folded and in small letters; positions are no longer those of the original."""
    return fold_lookalikes(text).casefold()


def tokens(text: str) -> TextTokens:
    """The tokens of a text."""
    found = [(match[0], match.start()) for match in _TOKEN.finditer(plain_text(text))]
    return TextTokens(tuple(word for word, _ in found), tuple(at for _, at in found))


def words(text: str) -> list[str]:
    """The tokens of a text without their places."""
    return _TOKEN.findall(plain_text(text))


def shared_windows(
    needles: set[str], vocabulary: frozenset[str], haystack: Sequence[str], size: int = WINDOW
) -> set[str]:
    """The windows among `needles` that also occur in a list of tokens; the vocabulary has all words of the needles."""
    mask = bytes(map(vocabulary.__contains__, haystack))
    found: set[str] = set()
    for run in re.finditer(rb"\x01{%d,}" % size, mask):
        for at in range(run.start(), run.end() - size + 1):
            window = " ".join(haystack[at : at + size])
            if window in needles:
                found.add(window)
    return found


def blocks_of(text: str) -> dict[str, int]:
    """Every stretch of 20 characters of a squeezed text, and where one of them begins."""
    return {text[at : at + _BLOCK]: at for at in range(len(text) - _BLOCK + 1)}


def shared_blocks(text: str, grams: dict[str, int], other: str) -> Iterator[tuple[int, int]]:
    """Stretches of at least 40 characters of one squeezed text, with its blocks, that also stand in another."""
    at = 0
    while at + _BLOCK <= len(other):
        start = grams.get(other[at : at + _BLOCK])
        if start is None:
            at += _BLOCK
            continue
        left, right = _grown(text, other, start, at)
        if right - left >= SQUEEZED:
            yield left, right
        at += max(_BLOCK, right - start)


def _grown(text: str, other: str, start: int, at: int) -> tuple[int, int]:
    """The common stretch around two places that agree."""
    left, right = start, start + _BLOCK
    while left > 0 and at - (start - left) > 0 and text[left - 1] == other[at - (start - left) - 1]:
        left -= 1
    shift = at - start
    while right < len(text) and right + shift < len(other) and text[right] == other[right + shift]:
        right += 1
    return left, right
