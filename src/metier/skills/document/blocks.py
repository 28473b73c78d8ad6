"""What a Markdown text teaches, piece by piece: paragraphs, list items, code; and which pieces are known already."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.skills.document.lines import DocumentLine

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
    match line.kind:
        case "code" | "comment":
            return line.kind
        case _:
            return "item" if ITEM.match(line.bare) else "paragraph"


def _line_key(line: DocumentLine) -> str:
    """A line as it is compared; in code, case and punctuation count."""
    if line.kind == "code":
        return f"`{' '.join(line.bare.split())}"
    return key(line.bare)
