"""Save what people did to skills by hand as versions, so that it is never overwritten and never lost."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from metier.context.audit import current_user
from metier.errors import MetierError, StoreError
from metier.events import Advanced, Noted
from metier.library import profiles as standing
from metier.library.disk.slot import Place
from metier.library.listing import STEP, RootScan, missing_profiles, number_versions, scan_root, skills_of
from metier.library.roots import ordered
from metier.library.versions import journal
from metier.library.versions.keep import Pile, keep_seen, version_to_keep
from metier.store.tables.library import glances, profiles
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from metier.config import Order
    from metier.context.context import Context
    from metier.events import Event
    from metier.library.listing import Skill
    from metier.library.roots import Root
    from metier.library.skills import Found, Library
    from metier.library.versions.shelf import Shelf
    from metier.skills.package import Package

    Keep = Callable[[Path, Package | None, Version], Version]
    """Saves a hand edit as a version."""

MANY = 50
"""New skills from which on they are flushed to disk all together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEdit:
    """What somebody did to a skill by hand, and the version to make of it."""

    package: Package | None
    """What is there now; None: the skill was removed."""
    version: Version
    """Without its number."""


def record_hand_edits(library: Library, order: Order | None = None) -> Generator[Event, None, list[Skill]]:
    """Save what people did by hand in every root as versions; returns every skill as it is then."""
    order = order or library.ctx.config.skill_order
    scans: list[RootScan] = []
    for root in ordered(library.roots, order):
        scan = yield from _record_root(library, root)
        scans.append(scan)
    return skills_of(library, scans, order)


def record_hand_edit(ctx: Context, found: Found) -> Version | None:
    """Save what somebody did to one skill by hand, before something else is done to it."""
    if not found.root.writable or found.place.folder.is_symlink():
        return None
    with found.shelf.writing():
        if not journal.is_clean(found.shelf):
            journal.recover(found.shelf)
        version = _save_edit(ctx, found.shelf, found.root.real, found.skill, partial(keep_seen, found.shelf))
    if version:
        with ctx.store.write() as transaction:
            standing.follow(ctx, transaction, [version])
    return version


def unsaved_version(ctx: Context, found: Found) -> Version | None:
    """The version that a hand edit of a skill will become, if there is one; reads only."""
    if not found.root.writable or found.place.folder.is_symlink():
        return None
    edit = find_hand_edit(ctx, found.shelf, found.root.real, found.skill)
    if edit is None:
        return None
    version = version_to_keep(found.shelf, found.root.real, edit.package, edit.version)
    return replace(version, summary=f"{version.summary}; not saved yet")


def find_hand_edit(ctx: Context, shelf: Shelf, root: Path, skill: str) -> HandEdit | None:
    """Compare one skill with its newest version; None: nobody changed it by hand."""
    key = shelf.key(root)
    package = Place(root=root, skill=skill, staging=shelf.staging).live()
    last = shelf.histories.last(key, skill)
    by_hand = Version(skill=skill, root=key, number=0, hash="", actor=current_user(), created=ctx.now())
    if package is None:
        if last is None or last.out:
            return None
        gone = replace(by_hand, action="hand-delete", status="deleted", origin=last.origin, summary="removed by hand")
        return HandEdit(package=None, version=replace(gone, hash=last.hash, files=last.files))
    if last is None:
        found = replace(by_hand, action="found", status="active", origin="manual", summary="found on disk")
        return HandEdit(package=package, version=found)
    if not last.out and package.hash() == last.hash:
        return None
    edited = replace(
        by_hand,
        action="hand-edit",
        status="provisional" if last.status == "provisional" else "active",
        origin=last.origin,
        summary="changed by hand",
    )
    return HandEdit(package=package, version=edited)


def _record_root(library: Library, root: Root) -> Generator[Event, None, RootScan]:
    """Scan one root, save what is new in it, and remember what the next scan need not read again."""
    scan = yield from scan_root(library, root)
    names = [*scan.edited, *scan.gone]
    known = [last for skill in scan.gone if (last := scan.shelf.histories.last(scan.key, skill))]
    if root.writable and names:
        with suppress(MetierError):  # a library that cannot be written can still be read
            made, failed = yield from _save_edits(library.ctx, scan.shelf, root, names)
            known += made
            scan = replace(
                scan, seen=[one if one.at.skill in failed else replace(one, package=None) for one in scan.seen]
            )
            scan = number_versions(scan)
    _remember(library, scan, known)
    return scan


def _save_edits(
    ctx: Context, shelf: Shelf, root: Root, skills: Sequence[str]
) -> Generator[Event, None, tuple[list[Version], set[str]]]:
    """Save what is new about some skills of a root: the versions, and the skills for which that failed."""
    made: list[Version] = []
    failed: set[str] = set()
    with shelf.writing():
        if not journal.is_clean(shelf):
            journal.recover(shelf)
        pile = Pile(shelf=shelf, waiting=journal.waiting(shelf))
        keep = pile.add if len(skills) > MANY else partial(keep_seen, shelf)
        for number, skill in enumerate(skills, 1):
            try:
                version = _save_edit(ctx, shelf, root.real, skill, keep)
            except (MetierError, OSError) as error:  # the others are saved all the same
                failed.add(skill)
                text = f"The hand edit of {skill} could not be saved: {error}"
                yield Noted(stage="keep", text=text, level="warning")
                continue
            made += [version] if version else []
            if number % STEP == 0:
                yield from _settle(pile)
                yield Advanced(stage="keep", done=number, total=len(skills))
        yield from _settle(pile)
    return made, failed


def _save_edit(ctx: Context, shelf: Shelf, root: Path, skill: str, keep: Keep) -> Version | None:
    """Save one skill's hand edit, if there is one; needs the lock of `writing`."""
    edit = find_hand_edit(ctx, shelf, root, skill)
    return keep(root, edit.package, edit.version) if edit else None


def _settle(pile: Pile) -> Generator[Event]:
    try:
        pile.settle()
    except StoreError as error:
        yield Noted(stage="keep", text=f"{error} The next command that writes tries again.", level="warning")


def _remember(library: Library, scan: RootScan, newest: Sequence[Version]) -> None:
    """Store what the next scan need not read again, and bring profiles up to the newest versions."""
    if not (scan.changed or scan.gone):
        return
    fresh = {one.at.skill: one.glance for one in scan.seen if one.glance is not scan.before.get(one.at.skill)}
    gone = scan.before.keys() - {one.at.skill for one in scan.seen}
    root = str(scan.root.real)
    with suppress(StoreError), library.ctx.store.write() as transaction:  # if this fails, the next scan does it
        glances.put(transaction, root, fresh)
        glances.forget(transaction, root, gone)
        known = {one.skill.casefold(): one for one in profiles.list_all(transaction)}
        standing.follow(library.ctx, transaction, [one for one in newest if standing.is_behind(known, one)])
        profiles.put(transaction, list(missing_profiles(library, scan, known)))
