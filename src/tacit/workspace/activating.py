"""At use: a skill is handed to an agent only at bytes that were reviewed or approved, and as reference material."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit import __version__
from tacit.errors import NotFoundError, RefusedError
from tacit.review.rendering import framed
from tacit.review.values import blocks
from tacit.store import memo
from tacit.workspace import door
from tacit.workspace.changing import followed
from tacit.workspace.noticing import notice_one

if TYPE_CHECKING:
    from tacit.shipped import Version
    from tacit.skills.package import Package
    from tacit.workspace.workspace import Workspace

THROUGH_THE_DOOR = ("apply", "edit", "import")
"""Versions that were reviewed or approved when they were made; all others are reviewed on sight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activated:
    """A skill that may be used, with the version that allows it."""

    name: str
    version: Version
    package: Package

    def render(self) -> str:
        """Its text for an agent: escaped, capped, without control characters, with where it comes from."""
        text = self.package.document.decode("utf-8", "replace")
        source = f"{self.version.origin}, version {self.version.number}, {self.version.hash[:12]}"
        return framed(self.name, text, source=source)


def activate(ws: Workspace, skill: str) -> Activated:
    """A skill's package, if what is there is what was reviewed or approved; refused otherwise, with the reason."""
    found = ws.library.find(skill)
    followed(ws, notice_one(ws, found))
    last, package = found.last(), found.place.live()
    if package is None or last is None or last.out:
        raise NotFoundError(f"There is no skill '{skill}' in use here.")
    if package.hash() != last.hash:
        raise RefusedError(
            f"{found.folder} is not version {last.number} that was let through. It was changed meanwhile."
        )
    versions = found.past().versions
    if not any(one.hash == last.hash and one.action in THROUGH_THE_DOOR for one in versions):
        _check_on_sight(ws, package, found.skill)
    return Activated(name=package.name or found.skill, version=last, package=package)


def _check_on_sight(ws: Workspace, package: Package, skill: str) -> None:
    """Review what a person put there themselves, once for each hash."""
    key = f"review:{__version__}:{package.hash()}"
    with ws.engine.read() as transaction:
        known = memo.get(transaction, key)
    if known is None:
        worst = [one for one in door.reviewed(ws, package, skill, None).findings if blocks(one)]
        said = f"{worst[0].rule} in {worst[0].file}:{worst[0].line}: {worst[0].reason}" if worst else ""
        known = said.encode()
        with ws.engine.write() as transaction:
            memo.put(transaction, key, known, ws.now())
    if known:
        raise RefusedError(f"{skill} is not handed out: {known.decode()} See: tacit review, tacit skills show {skill}")
