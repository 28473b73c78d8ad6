"""Find the places of a text where all parts of a way stand together."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from metier.review.matching.re2 import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.review.matching.hosts import Acquaintance
    from metier.review.rules.rule import Way
    from metier.review.text.views import View

STRANGER, STRAY, UNNAMED = "@stranger", "@stray", "@unnamed"
"""Parts of a way that are a host which nobody has told of, one that is named once in passing, or one that no document
of the package speaks of; `@stranger|pattern` is that or a match of a pattern."""
MOST = 20_000
"""Matches of one part in one text that are looked at."""
LINE = 600
"""Bytes of a line to each side that are looked at."""
_CUT = re.compile(
    r"\n[ \t]*\n\s*"
    r"|\n(?=[ \t]*(?:[-*+>|#•]|\d{1,3}[.)]|```|~~~))"
    r"|[.!?][\"')\]*_`]{0,3}[ \t\n]+(?=[\"'(\[*_`<]{0,3}[A-Z0-9])"
)
"""Where a sentence ends: at an empty line, before a mark of layout, behind a full stop with a capital after it."""
LONGEST = 700
"""Bytes of a window to each side of what was found; a longer sentence is looked at in part."""
Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where all parts of a way stand together, in bytes of a view."""

    start: int
    end: int
    """Of the part that names the finding."""
    first: int
    """Where the earliest part begins."""
    left: int
    right: int
    """The place as a whole."""


class Passages:
    """A view of a text, searched for each part once."""

    def __init__(self, view: View, possible: frozenset[str], hosts: Acquaintance) -> None:
        self.view = view
        self.possible = possible
        self._hosts = hosts
        self._known: dict[str, Spans] = {}

    def places(self, way: Way) -> Iterator[Place]:
        """Every place where the parts of a way stand together, unless something there excuses it."""
        found = self._all_spans(way)
        for start, end in found[0] if found else ():
            left, right = self._window(way.within, start, end)
            firsts = [_inside(spans, left, right) for spans in found[1:]]
            if any(first is None for first in firsts):
                continue
            if way.unless and compile_pattern(way.unless).search(self.view.data[left:right]):
                continue
            yield Place(start, end, min([start, *(first for first in firsts if first is not None)]), left, right)

    def _all_spans(self, way: Way) -> list[Spans]:
        """Where each part matches; nothing if one of them matches nowhere."""
        found: list[Spans] = []
        for part in way.all:
            found.append(self.spans(part))
            if not found[-1]:
                return []
        return found

    def spans(self, part: str) -> Spans:
        """Where a part matches."""
        if part not in self._known:
            self._known[part] = self._search(part)
        return self._known[part]

    def _search(self, part: str) -> Spans:
        data = self.view.data
        if part == STRAY:
            return self._hosts.strays(data)
        if part == UNNAMED:
            return self._hosts.unnamed(data)
        if not part.startswith(STRANGER):
            return [(match.start(), match.end()) for match in islice(compile_pattern(part).finditer(data), MOST)]
        pattern = part.removeprefix(STRANGER).removeprefix("|")
        return sorted({*self._hosts.strangers(data), *(self.spans(pattern) if pattern else ())})

    def _window(self, within: str, start: int, end: int) -> tuple[int, int]:
        data = self.view.data
        if within == "file":
            return 0, len(data)
        if within == "line":
            left = data.rfind(b"\n", max(0, start - LINE), start) + 1
            right = data.find(b"\n", end, end + LINE)
            return max(left, start - LINE), right if right >= 0 else min(len(data), end + LINE)
        if within in ("sentence", "sentences"):
            return self._sentences.around(start, end, 1 if within == "sentences" else 0)
        return max(0, start - int(within)), min(len(data), end + int(within))

    @cached_property
    def _sentences(self) -> Sentences:
        return sentences(self.view)


def _inside(spans: Spans, left: int, right: int) -> int | None:
    """Where the first of the spans inside a window begins."""
    at = bisect_left(spans, (left, left))
    return spans[at][0] if at < len(spans) and spans[at][1] <= right else None


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
