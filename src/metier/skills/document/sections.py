"""The sections of a Markdown document: where each heading stands in the bytes, and what belongs to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.skills.document.frontmatter import Span, line_of, split

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(rb" {0,3}(#{1,6})(?:[ \t]+(.*))?[ \t]*\Z")
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})(.*)\Z")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and all that belongs to it, up to the next heading of its level or above."""

    level: int
    title: str
    line: int
    span: Span
    """Heading included."""
    body: Span
    """Without the heading's line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heading:
    level: int
    title: str
    start: int
    end: int


def sections(document: bytes) -> tuple[Section, ...]:
    """Every section behind the frontmatter in order; `#` in code blocks and HTML comments is no heading."""
    headings = tuple(_headings(document))
    found: list[Section] = []
    for number, heading in enumerate(headings):
        later = (other.start for other in headings[number + 1 :] if other.level <= heading.level)
        end = next(later, len(document))
        found.append(
            Section(
                level=heading.level,
                title=heading.title,
                line=line_of(document, heading.start),
                span=Span(heading.start, end),
                body=Span(heading.end, end),
            )
        )
    return tuple(found)


def _headings(document: bytes) -> Iterator[_Heading]:
    at = split(document).body.start
    fence = b""
    comment = False
    for line in document[at:].splitlines(keepends=True):
        text = line.rstrip(b"\r\n")
        if comment:
            comment = b"-->" not in text
        elif fence:
            fence = b"" if _closes(text, fence) else fence
        elif opened := _opens(text):
            fence = opened
        elif _begins_comment(text):
            comment = b"-->" not in text
        elif match := _HEADING.match(text):
            title = (match[2] or b"").decode("utf-8", "replace").strip()
            title = _CLOSING_MARKS.sub("", title).strip()
            yield _Heading(level=len(match[1]), title=title, start=at, end=at + len(line))
        at += len(line)


def _opens(text: bytes) -> bytes:
    """The marks of a code block that begins on this line, else nothing."""
    match = _FENCE.match(text)
    return match[1] if match and not (match[1].startswith(b"`") and b"`" in match[2]) else b""


def _closes(text: bytes, fence: bytes) -> bool:
    match = _FENCE.match(text)
    return bool(match and match[1].startswith(fence) and not match[2].strip())


def _begins_comment(text: bytes) -> bool:
    return text.lstrip(b" ").startswith(b"<!--") and len(text) - len(text.lstrip(b" ")) <= 3
