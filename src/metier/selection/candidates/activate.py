"""At use: a skill is handed to an agent only at bytes that were reviewed or approved, and as reference material."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier import __version__
from metier.errors import NotFoundError, RefusedError
from metier.library.hand_edits import record_hand_edit
from metier.library.proposals import door
from metier.library.versions import journal
from metier.review.result import blocks
from metier.store.tables.models import memo

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.library.skills import Library
    from metier.skills.package import Package
    from metier.types.skills import Version

THROUGH_THE_DOOR = ("apply", "edit", "import")
"""Versions that were reviewed or approved when they were made; all others are reviewed on sight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activated:
    """A skill that may be used, with the version that allows it."""

    folder: str
    """The name of its folder."""
    version: Version
    package: Package

    @property
    def name(self) -> str:
        """What its document calls it, else its folder's name."""
        return self.package.name or self.folder


def activate(library: Library, skill: str) -> Activated:
    """A skill's package, if what is there is what was reviewed or approved; refused otherwise, with the reason."""
    found = library.find(skill)
    past, package = found.past(), found.place.live()
    if not (_is_as_kept(past.last, package) and journal.is_clean(found.shelf)):
        record_hand_edit(library.ctx, found)
        past, package = found.past(), found.place.live()
    last = past.last
    if package is None or last is None or last.out:
        raise NotFoundError(f"There is no skill '{skill}' in use here.")
    if package.hash() != last.hash:
        raise RefusedError(
            f"{found.folder} is not version {last.number} that was let through. It was changed meanwhile."
        )
    if not any(one.hash == last.hash and one.action in THROUGH_THE_DOOR for one in past.versions):
        said = seen(library.ctx, package, found.skill)
        if said:
            raise RefusedError(
                f"{found.skill} is not handed out: {said} See: metier review, metier skills show {found.skill}"
            )
    return Activated(folder=found.skill, version=last, package=package)


def seen(ctx: Context, package: Package, skill: str) -> str:
    """Review what a person put there themselves, once for each hash; says what is wrong with it, if anything is."""
    key = review_key(package.hash())
    with ctx.store.read() as transaction:
        known = memo.get(transaction, key)
    if known is None:
        worst = [one for one in door.reviewed(ctx, package, skill, None).findings if blocks(one)]
        said = f"{worst[0].rule} in {worst[0].file}:{worst[0].line}: {worst[0].reason}" if worst else ""
        known = said.encode()
        with ctx.store.write() as transaction:
            memo.put(transaction, key, known, ctx.now())
    return known.decode()


def review_key(content: str) -> str:
    """What the review of a package on sight is kept under."""
    return f"review:{__version__}:{content}"


def _is_as_kept(last: Version | None, package: Package | None) -> bool:
    """Whether what is there is the newest version, so that there is nothing to notice."""
    return package is not None and last is not None and not last.out and package.hash() == last.hash
