"""Here-documents: the lines after `<<WORD` up to the line that is that word."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

_LINE = re.compile(r"[^\n]*\n?")


@dataclass(slots=True)
class HereDocuments:
    """Finds the ends of here-documents in a text; its lines are read once, however many there are."""

    text: str
    _starts: dict[str, list[int]] | None = None
    """Where the lines of the text begin, by their words."""

    def read(self, at: int, word: str) -> tuple[str, int] | None:
        """The document that begins at a place and the place behind its last line; None: it has no end."""
        if self._starts is None:
            self._starts = {}
            for line in _LINE.finditer(self.text):
                self._starts.setdefault(line[0].strip(), []).append(line.start())
        places = self._starts.get(word.strip(), [])
        found = bisect_left(places, at)
        if found == len(places):
            return None
        end = places[found]
        behind = self.text.find("\n", end)
        return self.text[at:end], len(self.text) if behind < 0 else behind + 1
