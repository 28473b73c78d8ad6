"""Patch a file for a person: outside the roots in one atomic write, inside a root as a reviewed version."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import InputError, NotFoundError, RefusedError
from metier.library.changes import allow_any, new_version
from metier.library.disk.atomic_files import replace_file
from metier.library.disk.packages import read_package
from metier.library.hand_edits import record_hand_edit
from metier.library.proposals.review_gate import ship_reviewed_change
from metier.library.versions.apply import SkillChange
from metier.skills.editing.edits import apply_patch, apply_to_package
from metier.skills.editing.patch_json import MalformedEdit, SpareEdit, fields_of
from metier.skills.package import MAX_FILE_BYTES

if TYPE_CHECKING:
    from metier.library.changes import ChangeCheck
    from metier.library.roots import Root
    from metier.library.skills import FoundSkill, Library
    from metier.skills.editing.patch_json import Proposal, ProposedPatch
    from metier.skills.editing.reports import EditReport
    from metier.types.skills import Version

SKILL = "SKILL.md"
"""The file of an edit that names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedFile:
    """A file after a patch, and the version that made it, if it belongs to a skill in a root."""

    document: str
    reports: tuple[EditReport, ...]
    version: Version | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditOptions:
    """How a patch is applied to a skill."""

    strict: bool = False
    """All edits or none."""
    dry_run: bool = False
    check: ChangeCheck = allow_any


PLAIN = EditOptions()


def edit_file(path: Path, patch: ProposedPatch, *, strict: bool = False, dry_run: bool = False) -> EditedFile:
    """Patch a file that belongs to no root: all its bytes change at once, or none.

    An edit that names no other file means this one; the others lie beside it, as in a skill's folder.
    """
    before = _bytes(path)
    if all(fields_of(one).file in (SKILL, path.name) for one in patch.edits if not isinstance(one, MalformedEdit)):
        edited = apply_patch(before.decode("utf-8", "surrogateescape"), patch, strict=strict)
        after = edited.document.encode("utf-8", "surrogateescape")
        if after != before and not dry_run:
            replace_file(path, after)
        return EditedFile(document=edited.document, reports=edited.reports)
    package = read_package(path.parent)
    done = apply_to_package(package, aim_patch(patch, path.name), strict=strict)
    for name, content in done.package.files.items():
        if content != package.files[name] and not dry_run:
            replace_file(path.parent / name, content)
    return EditedFile(document=_text(done.package.files[path.name]), reports=done.reports)


def edit_skill(
    library: Library, found: FoundSkill, file: str, patch: ProposedPatch, asked: EditOptions = PLAIN
) -> EditedFile:
    """Patch a skill in a root: reviewed, kept as a version, all or nothing."""
    strict, dry_run = asked.strict, asked.dry_run
    if not dry_run:
        record_hand_edit(library.ctx, found)
    live = found.slot.package()
    if live is None or file not in live.files:
        raise NotFoundError(f"There is no file {found.folder / file}.")
    done = apply_to_package(live, aim_patch(patch, file), strict=strict)
    text = _text(done.package.files[file])
    if dry_run or done.package.hash() == live.hash():
        return EditedFile(document=text, reports=done.reports)
    last = found.last()
    if last is None:
        raise NotFoundError(f"There is no saved version of {found.skill}.")
    asked.check(found.skill, (live, done.package))
    version = new_version(
        library.ctx, found, "edit", status=last.status, like=last, summary=patch.reasoning or "edited"
    )
    change = SkillChange(root=found.root.real, package=done.package, base=live.hash(), version=version)
    shipped = ship_reviewed_change(library, found, change, before=live)
    return EditedFile(document=text, reports=done.reports, version=shipped)


def is_inside(path: Path, root: Root) -> bool:
    """Whether a path leads into a root, by its name or by where it really is."""
    named, real = Path(os.path.normpath(path)), Path(os.path.realpath(path))
    return named.is_relative_to(root.path) or named.is_relative_to(root.real) or real.is_relative_to(root.real)


def edit_in_root(library: Library, path: Path, patch: ProposedPatch, asked: EditOptions = PLAIN) -> EditedFile:
    """Patch a file that lies in one of the roots: as part of its skill, and never through a link out of the root."""
    inside = library.skill_at(path)
    if inside:
        return edit_skill(library, *inside, patch, asked)
    if Path(os.path.realpath(path)) != Path(os.path.normpath(path)):
        raise RefusedError(f"{path} leads out of its root through a link; Metier does not write through links.")
    return edit_file(path, patch, strict=asked.strict, dry_run=asked.dry_run)


def aim_patch(patch: ProposedPatch, file: str) -> ProposedPatch:
    """The patch with every edit that names no other file turned to this one."""
    return replace(patch, edits=tuple(_aim_edit(one, file) for one in patch.edits))


def _aim_edit(one: Proposal, file: str) -> Proposal:
    if isinstance(one, MalformedEdit) or fields_of(one).file != SKILL:
        return one
    return replace(one, edit=replace(one.edit, file=file)) if isinstance(one, SpareEdit) else replace(one, file=file)


def _bytes(path: Path) -> bytes:
    if path.is_symlink():
        raise RefusedError(f"{path} is a link; name the file it leads to.")
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"{path} has more than {MAX_FILE_BYTES:,} bytes.")
    return content


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
