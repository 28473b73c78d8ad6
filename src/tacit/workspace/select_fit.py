"""Whether a skill that comes into question may be handed out: only at bytes that were reviewed or approved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tacit import __version__
from tacit.errors import BusyError, RefusedError, TacitError
from tacit.library.disk import read_package
from tacit.review.values import blocks
from tacit.selection.assemble import body_of
from tacit.selection.eligible import LeftOut
from tacit.selection.values import LEGACY
from tacit.store import memo
from tacit.workspace import door
from tacit.workspace.activating import activate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tacit.selection.values import Selectable
    from tacit.skills.package import Package
    from tacit.workspace.catalogue import Listed
    from tacit.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The skills that may be handed out, with their texts, and the others with the reason."""

    skills: dict[str, Selectable]
    left_out: tuple[LeftOut, ...] = ()
    changed: bool = False
    """Whether one of them is not any more what the catalogue says."""
    busy: bool = False
    """Whether the store was held by somebody else for too long to look at all of them."""


def fit(ws: Workspace, wanted: Iterable[Listed]) -> Fit:
    """Look at each skill as it is on disk now; one that is refused does not keep the others back."""
    skills: dict[str, Selectable] = {}
    left: list[LeftOut] = []
    changed = busy = False
    for one in wanted:
        try:
            package, version = _let_through(ws, one, hurried=busy)
        except (TacitError, OSError) as error:
            busy = busy or isinstance(error, BusyError)
            left.append(LeftOut(name=one.skill.name, reason=str(error)))
            continue
        if package.hash() != one.content.hash:
            changed = True
            left.append(LeftOut(name=one.skill.name, reason="it was changed meanwhile"))
            continue
        skills[one.skill.name] = replace(one.skill, body=body_of(package.document), version=version)
    return Fit(skills=skills, left_out=tuple(left), changed=changed, busy=busy)


def _let_through(ws: Workspace, one: Listed, *, hurried: bool) -> tuple[Package, str]:
    """The package that may be used and its version; a skill whose history nobody keeps is reviewed on sight."""
    if hurried:
        raise BusyError("it could not be looked at: the store is busy")
    if one.skill.version != LEGACY:
        found = activate(ws, one.skill.folder)
        return found.package, str(found.version.number)
    return _on_sight(ws, Path(one.skill.folder), one.skill.name), LEGACY


def _on_sight(ws: Workspace, folder: Path, skill: str) -> Package:
    """The package in a folder that Tacit does not write to, reviewed once for each hash."""
    package = read_package(folder)
    key = f"review:{__version__}:{package.hash()}"
    with ws.engine.read() as transaction:
        known = memo.get(transaction, key)
    if known is None:
        worst = [found for found in door.reviewed(ws, package, skill, None).findings if blocks(found)]
        known = (f"{worst[0].rule} in {worst[0].file}:{worst[0].line}: {worst[0].reason}" if worst else "").encode()
        with ws.engine.write() as transaction:
            memo.put(transaction, key, known, ws.now())
    if known:
        raise RefusedError(f"{skill} is not handed out: {known.decode()}")
    return package
