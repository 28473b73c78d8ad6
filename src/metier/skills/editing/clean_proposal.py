"""Prepare a proposed text: keep what may ship, read its frontmatter, close what is open, refuse what is hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.skills.document.blocks import ITEM
from metier.skills.document.frontmatter import read, split
from metier.skills.document.lines import DocumentLine, DocumentLines, lines_of
from metier.skills.document.regions import without_markers
from metier.skills.editing.learning_terms import rewrite_learning_terms
from metier.skills.editing.strip_evidence import strip_evidence
from metier.skills.rules import KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNDERLINE = re.compile(r" {0,3}=+[ \t]*\Z")
_DASHES = re.compile(r"---[ \t]*\Z")
_ENTRY = re.compile(r"[A-Za-z_][\w.-]*:(?:\s|\Z)|\s|- |#")
_NAMING = re.compile(r"(?:name|description):")


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanProposal:
    """A proposed text."""

    front: str
    """Its frontmatter with the dashes around it; empty when it has none."""
    name: str
    """The skill its frontmatter names; empty when it names none."""
    lines: tuple[DocumentLine, ...]
    """What follows the frontmatter."""

    @property
    def titles(self) -> tuple[int, ...]:
        """The lines of first-level headings, counted from 1 in the whole text."""
        before = len(lines_of(self.front).lines)
        return tuple(before + number for number, line in enumerate(self.lines, 1) if line.level == 1)


def clean_proposal(body: str) -> CleanProposal:
    """The text as it may be put into a skill; InputError says what is wrong with it."""
    try:
        body.encode()
    except UnicodeEncodeError:
        raise InputError("The text holds half a character (a lone surrogate); write it again in UTF-8.") from None
    text = rewrite_learning_terms(strip_evidence(without_markers(body.removeprefix("\ufeff")))).lstrip("\r\n")
    front, name, rest = _parted(text)
    lines = _closed(_titled(_lines(rest).lines))
    _check_hidden(lines, before=len(lines_of(front).lines))
    return CleanProposal(front=front, name=name, lines=lines)


def _lines(rest: str) -> DocumentLines:
    """The lines after the frontmatter; a second frontmatter right after it counts as text."""
    found = lines_of(f"\n{rest}")
    return replace(found, lines=found.lines[1:])


def _closed(text: str) -> tuple[DocumentLine, ...]:
    """The lines, with an end added to a code block or comment that has none."""
    found = _lines(text)
    if not found.open:
        return found.lines
    gap = "" if text.endswith(("\n", "\r")) else "\n"
    return _lines(f"{text}{gap}{found.open}\n").lines


def _parted(text: str) -> tuple[str, str, str]:
    """The frontmatter, the name in it, and the rest."""
    document = text.encode()
    layout = split(document)
    if layout.state != "present":
        return "", "", text
    found = read(document)
    if found.problem:
        raise InputError(
            f"The frontmatter of the text cannot be read (line {found.problem.line}: {found.problem.detail}); "
            "put the value in double quotes, or leave the frontmatter out."
        )
    if found.entries and not any(entry.key in KEYS for entry in found.entries):
        return "", "", text
    name = found.get("name")
    start = layout.body.start
    return document[:start].decode(), name.strip() if isinstance(name, str) else "", document[start:].decode()


def _titled(lines: Sequence[DocumentLine]) -> str:
    """The lines with underlined first-level headings written with a `#`."""
    kept: list[str] = []
    before: DocumentLine | None = None
    for line in lines:
        if before and line.kind == "text" and _UNDERLINE.match(line.bare) and _can_be_title(before):
            kept[-1] = f"# {before.text.strip(' ')}"
            before = None
            continue
        kept.append(line.text)
        before = line
    return "".join(kept)


def _can_be_title(line: DocumentLine) -> bool:
    text = line.bare.strip()
    return line.kind == "text" and not ITEM.match(line.bare) and text[:1] not in (">", "|", "=")


def _check_hidden(lines: Sequence[DocumentLine], before: int) -> None:
    """Refuse a second frontmatter further down: a careless reader would use that one."""
    begun = 0
    naming = False
    for number, line in enumerate(lines, before + 1):
        dashes = line.kind == "text" and _DASHES.match(line.bare)
        if dashes and begun and naming:
            raise InputError(f"A second frontmatter begins on line {begun} of the text; leave it out.")
        if dashes:
            begun, naming = number, False
        elif begun and line.kind in ("text", "heading") and _ENTRY.match(line.bare):
            naming = naming or bool(_NAMING.match(line.bare))
        else:
            begun = 0
