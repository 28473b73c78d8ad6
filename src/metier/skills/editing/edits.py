"""The four edits on a document: each does exactly what it says, or leaves the document alone and says why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from metier.skills.document.regions import Regions, scan, without_markers
from metier.skills.editing.patch_json import (
    Fields,
    MalformedEdit,
    Proposal,
    ProposedPatch,
    SpareEdit,
    UnknownEdit,
    fields_of,
    is_unicode,
)
from metier.skills.editing.reports import PREVIEW, EditReport, Status
from metier.types import Append, Delete, Edit, InsertAfter, Patch, Replace

if TYPE_CHECKING:
    from metier.skills.package import Package

Outcome = tuple[str, Status]
"""The document afterwards, and what was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedDocument:
    """A document after a patch, with a report for every edit."""

    document: str
    reports: tuple[EditReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedPackage:
    """A package after a patch, with a report for every edit."""

    package: Package
    reports: tuple[EditReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sight:
    """What an edit needs to know: its cleaned text, the first place of its target, and what is protected."""

    document: str
    content: str
    target: str
    at: int
    """-1: the target is empty or not there."""
    regions: Regions

    @property
    def end(self) -> int:
        return self.at + len(self.target)

    @property
    def line_end(self) -> int:
        """The position after the first line break at or after the target's end, or the end of the document."""
        return self.document.find("\n", self.end) + 1 or len(self.document)


def apply_patch(document: str, patch: Patch | ProposedPatch, *, strict: bool = False) -> EditedDocument:
    """The document after all edits, one after the other; file names in the edits are ignored.

    `strict` refuses what would otherwise be guessed: a target that occurs twice, an insert without its target.
    """
    reports: list[EditReport] = []
    for index, proposal in enumerate(patch.edits, 1):
        document, report = apply_edit(document, proposal, index=index, strict=strict)
        reports.append(report)
    return EditedDocument(document=document, reports=tuple(reports))


def apply_to_package(package: Package, patch: Patch | ProposedPatch, *, strict: bool = False) -> EditedPackage:
    """The package after all edits, each in the file it names; files that are not text stay as they are."""
    texts: dict[str, str] = {}
    reports: list[EditReport] = []
    for index, proposal in enumerate(patch.edits, 1):
        name = "" if isinstance(proposal, MalformedEdit) else package.resolve(fields_of(proposal).file)
        if name is None:
            reports.append(_report(proposal, index, "skipped_file_not_found"))
            continue
        if name and name not in texts:
            texts[name] = package.files[name].decode("utf-8", "surrogateescape")
        text, report = apply_edit(texts.get(name, ""), proposal, index=index, strict=strict)
        if report.applied:
            texts[name] = text
        reports.append(report)
    changed = {name: text.encode("utf-8", "surrogateescape") for name, text in texts.items()}
    return EditedPackage(package=package.with_files(changed), reports=tuple(reports))


def apply_edit(document: str, proposal: Proposal, *, index: int = 1, strict: bool = False) -> tuple[str, EditReport]:
    """The document after one edit, and its report."""
    if isinstance(proposal, MalformedEdit):
        return document, _malformed(index, proposal.error)
    fields = fields_of(proposal)
    if not is_unicode(fields.content):
        return document, _malformed(index, "content holds half a character (a lone surrogate)")
    sight = _look(document, fields)
    changed, status = _outcome(sight, proposal, strict=strict)
    return changed, _report(proposal, index, status, preview=sight.content)


def _look(document: str, fields: Fields) -> _Sight:
    at = document.find(fields.target) if fields.target else -1
    content = without_markers(fields.content.strip())
    return _Sight(document=document, content=content, target=fields.target, at=at, regions=scan(document))


def _outcome(sight: _Sight, proposal: Edit | SpareEdit | UnknownEdit, *, strict: bool) -> Outcome:
    if sight.at >= 0 and sight.regions.touches(sight.at, sight.end):
        return sight.document, "skipped_protected_region"
    edit = proposal.edit if isinstance(proposal, SpareEdit) else proposal
    if strict and (refusal := _refusal(sight, edit)):
        return sight.document, refusal
    match edit:
        case Append():
            return _append(sight, ("applied_append", "applied_append_before_protected_region"))
        case InsertAfter():
            return _insert(sight)
        case Replace():
            missing: tuple[Status, Status] = ("skipped_replace_missing_target", "skipped_replace_target_not_found")
            return _swap(sight, sight.content, "applied_replace", missing)
        case Delete():
            missing = ("skipped_delete_missing_target", "skipped_delete_target_not_found")
            return _swap(sight, "", "applied_delete", missing)
        case UnknownEdit():
            return sight.document, "skipped_unknown_op"
        case _:
            assert_never(edit)


def _append(sight: _Sight, statuses: tuple[Status, Status]) -> Outcome:
    document, content, start = sight.document, sight.content, sight.regions.first_start
    if start < 0:
        return f"{document.rstrip()}\n\n{content}\n", statuses[0]
    return f"{document[:start].rstrip()}\n\n{content}\n\n{document[start:]}", statuses[1]


def _insert(sight: _Sight) -> Outcome:
    if sight.at < 0:
        fallback = "applied_insert_after_fallback_append", "applied_insert_after_fallback_before_protected_region"
        return _append(sight, fallback)
    document, place = sight.document, sight.line_end
    return f"{document[:place]}\n{sight.content}\n{document[place:]}", "applied_insert_after"


def _swap(sight: _Sight, content: str, done: Status, missing: tuple[Status, Status]) -> Outcome:
    if sight.at < 0:
        return sight.document, missing[1] if sight.target else missing[0]
    return f"{sight.document[: sight.at]}{content}{sight.document[sight.end :]}", done


def _refusal(sight: _Sight, edit: Edit | UnknownEdit) -> Status | None:
    """Why a strict edit is refused; None: there is only one place for it."""
    if isinstance(edit, Append | UnknownEdit):
        return None
    if isinstance(edit, InsertAfter):
        if sight.at < 0:
            return "skipped_insert_after_target_not_found" if sight.target else "skipped_insert_after_missing_target"
        if sight.regions.holds(sight.line_end):
            return "skipped_protected_region"
    again = sight.at >= 0 and sight.document.find(sight.target, sight.at + 1) >= 0
    return "skipped_ambiguous_target" if again else None


def _report(proposal: Proposal, index: int, status: Status, preview: str | None = None) -> EditReport:
    if isinstance(proposal, MalformedEdit):
        return _malformed(index, proposal.error)
    fields = fields_of(proposal)
    shown = without_markers(fields.content.strip()) if preview is None else preview
    return EditReport(
        index=index,
        op=fields.op,
        target=fields.target[:PREVIEW],
        content_preview=shown[:PREVIEW],
        status=status,
        file=fields.file,
    )


def _malformed(index: int, error: str) -> EditReport:
    return EditReport(index=index, op="", target="", content_preview="", status="error", error=error)
