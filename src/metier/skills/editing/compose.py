"""What a skill package becomes when a draft is applied to it: created, replaced, appended to, or merged with."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from metier.errors import InputError, RefusedError
from metier.skills.document.blocks import parts_of
from metier.skills.document.frontmatter import split
from metier.skills.document.lines import text_of
from metier.skills.document.regions import scan, without_region
from metier.skills.editing.add_sections import append_sections, open_document
from metier.skills.editing.clean_proposal import CleanProposal, clean_proposal
from metier.skills.editing.merge import merge_sections
from metier.skills.names import name_problem
from metier.skills.package import Package
from metier.skills.validation import validate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.types import DraftKind


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
