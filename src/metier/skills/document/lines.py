"""The lines of a Markdown document, each with what it is: a heading, code, a comment, text, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from metier.skills.document.frontmatter import split

SMALL = 64 * 1024
"""Characters of a text whose lines are remembered for a while."""
SHORT = 200
"""Characters of a line that is remembered for a while."""
LineKind = Literal["front", "heading", "code", "comment", "blank", "text"]
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)\Z")
_COMMENT = re.compile(r" {0,3}<!--")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#+\Z")
_SPACE = " \t\n\r\x0b\x0c"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLine:
    """One line with its line break."""

    text: str
    kind: LineKind
    level: int = 0
    """Of a heading, 1 to 6."""
    title: str = ""

    @property
    def bare(self) -> str:
        """The line without its line break."""
        return self.text.rstrip("\r\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLines:
    """All lines of a text, and what would have to follow to end what is still open."""

    lines: tuple[DocumentLine, ...]
    open: str = ""
    """The marks that close a code block or comment which nothing ends; empty when none is open."""


def lines_of(text: str) -> DocumentLines:
    """Every line of a document; headings are those that `sections` knows."""
    return _kept(text) if len(text) <= SMALL else _lines_of(text)


def _lines_of(text: str) -> DocumentLines:
    start = _body_start(text)
    front = (DocumentLine(text=one, kind="front") for one in _LINE.findall(text[:start]))
    found: list[DocumentLine] = list(front)
    fence = ""
    comment = False
    for one in _LINE.findall(text[start:]):
        bare = one.rstrip("\r\n")
        if comment:
            comment = "-->" not in bare
            found.append(DocumentLine(text=one, kind="comment"))
        elif fence:
            fence = "" if _closes(bare, fence) else fence
            found.append(DocumentLine(text=one, kind="code"))
        elif opened := _opens(bare):
            fence = opened
            found.append(DocumentLine(text=one, kind="code"))
        else:
            comment = bool(_COMMENT.match(bare)) and "-->" not in bare
            found.append(_plain_line(one) if len(one) <= SHORT else _outside(one))
    return DocumentLines(lines=tuple(found), open="-->" if comment else fence)


_kept = lru_cache(maxsize=16)(_lines_of)
"""Of texts just looked at: a proposal is asked again and again on its way to a skill."""


def text_of(lines: tuple[DocumentLine, ...] | list[DocumentLine]) -> str:
    """The lines as one text again."""
    return "".join(line.text for line in lines)


def _body_start(text: str) -> int:
    """The character behind the frontmatter."""
    document = text.encode("utf-8", "surrogatepass")
    return len(document[: split(document).body.start].decode("utf-8", "surrogatepass"))


def _outside(text: str) -> DocumentLine:
    """A line that is not in a code block, nor in a comment that began before it."""
    bare = text.rstrip("\r\n")
    if _COMMENT.match(bare):
        return DocumentLine(text=text, kind="comment")
    if match := _HEADING.match(bare):
        title = _CLOSING_MARKS.sub("", (match[2] or "").strip()).strip()
        return DocumentLine(text=text, kind="heading", level=len(match[1]), title=title)
    return DocumentLine(text=text, kind="text" if bare.strip() else "blank")


_plain_line = lru_cache(maxsize=1024)(_outside)
"""Of short lines: a text is looked at several times on its way, and texts share their headings."""


def _opens(bare: str) -> str:
    """The marks of a code block that begins on this line, else nothing."""
    match = _FENCE.match(bare)
    return match[1] if match and not (match[1].startswith("`") and "`" in match[2]) else ""


def _closes(bare: str, fence: str) -> bool:
    match = _FENCE.match(bare)
    return bool(match and match[1].startswith(fence) and not match[2].strip(_SPACE))
