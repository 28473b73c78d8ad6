"""The lines of a document and its blocks: headings, lists, code, with what stands around them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from metier.skills.document.frontmatter import split

if TYPE_CHECKING:
    from collections.abc import Sequence

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


BlockKind = Literal["paragraph", "item", "code", "comment"]
ITEM = re.compile(r"( {0,3})([-*+]|\d{1,9}[.)])(?:[ \t]+|\Z)")
_BULLETS = re.compile(r"\A(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])(?:\s+|\Z)|\[[ xX]\]\s+)+")
_TRAILING = " .,;:!?…。！？"
_RULES = " -*_=|"
"""What lines and borders of tables are drawn with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPart:
    """A heading and the lines up to the next one; the first part of a text may have no heading."""

    heading: DocumentLine | None
    lines: tuple[DocumentLine, ...]

    @property
    def level(self) -> int:
        """Of the heading; 0 without one."""
        return self.heading.level if self.heading else 0

    @property
    def title(self) -> str:
        """The heading as it is compared."""
        return key(self.heading.title) if self.heading else ""

    def at_level(self, level: int) -> DocumentPart:
        """The part with its heading at another level, at most 6."""
        if self.heading is None:
            return self
        level = min(level, 6)
        text = re.sub("#+", "#" * level, self.heading.text, count=1)
        return replace(self, heading=replace(self.heading, text=text, level=level))


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One piece of knowledge: a paragraph, a list item with all below it, a code block."""

    kind: BlockKind
    lines: tuple[DocumentLine, ...]

    @property
    def leads(self) -> bool:
        """Whether it only announces the next one."""
        return self.kind == "paragraph" and self.lines[-1].bare.rstrip().endswith((":", "："))

    @property
    def key(self) -> str:
        """The block as it is compared, wherever its lines are broken."""
        return key(" ".join(line.bare.strip() for line in self.lines))


class KnownBlocks:
    """What a text says already; grows while more is added to it."""

    def __init__(self, lines: Sequence[DocumentLine]) -> None:
        self._lines = {_line_key(line) for line in lines} | {""}
        self._blocks = {block.key for part in parts_of(lines) for block in blocks_of(part.lines)}

    def holds(self, block: Block) -> bool:
        """Whether the text has this block, or every line of it."""
        told = all(_line_key(line) in self._lines for line in block.lines)
        return told or (block.kind != "code" and block.key in self._blocks)

    def add(self, block: Block) -> None:
        """The text has this block now."""
        self._lines |= {_line_key(line) for line in block.lines}
        self._blocks.add(block.key)


def key(text: str) -> str:
    """A text as it is compared: case, white space, bullet and trailing punctuation do not count."""
    plain = _BULLETS.sub("", " ".join(text.casefold().split())).rstrip(_TRAILING)
    return plain if plain.strip(_RULES) else ""


def parts_of(lines: Sequence[DocumentLine]) -> tuple[DocumentPart, ...]:
    """The parts of a text behind its frontmatter, in order."""
    found: list[DocumentPart] = []
    heading: DocumentLine | None = None
    below: list[DocumentLine] = []
    for line in lines:
        if line.kind == "heading":
            found.append(DocumentPart(heading=heading, lines=tuple(below)))
            heading, below = line, []
        elif line.kind != "front":
            below.append(line)
    return (*found, DocumentPart(heading=heading, lines=tuple(below)))


def blocks_of(lines: Sequence[DocumentLine]) -> tuple[Block, ...]:
    """The blocks of lines without headings, in order."""
    found: list[tuple[BlockKind, list[DocumentLine]]] = []
    before: DocumentLine | None = None
    blanks: list[DocumentLine] = []
    for line in lines:
        if line.kind == "blank":
            blanks.append(line)
            continue
        kind = found[-1][0] if found else None
        if before is not None and _continues(kind, line, before, apart=bool(blanks)):
            found[-1][1].extend((*blanks, line))
        else:
            found.append((_begins(line), [line]))
        before, blanks = line, []
    return tuple(Block(kind=kind, lines=tuple(inside)) for kind, inside in found)


def _continues(kind: BlockKind | None, line: DocumentLine, before: DocumentLine, *, apart: bool) -> bool:
    """Whether a line belongs to the block before it."""
    if line.kind == before.kind != "text":
        return not apart or line.kind != "comment"
    if kind == "item" and line.text.startswith(("  ", "\t")):
        return True
    if apart or line.kind != "text" or before.kind != "text" or kind not in ("paragraph", "item"):
        return False
    return not ITEM.match(line.bare)


def _begins(line: DocumentLine) -> BlockKind:
    if line.kind == "code" or line.kind == "comment":
        return line.kind
    return "item" if ITEM.match(line.bare) else "paragraph"


def _line_key(line: DocumentLine) -> str:
    """A line as it is compared; in code, case and punctuation count."""
    return f"`{' '.join(line.bare.split())}" if line.kind == "code" else key(line.bare)
