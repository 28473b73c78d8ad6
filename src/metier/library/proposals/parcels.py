"""A skill with its history as one file: made here, or brought in as a draft that review looks at first."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.errors import InputError, MetierError, NotFoundError, RefusedError
from metier.library.disk.packages import has_document, read_package
from metier.library.hand_edits import record_hand_edit
from metier.library.proposals import review_gate
from metier.library.proposals.drafts import draft_of_package, save_draft
from metier.library.skills import FoundSkill
from metier.skills.archives.parcel import Parcel, pack, unpack
from metier.skills.names import name_problem
from metier.skills.package import MAX_FILE_BYTES, Package

if TYPE_CHECKING:
    from pathlib import Path

    from metier.context.context import Context
    from metier.library.skills import Library
    from metier.types import Draft
    from metier.types.skills import Version


def export_skill(library: Library, skill: str, *, with_history: bool = True) -> bytes:
    """A skill as one file, with all its versions or only the newest; refused if any of it holds a secret."""
    found = library.find(skill)
    with suppress(MetierError):  # a library that cannot be written can still be exported
        record_hand_edit(library.ctx, found)
    versions = found.history().versions
    if not versions:
        raise NotFoundError(f"There is no saved version of {skill}.")
    versions = versions if with_history else versions[-1:]
    objects: dict[str, bytes] = {}
    for version in versions:
        for file in version.files:
            if file.object not in objects:
                objects[file.object] = found.version_store.objects.get(file.object)
                _check_secrets(library.ctx, version, file.path, objects[file.object])
    return pack(found.skill.rpartition("/")[2], versions, objects)


def import_skill(library: Library, source: Path, *, for_user: bool = False) -> Draft:
    """Read a skill from a folder or an archive and put it before review as a draft; nothing of it is live."""
    raw, parcel = _read(source)
    name = parcel.package.name or source.name.partition(".")[0]
    if problem := name_problem(name):
        raise InputError(f"{source} calls its skill {name!r}, which cannot be a name: {problem}.")
    draft = import_parcel(library, name, parcel, raw, summary=f"imported from {source.name}", for_user=for_user)
    if draft is None:
        folder = _target(library, name, for_user=for_user).folder
        raise RefusedError(f"{folder} is already the same. Nothing was changed.")
    return draft


def import_parcel(
    library: Library, name: str, parcel: Parcel, raw: bytes, *, summary: str, for_user: bool = False
) -> Draft | None:
    """Put a skill with its history before review as a draft; None where what is there is the same already.

    `raw` is the parcel as a file, which is kept with the draft if it brings a history along.
    """
    found = _target(library, name, for_user=for_user)
    live = found.slot.package()
    if live and live.hash() == parcel.package.hash():
        return None
    review_gate.check_standard(parcel.package, parcel.package if live is None else live, name)
    review = review_gate.review_change(library.ctx, parcel.package, name, live)
    notes = [f"{len(parcel.versions)} earlier versions come with it"] if parcel.versions else []
    draft = draft_of_package(library, found, parcel.package, summary=summary, notes=notes)
    if parcel.versions:
        with library.version_store.writing():
            library.version_store.objects.save(Package(files={"parcel": raw}))
        draft = replace(draft, parcel=sha256(raw).hexdigest())
    return save_draft(library.ctx, replace(draft, status=review.status, findings=review.findings))


def versions_in_parcel(library: Library, draft: Draft, found: FoundSkill) -> tuple[Version, ...]:
    """The versions that came with an imported skill, their bytes kept; none where the skill has a history here."""
    if not draft.parcel or found.last() is not None:
        return ()
    parcel = unpack(library.version_store.objects.get(draft.parcel))
    for version in parcel.versions:
        package = Package(
            files={file.path: parcel.objects[file.object] for file in version.files},
            executable=frozenset(file.path for file in version.files if file.executable),
        )
        with found.version_store.writing():
            found.version_store.objects.save(package)
    return tuple(replace(one, skill=found.skill, origin="imported") for one in parcel.versions)


def _read(source: Path) -> tuple[bytes, Parcel]:
    if source.is_dir():
        if not has_document(source):
            raise InputError(f"{source} contains no SKILL.md. Name the skill's own folder.")
        return b"", Parcel(package=read_package(source), versions=(), objects={})
    try:
        with source.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror}.") from None
    if len(raw) > MAX_FILE_BYTES:
        raise InputError(f"{source} has more than {MAX_FILE_BYTES:,} bytes.")
    return raw, unpack(raw)


def _target(library: Library, name: str, *, for_user: bool) -> FoundSkill:
    if not for_user:
        return FoundSkill(version_store=library.version_store, root=library.default, skill=name)
    root = next((one for one in library.roots if one.level == "user"), library.default)
    return FoundSkill(version_store=library.version_store_of(root), root=root, skill=name)


def _check_secrets(ctx: Context, version: Version, path: str, content: bytes) -> None:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return
    if ctx.redact(text) != text:
        raise RefusedError(
            f"Version {version.number} has what looks like a secret in {path}; it was not exported. "
            "Take it out of the skill, then export without the history: --no-history."
        )
