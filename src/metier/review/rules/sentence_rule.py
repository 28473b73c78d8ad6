"""The shape of a rule on meaning: what is done, to what, and how, said in one sentence in whatever words."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.review.matching.re2 import TooManyMatchesError, match_spans
from metier.review.text.sentences import has

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from metier.review.text.sentences import Sentences
    from metier.review.text.views import ReviewedText, View

MOST = 1500
"""Sentences of one frame that are looked at; a text with more of them is not honest."""
_BEFORE = 48
"""Bytes before the anchor in which a word may turn it into its opposite."""
NEGATED = (
    r"(?:\b(?:never|not|don'?t|cannot|can'?t|won'?t|shouldn'?t|mustn'?t|avoid|refuse to|refrain from)(?: [\w'-]+){0,6}?"
    r"|\b(?:without|instead of|rather than|prevents?|stop|no|forbid\w*|prohibit\w*)(?: \w+){0,3}?|❌|✗)[\s\"'`(*_]*$"
)
"""A word that turns what follows into its opposite."""
TEACHING = (
    r"\b(?:attack\w*|attackers?|malicious\w*|injection|injected|untrusted|phish\w*|scams?|red flags?|suspicious|vulnerab\w*|threats?|exploit\w*|adversar\w*|anti-?patterns?"
    r"|exfiltrat\w*|malware|jailbreak\w*|spoof\w*|social engineering|OWASP|CVE-\d|refuse|bad example|incorrect|wrong)\b|❌|✗|🚫"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One meaning: an anchor, and what else its sentence says."""

    anchor: str
    """What is done, or the thing it is done to; the rarest part."""
    also: tuple[str, ...] = ()
    """All of these are in the same sentence."""
    unless: str = ""
    """None of this is."""
    reach: int = 0
    """Neighbouring sentences on each side that count as the same."""
    plain: bool = True
    """Whether a word of negation before the anchor, or talk of attacks, excuses it."""


@dataclass(frozen=True, slots=True)
class Framed:
    """An analyser that finds sentences with one of some meanings."""

    frames: tuple[Frame, ...]

    def __call__(self, source: ReviewedText) -> Iterator[tuple[int, int]]:
        """Spans of the original that say so."""
        yield from self.among(source, self.anchors)

    def among(self, source: ReviewedText, anchors: Container[str]) -> Iterator[tuple[int, int]]:
        """The same, where only some of the anchors can be in the text."""
        for frame in self.frames:
            if frame.anchor in anchors:
                for view, start, end in spoken(source, frame):
                    yield view.origin(start, end)

    @property
    def anchors(self) -> tuple[str, ...]:
        """A text that has none of these says none of it."""
        return tuple(frame.anchor for frame in self.frames)


def framed(*frames: Frame) -> Framed:
    """An analyser of these meanings."""
    return Framed(frames)


def spoken(source: ReviewedText, frame: Frame) -> Iterator[tuple[View, int, int]]:
    """Where a text says this, as it is read without its disguises and once it is decoded."""
    for view, cut in source.spoken:
        for count, (start, end) in enumerate(match_spans(frame.anchor, view.data)):
            if count >= MOST:
                raise TooManyMatchesError(frame.anchor)
            if _means(frame, cut, start, end):
                yield view, start, end


def _means(frame: Frame, cut: Sentences, start: int, end: int) -> bool:
    first, last = cut.around(start, end, frame.reach)
    window = cut.data[first:last]
    if not all(has(pattern, window) for pattern in frame.also) or (frame.unless and has(frame.unless, window)):
        return False
    if not frame.plain:
        return True
    return not has(NEGATED, cut.data[max(first, start - _BEFORE) : start]) and not has(TEACHING, window)
