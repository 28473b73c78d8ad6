"""Cut a text into sentences, and look at one sentence with its neighbours at a time."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.review.matching.re2 import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.review.text.views import View

_CUT = re.compile(
    r"\n[ \t]*\n\s*"
    r"|\n(?=[ \t]*(?:[-*+>|#•]|\d{1,3}[.)]|```|~~~))"
    r"|[.!?][\"')\]*_`]{0,3}[ \t\n]+(?=[\"'(\[*_`<]{0,3}[A-Z0-9])"
)
"""Where a sentence ends: at an empty line, before a mark of layout, behind a full stop with a capital after it."""
LONGEST = 700
"""Bytes of a window to each side of what was found; a longer sentence is looked at in part."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of a view, as places in its bytes."""

    data: bytes
    starts: tuple[int, ...]

    def around(self, start: int, end: int, reach: int = 0) -> tuple[int, int]:
        """The sentence of a span, with so many neighbours on both sides."""
        first = max(0, bisect_right(self.starts, start) - 1 - reach)
        last = bisect_right(self.starts, max(start, end - 1)) + reach
        stop = self.starts[last] if last < len(self.starts) else len(self.data)
        return max(self.starts[first], start - LONGEST), min(stop, end + LONGEST)


def sentences(view: View) -> Sentences:
    """Where the sentences of a view begin."""
    starts = [0, *(match.end() for match in _CUT.finditer(view.text))]
    if len(view.data) != len(view.text):
        starts = _in_bytes(view.text, starts)
    return Sentences(view.data, tuple(starts))


def _in_bytes(text: str, places: Sequence[int]) -> list[int]:
    """Places in the UTF-8 bytes for places in the text, both in order."""
    found: list[int] = []
    done = size = 0
    for place in places:
        size += len(text[done:place].encode("utf-8", "replace"))
        found.append(size)
        done = place
    return found


def has(pattern: str, data: bytes) -> bool:
    """Whether a pattern occurs in a window."""
    return compile_pattern(pattern).search(data) is not None
