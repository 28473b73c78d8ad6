"""The origin layer: no line of a draft may come from a tool, a page or a file."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.review.layers.evidence import FOREIGN, TEACHING, RunText, run_texts
from metier.review.matching.findings import finding
from metier.review.matching.re2 import matches
from metier.review.text.file_kinds import sources
from metier.review.text.tokens import (
    WINDOW,
    TextTokens,
    blocks_of,
    plain_text,
    shared_blocks,
    shared_windows,
    tokens,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.review.text.views import ReviewedText
    from metier.skills.package import Package
    from metier.types import Finding, Run

_STANDING = (
    r"\b(?:always|never|every time|whenever|from now on|at all times|in all cases|no matter)\b"
    r"|\bunder no circumstances\b|\bwithout exception\b"
    r"|\b(?:before|after|on|for|at the (?:start|end|beginning) of) (?:every|each|any|all) \w+"
    r"|\b(?:do not|don'?t) (?:ever|tell|mention|ask)\b|\bmust (?:always|never|not)\b"
    r"|\b(?:by default|permanently|for ever|forever)\b,? (?:\w+ ){0,2}?(?:use|run|do|add|send|set)"
)
_RISKY = (
    r"https?://|\b(?:curl|wget|ssh|scp|nc|sudo|eval|exec|chmod|crontab|base64|powershell|npx|pip3? install)\b|\brm -"
    r"|\bnpm i(?:nstall)?\b|\bgit push\b|~/\.|/etc/|\.env\b"
    r"|\b(?:ignore|disregard|override|bypass|disable|delete|send|upload|post|forward|exfiltrate|install|download)\b"
    r"|\b(?:run|execute|grant|approve|trust)\b"
    r"|\b(?:password|token|secret|credential|api[_ -]?key|private key)s?\b"
)


def is_standing(line: str) -> bool:
    """Whether a line gives an order that holds from now on."""
    return matches(_STANDING, line)


def is_risky(line: str) -> bool:
    """Whether a line orders something that matters: an address, a program, a secret, or an order beyond the task."""
    return matches(_RISKY, line) or is_standing(line)


SHORT_LINE = 200
"""Characters of a line whose words are remembered: tools say the same again and again."""
SHORT = 3
"""Tokens that an order of a foreign line has at least, to be looked for as a whole."""


def origin_findings(package: Package, evidence: Sequence[Run], before: Package | None = None) -> list[Finding]:
    """Findings for what the package newly says and its evidence has only from an untrusted origin."""
    said = list(run_texts(evidence))
    trusted = [one.text for one in said if one.origin in TEACHING]
    old = [source.text for source in sources(before)] if before else []
    foreign = [one for one in said if one.origin in FOREIGN]
    model = dict.fromkeys(one.text for one in said if one.origin == "model")
    known = [words(text) for text in dict.fromkeys((*trusted, *old))]
    found: list[Finding] = []
    for source in sources(package):
        look = _Look(source, known)
        found += look.findings(foreign)
        found += look.model_orders(model)
    return found


class _Look:
    """One file of the package, compared with the texts of the evidence."""

    def __init__(self, source: ReviewedText, known: list[list[str]]) -> None:
        self._source = source
        self._tokens: TextTokens = tokens(source.text)
        self._vocabulary = frozenset(self._tokens.words)
        windows = {window for _, window in self._tokens.windows()}
        for text in known:
            windows -= shared_windows(windows, self._vocabulary, text)
        self._new = windows
        self._allowed = ["".join(text) for text in known]
        self._squeezed = "".join(self._tokens.words)
        self._blocks = blocks_of(self._squeezed)
        self._lines = [(line, _key(line)) for line in source.text.splitlines()]
        self._mine = "\n".join(key for _, key in self._lines)

    def findings(self, foreign: Iterable[RunText]) -> Iterator[Finding]:
        """One finding for each untrusted text that the file has taken something from; tools repeat themselves."""
        taken: dict[str, tuple[int, int] | None] = {}
        for span in foreign:
            if span.text not in taken:
                taken[span.text] = self._taken(span.text)
            at = taken[span.text]
            if at is not None:
                start, end = at
                what = f"This comes from run {span.run + 1}, {span.where} ({span.origin}), which no person wrote."
                yield replace(finding(self._source, "untrusted-overlap", (start, end)), reason=what)

    def model_orders(self, model: Iterable[str]) -> Iterator[Finding]:
        """Standing orders that are the agent's own words."""
        text = " \n ".join(map(_key, model))
        for line, key in self._lines:
            if len(key.split()) >= WINDOW // 2 and key in text and is_standing(line) and not self._is_known(key):
                start = self._source.text.find(line)
                yield finding(self._source, "model-order", (start, start + max(1, len(line))))

    def _taken(self, text: str) -> tuple[int, int] | None:
        """Where the file has something from a text."""
        said = words(text)
        return self._window(said) or self._block(said) or self._line(text)

    def _window(self, said: list[str]) -> tuple[int, int] | None:
        common = shared_windows(self._new, self._vocabulary, said)
        if not common:
            return None
        at = next(number for number, window in self._tokens.windows() if window in common)
        return self._place(at, at + WINDOW - 1)

    def _block(self, said: list[str]) -> tuple[int, int] | None:
        """The same letters with other cuts between them, unless somebody trusted wrote them too."""
        for left, right in shared_blocks(self._squeezed, self._blocks, "".join(said)):
            part = self._squeezed[left:right]
            if not any(part in text for text in self._allowed):
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
        return any(key.replace(" ", "") in text for text in self._allowed)

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
