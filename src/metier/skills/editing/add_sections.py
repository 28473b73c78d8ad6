"""Add sections to a document, before its protected regions; every byte that was there stays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.skills.document.frontmatter import split
from metier.skills.document.lines import DocumentLine, DocumentPart, KnownBlocks, blocks_of, key, lines_of, parts_of
from metier.skills.document.regions import scan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NOTES = "Notes"
"""The section of what comes without a heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDocument:
    """A document that sections are added to."""

    head: str
    """What may grow."""
    tail: str
    """The first protected region and whatever follows it."""
    newline: str

    def known(self) -> KnownBlocks:
        """What the document already says, protected regions included."""
        return KnownBlocks(lines_of(f"{self.head}{self.tail}").lines)


def open_document(document: bytes) -> OpenDocument:
    """The document, ready for new sections; it is refused if it ends inside frontmatter, code or a comment."""
    layout = split(document)
    if layout.state == "unterminated":
        raise InputError("The frontmatter of the skill is never closed; put a line --- behind its last key first.")
    body = document[layout.body.start :].decode("utf-8", "surrogateescape")
    start = scan(body).first_start
    front = document[: layout.body.start].decode("utf-8", "surrogateescape")
    head = f"{front}{body[:start] if start >= 0 else body}"
    found = lines_of(head)
    if found.open:
        line = _opened(found.lines)
        raise InputError(f"A code block or comment that begins on line {line} is never closed; close it by hand first.")
    return OpenDocument(head=head, tail=body[start:] if start >= 0 else "", newline=layout.newline.decode())


def append_sections(sheet: OpenDocument, parts: Sequence[DocumentPart]) -> str | None:
    """The document with every section that says something new; None if no section does."""
    there = parts_of(lines_of(sheet.head).lines)
    last, title = there[-1], next((part.title for part in there if part.level == 1), "")
    parts = with_headings(without_own_title(parts, title))
    kept = [part for _, part in new_parts(parts, sheet.known(), lambda _: True)]
    if kept and kept[0].title == last.title == key(NOTES) and kept[0].level == last.level:
        kept[0] = replace(kept[0], heading=None)  # the document ends with such a section: go on with it
    return join_parts(sheet, sheet.head, kept) if kept else None


def with_headings(parts: Sequence[DocumentPart]) -> list[DocumentPart]:
    """The parts that are not empty, each with a heading."""
    notes = DocumentLine(text=f"## {NOTES}\n", kind="heading", level=2, title=NOTES)
    return [part if part.heading else replace(part, heading=notes) for part in parts if part.heading or _says(part)]


def without_own_title(parts: Sequence[DocumentPart], title: str) -> list[DocumentPart]:
    """The parts without their first title, because the document has one; other titles go one level down.

    A title that is not the document's and has text of its own stays, as the heading of a section.
    """
    headed = [number for number, part in enumerate(parts) if part.heading or _says(part)]
    first = headed[0] if headed and parts[headed[0]].level == 1 else -1
    found: list[DocumentPart] = []
    by = 0
    for number, part in enumerate(parts):
        by = 1 if part.level == 1 and number != first else by
        if number != first:
            found.append(part.at_level(part.level + by))
        elif _says(part):
            found.append(replace(part, heading=None) if part.title == title else part.at_level(2))
    return found


def new_parts(
    parts: Sequence[DocumentPart], known: KnownBlocks, counts: Callable[[int], bool]
) -> list[tuple[int, DocumentPart]]:
    """The parts that say something new, with their numbers; the headings above them come along, without text.

    Only parts that count are looked at.
    """
    found: dict[int, DocumentPart] = {}
    above_of = parent_numbers(parts)
    for number, part in enumerate(parts):
        blocks = blocks_of(part.lines) if counts(number) else ()
        if all(known.holds(block) for block in blocks):
            continue
        for block in blocks:
            known.add(block)
        found[number] = part
        above = above_of[number]
        while above >= 0 and above not in found and counts(above):
            found[above] = replace(parts[above], lines=())
            above = above_of[above]
    return sorted(found.items(), key=lambda pair: pair[0])


def parent_numbers(parts: Sequence[DocumentPart]) -> list[int]:
    """For each part the number of its parent; -1: it has none."""
    found: list[int] = []
    open_: list[int] = []
    for number, part in enumerate(parts):
        while open_ and parts[open_[-1]].level >= part.level:
            open_.pop()
        found.append(open_[-1] if open_ else -1)
        open_.append(number)
    return found


def join_parts(sheet: OpenDocument, head: str, parts: Sequence[DocumentPart]) -> str:
    """The head, the parts and the tail, with blank lines between them."""
    newline = sheet.newline
    if parts:
        text = (newline * 2).join(text_of_part(part, newline) for part in parts)
        head = f"{head}{gap(head, newline)}{text}{newline}"
    return f"{head}{gap(head, newline)}{sheet.tail}" if sheet.tail and head != sheet.head else f"{head}{sheet.tail}"


def gap(head: str, newline: str) -> str:
    """The line breaks between a text and the next part: they end the last line and leave one blank line."""
    if not head:
        return ""
    bare = head.removesuffix("\n").removesuffix("\r") if head.endswith("\r\n") else head[:-1]
    if not head.endswith(("\n", "\r")):
        bare, end = head, newline
    else:
        end = newline if head.endswith("\r") and newline == "\n" else ""  # else the two would be one line break
    blank = not bare[max(bare.rfind("\n"), bare.rfind("\r")) + 1 :].strip()
    return end if blank else f"{end}{newline}"


def text_of_part(part: DocumentPart, newline: str) -> str:
    """A part with the document's line breaks, without the blank lines after it."""
    below = [line.bare for line in part.lines]
    while below and not below[-1].strip():
        below.pop()
    if part.heading is None:
        while below and not below[0].strip():
            below.pop(0)
        return newline.join(below)
    apart = [""] if below and below[0].strip() else []
    return newline.join([part.heading.bare, *apart, *below])


def _says(part: DocumentPart) -> bool:
    return any(line.kind != "blank" for line in part.lines)


def _opened(lines: Sequence[DocumentLine]) -> int:
    """The line on which the last code block or comment begins."""
    number = len(lines)
    while number > 1 and lines[number - 2].kind == lines[number - 1].kind:
        number -= 1
    return number
