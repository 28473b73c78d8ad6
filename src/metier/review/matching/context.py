"""What surrounds a finding: a negation, talk of attacks, a heading, a table; a text about attacks is no attack."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from metier.review.matching.hosts import hosts_of, is_public
from metier.review.matching.re2 import compile_pattern
from metier.review.rules.catalogue import words

if TYPE_CHECKING:
    from metier.review.text.views import View

BEFORE = 60
"""Bytes before a finding in which a word may turn it into its opposite."""
QUOTED = 0.4
"""What is left of a rule's weight where a skill about security shows an attack as an example."""
LEAD = 1200
"""Bytes before an item of a list in which the line that leads in is looked for."""
_ITEM = (b"- ", b"* ", b"+ ", b"|", b"  ", b"\t", *(f"{number}.".encode() for number in range(1, 10)))
_ADDRESS = re.compile(rb"https?://\S+|\b[\w.-]+\.(?:com|net|org|io|dev|example)\b")
"""What is no word, although a word may stand in it."""
_HEADING = r"(?m)^[ \t]{0,3}#{1,6}[ \t][^\n]{0,200}"
_FENCE = r"(?m)^[ \t>]{0,12}(?:```|~~~)"


class Surroundings:
    """A view of a text with the marks of its layout."""

    def __init__(self, view: View, *, script: bool, on_security: bool, prose: bool = False) -> None:
        self._data = view.data
        self._prose = prose
        self._script = script
        self._on_security = on_security

    def share(self, start: int, end: int, first: int, last: int) -> float:
        """How much of a rule's weight counts for a match, given the place it is in."""
        if self._is_negated(start, first) or _has("teaching", _ADDRESS.sub(b" ", self._data[first:last])):
            return 0.0
        if self._prose and _has("asking", self._data[max(first, start - 2 * BEFORE) : end]):
            return 0.0
        if self._script:
            listed = self._on_security and _has("pattern_list", self._line(start, end))
            return QUOTED if listed and not self._names_host(first, last) else 1.0
        if self._is_warned_of(start, first):
            return 0.0
        return QUOTED if self._is_example(start, end, first, last) else 1.0

    def share_of_passage(self, start: int, end: int) -> float:
        """How much of a passage as a whole counts: less where it is spoken of, asked for, or shown as an attack."""
        if self._prose and self._is_spoken_of(self._data[start:end]):
            return QUOTED
        if not self._script and self._is_warned_of(start, start):
            return QUOTED
        shown = self._on_security and (not self._script or _has("pattern_list", self._data[start:end]))
        return QUOTED if shown and not self._names_host(start, end) else 1.0

    def _is_spoken_of(self, passage: bytes) -> bool:
        """Whether a passage forbids, looks for or explains something, or asks the person, and hides nothing."""
        if _has("kept_from", passage):
            return False
        return _has("opening", passage) or _has("asked", passage) or _has("teaching", _ADDRESS.sub(b" ", passage))

    def _names_host(self, first: int, last: int) -> bool:
        """Whether a place names a host that somebody may have, the skill's own too: an example has no need of one."""
        data = self._data[first:last]
        found = (data[start:end] for start, end, host in hosts_of(data) if not is_public(host))
        return any(not _has("evil_host", one) for one in found)

    def _is_example(self, start: int, end: int, first: int, last: int) -> bool:
        """Whether a match is shown: quoted, or in a text about security, where a host of somebody makes it real."""
        if self._prose and (self._is_fenced(start) or self._is_quoted(start)):
            return True
        if not self._on_security or not (self._is_shown(start, end) or self._is_quoted(end)):
            return False
        return not self._names_host(first, last)

    def _is_warned_of(self, start: int, first: int) -> bool:
        """Whether the words before a match, its list or its section name what follows as something bad."""
        if _has("teaching", self._heading(start)) or _has("warning", self._data[max(0, first - 160) : first]):
            return True
        return _has("lead_in", self._lead_in(start))

    def _is_negated(self, start: int, first: int) -> bool:
        return _has("negation", self._data[max(first, start - BEFORE) : start])

    def _is_shown(self, start: int, end: int) -> bool:
        """Whether a match stands in a block of code, a table, a quotation or between marks."""
        if self._is_fenced(start) or self._line(start, end).lstrip()[:1] in (b"|", b">"):
            return True
        return self._data[max(0, start - 1) : start] == b"`"

    def _is_fenced(self, at: int) -> bool:
        return bisect_right(self._fences, at) % 2 == 1

    def _is_quoted(self, start: int) -> bool:
        """Whether a match stands between quotation marks, which are open before it on its line and closed behind it."""
        before = self._data[max(0, start - 400) : start].rpartition(b"\n")[2]
        after = self._data[start : start + 400].partition(b"\n")[0]
        return before.count(b'"') % 2 == 1 and b'"' in after

    def _lead_in(self, start: int) -> bytes:
        """The line that a list of items begins with, for a match in one of them."""
        lines = self._data[max(0, start - LEAD) : start].split(b"\n")
        if len(lines) < 2 or not lines[-1].lstrip().startswith(_ITEM):
            return b""
        return next(
            (line for line in reversed(lines[:-1]) if line.strip() and not line.lstrip().startswith(_ITEM)), b""
        )

    def _line(self, start: int, end: int) -> bytes:
        first = self._data.rfind(b"\n", max(0, start - 400), start) + 1
        last = self._data.find(b"\n", end, end + 400)
        return self._data[max(first, start - 400) : last if last >= 0 else end + 400]

    def _heading(self, at: int) -> bytes:
        index = bisect_right(self._headings, (at, at)) - 1
        return self._data[slice(*self._headings[index])] if index >= 0 else b""

    @cached_property
    def _headings(self) -> list[tuple[int, int]]:
        found = compile_pattern(_HEADING).finditer(self._data) if b"#" in self._data else ()
        return [(match.start(), match.end()) for match in found]

    @cached_property
    def _fences(self) -> list[int]:
        return [match.start() for match in compile_pattern(_FENCE).finditer(self._data)]


def _has(word: str, data: bytes) -> bool:
    return bool(data) and compile_pattern(words()[word]).search(data) is not None
