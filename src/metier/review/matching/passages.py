"""Find the places of a text where all parts of a way stand together."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from metier.review.matching.re2 import compile_pattern
from metier.review.text.sentences import Sentences, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

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
