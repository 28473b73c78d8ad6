"""The origin layer: no line of a draft may come from a tool, a page or a file."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.formats.origins import is_shell
from metier.review.layers.evidence import commands, run_texts
from metier.review.layers.heard_first import heard_first_findings
from metier.review.layers.timeline import Timeline
from metier.review.matching.findings import finding
from metier.review.reach.document_commands import command_texts
from metier.review.reach.standing import is_risky, is_standing
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

SHORT_LINE = 200
"""Characters of a line whose words are remembered: tools say the same again and again."""
SHORT = 3
"""Tokens that an order of a foreign line has at least, to be looked for as a whole."""


def origin_findings(
    package: Package, evidence: Sequence[Run], before: Package | None = None, around: Sequence[Run] = ()
) -> list[Finding]:
    """Findings for what the package newly says and its evidence has from an untrusted origin first."""
    old = [source.text for source in sources(before)] if before else []
    timeline = Timeline(evidence, around, old)
    model = dict.fromkeys(one.text for one in run_texts(evidence) if one.origin == "model")
    done = executed_lines(evidence)
    found: list[Finding] = []
    for source in sources(package):
        look = _Look(source, timeline, done)
        found += look.findings()
        found += look.model_orders(model)
        found += heard_first_findings(source, timeline)
    return found


def executed_lines(evidence: Sequence[Run]) -> list[str]:
    """The command lines that ran without an error in at least two sessions, as letters."""
    sessions: dict[str, set[str]] = {}
    for run in evidence:
        for call in run.tools:
            if call.ok and call.error is None and is_shell(call.name):
                sessions.setdefault("".join(words(commands(call.input))), set()).add(run.session)
    return [line for line, where in sessions.items() if line and len(where) > 1]


class _Look:
    """One file of the package, compared with the texts of the evidence."""

    def __init__(self, source: ReviewedText, timeline: Timeline, done: list[str]) -> None:
        self._source = source
        self._timeline = timeline
        self._tokens: TextTokens = tokens(source.text)
        self._squeezed = "".join(self._tokens.words)
        self._blocks = blocks_of(self._squeezed)
        self._lines = [(line, _key(line)) for line in source.text.splitlines()]
        self._mine = "\n".join(key for _, key in self._lines)
        shown = ["".join(words(one)) for one in command_texts(source.text, script=source.script, learned=True)]
        self._done = [line for line in shown if any(line in one for one in done)]
        """The commands of the file that ran in several sessions."""

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
        places: dict[str, int] = {}
        for at, window in self._tokens.windows():
            places.setdefault(window, at)
        found: dict[str, tuple[int, int]] = {}
        heard = self._timeline.heard_windows(set(places), WINDOW)
        for window in sorted(heard, key=places.__getitem__):
            if not self._was_done(window.replace(" ", "")):
                found.setdefault(heard[window].text, self._place(places[window], places[window] + WINDOW - 1))
        return found

    def _taken(self, text: str) -> tuple[int, int] | None:
        """Where the file has something from a text in another layout, or as a short line."""
        return self._block(words(text)) or self._line(text)

    def _block(self, said: list[str]) -> tuple[int, int] | None:
        """The same letters with other cuts between them, unless somebody trusted wrote them too."""
        for left, right in shared_blocks(self._squeezed, self._blocks, "".join(said)):
            part = self._squeezed[left:right]
            if not (self._timeline.is_trusted(part) or self._was_done(part) or self._timeline.did_first(part)):
                first, last = self._token_at(left), self._token_at(right - 1)
                return self._place(first, last)
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
        return self._is_trusted(key) or self._was_done(squeezed) or self._timeline.did_first(squeezed)

    def _is_trusted(self, key: str) -> bool:
        return self._timeline.is_trusted(key.replace(" ", ""))

    def _was_done(self, squeezed: str) -> bool:
        """Whether it is part of a command that ran in several sessions: then a person is asked, see `heard_first`."""
        return any(squeezed in line for line in self._done)

    def _token_at(self, at: int) -> int:
        """The token that a character of the squeezed text belongs to."""
        for number, word in enumerate(self._tokens.words):
            at -= len(word)
            if at < 0:
                return number
        return len(self._tokens.words) - 1

    def _place(self, first: int, last: int) -> tuple[int, int]:
        """Characters of the original for two tokens; where folding changed lengths, the line is still right."""
        places = self._tokens.places
        start, end = places[first], places[last] + len(self._tokens.words[last])
        if self._source.text.isascii():
            return start, end
        return _unfolded(self._source.text, start), max(_unfolded(self._source.text, end), 1)


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
