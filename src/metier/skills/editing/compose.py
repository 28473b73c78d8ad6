"""What a skill package becomes when a draft is applied to it: created, replaced, appended to, or merged with."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never

from metier.errors import InputError, RefusedError
from metier.skills.document.frontmatter import read, split
from metier.skills.document.lines import ITEM, DocumentLine, DocumentLines, lines_of, parts_of, text_of
from metier.skills.document.regions import scan, without_markers, without_region
from metier.skills.editing.strip_evidence import rewrite_learning_terms, strip_evidence
from metier.skills.names import name_problem
from metier.skills.package import Package
from metier.skills.validation import KEYS, validate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.types import DraftKind

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


def compose(
    kind: DraftKind, target: str, current: Package | None, body: str, beside: Iterable[tuple[str, str]] = ()
) -> Package:
    """The package after a draft; a RefusedError or InputError says why there is none.

    Of the body only what is deployable is used; `beside` are further files, path and text.
    The result breaks no rule of the standard that `current` kept.
    """
    _check_presence(kind, target, current)
    text = clean_proposal(_without_regions(body) if kind == "replace" else body)
    match kind:
        case "create":
            package = Package(files={"SKILL.md": _whole(text, target)})
        case "replace":
            package = _replaced(_there(current, target), text, target)
        case "append" | "merge":
            package = _grown(kind, _there(current, target), text, target)
        case _:
            assert_never(kind)
    package = package.with_files({path: text.encode("utf-8", "replace") for path, text in beside})
    _check_standard(package, current, target)
    return package


def _check_presence(kind: DraftKind, target: str, current: Package | None) -> None:
    if kind != "create":
        _there(current, target)
    elif current is not None:
        raise RefusedError(f"{target!r} exists already; append to it, merge with it or replace it.")
    elif reason := name_problem(target):
        raise InputError(f"{target[:80]!r} is no name for a skill: {reason}.")


def _there(current: Package | None, target: str) -> Package:
    if current is None:
        raise RefusedError(f"There is no skill {target!r}; create it.")
    return current


def _whole(text: CleanProposal, target: str) -> bytes:
    """The bytes of a whole document that names its skill and has one title."""
    if not text.front:
        raise InputError("The text is no whole document: begin it with a line ---, name:, description:, a line ---.")
    if text.name != target:
        raise _other(text.name, target)
    if not text.titles:
        raise InputError("The text is no whole document: it has no title; write one, such as # Title.")
    if len(text.titles) > 1:
        raise InputError(f"The text has a second title on line {text.titles[1]}; write ## in place of #.")
    return f"{text.front}{text_of(text.lines).rstrip()}{split(text.front.encode()).newline.decode()}".encode()


def _replaced(current: Package, text: CleanProposal, target: str) -> Package:
    """The package with another document; its protected regions and all other files stay."""
    document = _whole(text, target)
    regions = _regions(current.document)
    if regions:
        newline = split(document).newline
        document = b"".join((document, newline, regions, b"" if regions.endswith((b"\n", b"\r")) else newline))
    if document == current.document:
        raise _nothing_new(target)
    return current.with_files({current.skill_file or "SKILL.md": document})


def _without_regions(body: str) -> str:
    """A whole document without its protected regions: the skill keeps the regions it has."""
    return without_region(without_region(body, "slow_update"), "appendix")


def _regions(document: bytes) -> bytes:
    """The protected regions of a document and the text between them."""
    start = split(document).body.start
    body = document[start:].decode("utf-8", "surrogateescape")
    regions = scan(body).regions
    if not regions:
        return b""
    first, last = min(one.start for one in regions), max(one.end for one in regions)
    return body[first:last].encode("utf-8", "surrogateescape")


def _grown(kind: DraftKind, current: Package, text: CleanProposal, target: str) -> Package:
    """The package with text added to its document."""
    if text.name and text.name not in (target, current.name):
        raise _other(text.name, target)
    if not any(line.kind not in ("blank", "heading") for line in text.lines):
        raise InputError("The text holds nothing to add, or nothing but provenance; say what to do.")
    from metier.skills.editing.add_sections import append_sections, open_document
    from metier.skills.editing.merge import merge_sections

    sheet = open_document(current.document)
    parts = parts_of(text.lines)
    document = (
        append_sections(sheet, parts) if kind == "append" else merge_sections(sheet, parts, whole=bool(text.front))
    )
    if document is None:
        raise _nothing_new(target)
    return current.with_files({current.skill_file or "SKILL.md": document.encode("utf-8", "surrogateescape")})


def _other(name: str, target: str) -> RefusedError:
    said = f"names {name[:80]!r}" if name else "names no skill"
    return RefusedError(f"The text {said}, but is meant for {target!r}; give it that name.")


def _nothing_new(target: str) -> RefusedError:
    return RefusedError(f"{target!r} has all of this already.")


def _check_standard(package: Package, current: Package | None, target: str) -> None:
    """Raise an InputError for the first rule that the change breaks."""
    before = validate(current, level="strict", folder=target).problems if current else ()
    known = {(finding.rule, finding.reason) for finding in before}
    for finding in validate(package, level="strict", folder=target).problems:
        if (finding.rule, finding.reason) not in known:
            raise InputError(f"{finding.rule} on line {finding.line}: {finding.reason} {finding.fix}")
