"""The origin layer: no line of a draft may come from a tool, a page or a file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from metier.formats.origins import is_shell
from metier.review.layers.evidence import commands, run_texts
from metier.review.layers.heard_first import heard_first_findings
from metier.review.layers.timeline import Timeline
from metier.review.reach.document_commands import FENCE, SPAN
from metier.review.reach.reach import is_risky, is_standing
from metier.review.rules.catalogue import finding
from metier.review.text.file_kinds import sources
from metier.review.text.tokens import (
    WINDOW,
    TextTokens,
    blocks_of,
    plain_text,
    shared_blocks,
    tokens,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.review.layers.evidence import RunText
    from metier.review.text.views import ReviewedText
    from metier.skills.package import Package
    from metier.types import Finding, Run

_PLACEHOLDER = re.compile(r"<[^<>\n]{1,60}>|…|\.\.\.")
_LONG_WORD = re.compile(r"[^\s`]*(?:[/._-][A-Za-z0-9]+){3}[^\s`]*")
"""A path or the like: at least four words without a blank."""
SHORT_LINE = 200
"""Characters of a line whose words are remembered: tools say the same again and again."""
LOOSE = 2
"""Tokens around a command that may be shared as well: `use`, `run`."""
SHORT = 3
"""Tokens that an order of a foreign line has at least, to be looked for as a whole."""


def origin_findings(
    package: Package,
    evidence: Sequence[Run],
    before: Package | None = None,
    around: Sequence[Run] = (),
    own: Sequence[str] = (),
) -> list[Finding]:
    """Findings for what the package newly says and its evidence has from an untrusted origin first.

    `own` are sentences that the writer of drafts says by itself: a skill that somebody reads may well have them.
    """
    old = [source.text for source in sources(before)] if before else []
    timeline = Timeline(evidence, around, old)
    model = dict.fromkeys(one.text for one in run_texts(evidence) if one.origin == "model")
    done = executed_lines(evidence)
    found: list[Finding] = []
    for source in sources(package):
        look = _Look(source, timeline, done, own)
        found += look.findings()
        found += look.model_orders(model)
        found += heard_first_findings(source, timeline, own)
    return found


def executed_lines(evidence: Sequence[Run]) -> list[str]:
    """The command lines that ran without an error, as letters."""
    done = {
        "".join(words(commands(call.input))): None
        for run in evidence
        for call in run.tools
        if call.ok and call.error is None and is_shell(call.name)
    }
    return [line for line in done if line]


class _Look:
    """One file of the package, compared with the texts of the evidence."""

    def __init__(self, source: ReviewedText, timeline: Timeline, done: list[str], own: Sequence[str]) -> None:
        self._source = source
        self._timeline = timeline
        self._tokens: TextTokens = tokens(source.text)
        self._squeezed = "".join(self._tokens.words)
        self._offsets = list(accumulate(map(len, self._tokens.words), initial=0))[:-1]
        """Where each token begins in it."""
        self._blocks = blocks_of(self._squeezed)
        self._lines = [(line, _key(line)) for line in source.text.splitlines()]
        self._mine = "\n".join(key for _, key in self._lines)
        self._covered = self._cover(done, own)

    def findings(self) -> Iterator[Finding]:
        """One finding for each untrusted text that the file has taken something from; tools repeat themselves."""
        taken: dict[str, tuple[int, int] | None] = {}
        windows = self._heard_windows()
        for span in self._timeline.foreign():
            if span.text not in taken:
                taken[span.text] = windows.get(span.text) or self._taken(span.text)
                at = taken[span.text]
                if at is not None:
                    what = f"This comes from {_place_of(span)}, {span.where} ({span.origin}), which no person wrote."
                    yield replace(finding(self._source, "untrusted-overlap", at), reason=what)

    def model_orders(self, model: Iterable[str]) -> Iterator[Finding]:
        """Standing orders that are the agent's own words."""
        text = " \n ".join(map(_key, model))
        for line, key in self._lines:
            if len(key.split()) >= WINDOW // 2 and key in text and is_standing(line) and not self._is_trusted(key):
                start = self._source.text.find(line)
                yield finding(self._source, "model-order", (start, start + max(1, len(line))))

    def _heard_windows(self) -> dict[str, tuple[int, int]]:
        """For each untrusted text that was the first to say eight words of the file, where they stand."""
        places: dict[str, list[int]] = {}
        for at, window in self._tokens.windows():
            places.setdefault(window, []).append(at)
        found: dict[str, tuple[int, int]] = {}
        heard = self._timeline.heard_windows(set(places), WINDOW)
        for window in sorted(heard, key=lambda one: places[one][0]):
            if not any(self._is_asked_about(at, at + WINDOW - 1) for at in places[window]):
                first = places[window][0]
                found.setdefault(heard[window].text, self._place(first, first + WINDOW - 1))
        return found

    def _taken(self, text: str) -> tuple[int, int] | None:
        """Where the file has something from a text in another layout, or as a short line."""
        return self._block(words(text)) or self._line(text)

    def _block(self, said: list[str]) -> tuple[int, int] | None:
        """The same letters with other cuts between them, unless somebody trusted wrote them too."""
        for left, right in shared_blocks(self._squeezed, self._blocks, "".join(said)):
            part = self._squeezed[left:right]
            if not (self._timeline.is_trusted(part) or self._is_code(part) or self._timeline.did_first(part)):
                return self._place(self._token_at(left), self._token_at(right - 1))
        return None

    def _line(self, text: str) -> tuple[int, int] | None:
        """A short foreign line that gives an order, taken over as it is."""
        for line in dict.fromkeys(text.splitlines()):
            key = _key(line)
            count = len(key.split())
            if SHORT <= count < WINDOW and key in self._mine and is_risky(line) and not self._is_known(key):
                for own, mine in self._lines:
                    if f" {key} " in f" {mine} ":
                        start = self._source.text.find(own)
                        return start, start + len(own)
        return None

    def _is_known(self, key: str) -> bool:
        squeezed = key.replace(" ", "")
        return self._is_trusted(key) or self._is_code(squeezed) or self._timeline.did_first(squeezed)

    def _is_code(self, squeezed: str) -> bool:
        """Whether these letters stand somewhere in the file as a command that was run or as one long word."""
        at = self._squeezed.find(squeezed)
        while at >= 0:
            if self._is_asked_about(self._token_at(at), self._token_at(at + len(squeezed) - 1)):
                return True
            at = self._squeezed.find(squeezed, at + len(squeezed))
        return False

    def _is_trusted(self, key: str) -> bool:
        return self._timeline.is_trusted(key.replace(" ", ""))

    def _is_asked_about(self, first: int, last: int) -> bool:
        """Whether nearly all of some tokens is a command that was run, one long word (a path), or the writer's own.

        Whose words commands and paths are is for `heard_first` to say, and for a person to decide.
        """
        covered = self._covered[first : last + 1].count(1)
        return covered > 0 and last + 1 - first - covered <= LOOSE

    def _cover(self, done: list[str], own: Sequence[str]) -> bytearray:
        """One byte a token: whether it stands in code that was run, in a long word, or in the writer's own words."""
        text = plain_text(self._source.text)
        covered = bytearray(len(self._tokens.words))
        spans = [span.span() for pattern in (FENCE, SPAN) for span in pattern.finditer(text) if _was_run(span[2], done)]
        spans += [word.span() for word in _LONG_WORD.finditer(text)]
        places = self._tokens.places
        for start, end in spans:
            first, last = bisect_left(places, start), bisect_left(places, end)
            covered[first:last] = b"\x01" * (last - first)
        for letters in ("".join(words(one)) for one in own):
            at = self._squeezed.find(letters)
            while at >= 0:
                first, last = self._token_at(at), self._token_at(at + len(letters) - 1) + 1
                covered[first:last] = b"\x01" * (last - first)
                at = self._squeezed.find(letters, at + len(letters))
        return covered

    def _token_at(self, at: int) -> int:
        """The token that a character of the squeezed text belongs to."""
        return max(bisect_right(self._offsets, at) - 1, 0)

    def _place(self, first: int, last: int) -> tuple[int, int]:
        """Characters of the original for two tokens; where folding changed lengths, the line is still right."""
        places = self._tokens.places
        start, end = places[first], places[last] + len(self._tokens.words[last])
        if self._source.text.isascii():
            return start, end
        return _unfolded(self._source.text, start), max(_unfolded(self._source.text, end), 1)


def _was_run(code: str, done: list[str]) -> bool:
    """Whether code is a command that was run, whatever stood in the place of its placeholders."""
    pieces = [letters for piece in _PLACEHOLDER.split(code) if (letters := "".join(words(piece)))]
    return bool(pieces) and any(all(piece in line for piece in pieces) for line in done)


def _place_of(span: RunText) -> str:
    return f"run {span.run + 1}" if span.run >= 0 else "another run of the same session"


def _key(line: str) -> str:
    return _short_key(line) if len(line) <= SHORT_LINE else " ".join(words(line))


@lru_cache(maxsize=4096)
def _short_key(line: str) -> str:
    return " ".join(words(line))


def _unfolded(text: str, at: int) -> int:
    """The place in the original of a place in the folded text, going line by line, then in proportion."""
    done = 0
    for match in re.finditer(r"[^\n]*\n?", text):
        size = len(plain_text(match[0]))
        if done + size >= at or match.end() == len(text):
            return min(match.start() + at - done, match.end())
        done += size
    return len(text)
