"""Drafts: proposed changes put before review, and what they would make of a skill."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.errors import NotFoundError
from metier.library.versions.objects import files_of
from metier.store.tables.shipping import drafts
from metier.types import Draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.library.skills import Found, Library
    from metier.skills.package import Package
    from metier.types import DraftKind

OPEN = ("candidate", "quarantined")
"""Drafts that still wait for something."""


def of_package(library: Library, found: Found, package: Package, *, summary: str, notes: Sequence[str] = ()) -> Draft:
    """A draft of a whole package, its bytes kept: an import, a person's edit that review would not let through."""
    live = found.place.live()
    kind: DraftKind = "replace" if live else "create"
    with library.shelf.writing():
        library.shelf.objects.keep(package)
    draft = Draft(
        id="",
        workspace=library.ctx.name,
        target=str(found.folder) if found.root != library.default else found.skill,
        kind=kind,
        type="workflow",
        summary=library.ctx.redact(summary),
        files=files_of(package),
        base_hash=live.hash() if live else "",
        hash=package.hash(),
        notes=tuple(notes),
        needs_approval=True,
        created=library.ctx.now(),
        updated=library.ctx.now(),
    )
    return replace(draft, id=identity(draft))


def identity(draft: Draft) -> str:
    """Twelve digits that are the same for the same proposal against the same base."""
    parts = (draft.workspace, draft.target, draft.kind, draft.base_hash, draft.hash)
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def save(ctx: Context, draft: Draft) -> Draft:
    """Store a draft; one that is there already and still open is kept as it is."""
    with ctx.store.write() as transaction:
        try:
            there = drafts.get(transaction, draft.id)
        except NotFoundError:
            there = None
        if there is not None and there.status in OPEN:
            return there
        drafts.put(transaction, draft)
    return draft


def package_of(library: Library, draft: Draft) -> Package:
    """What a draft would make of its skill, against what is there now."""
    found = target_of(library, draft)
    if draft.files:
        return library.shelf.objects.load(draft.files)
    from metier.skills.editing.compose import compose

    return compose(draft.kind, found.skill, found.place.live(), draft.body)


def target_of(library: Library, draft: Draft) -> Found:
    """The skill a draft is about, which may not be there yet."""
    return library.find(draft.target, make=True)
