"""Save what people did to skills by hand as versions, so that it is never overwritten and never lost."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from metier.context.audit import current_user
from metier.errors import MetierError, StoreError
from metier.events import Advanced, Noted
from metier.library.claude_links import drop_held_link
from metier.library.disk.atomic_files import WriteBatch
from metier.library.disk.slot import ABSENT, SkillSlot
from metier.library.listing import STEP, RootScan, missing_profiles, number_versions, scan_root, skills_of
from metier.library.profiles import is_behind, update_profiles
from metier.library.roots import roots_in_order
from metier.library.skills import FoundSkill
from metier.library.versions import journal
from metier.library.versions.history import VersionEntry
from metier.library.versions.objects import files_of
from metier.store.tables.library import glances, profiles
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Sequence
    from pathlib import Path

    from metier.config import Order
    from metier.context.context import Context
    from metier.events import Event
    from metier.library.listing import Skill
    from metier.library.roots import Root
    from metier.library.skills import Library
    from metier.library.versions.version_store import VersionStore
    from metier.skills.package import Package

    Keep = Callable[[Path, Package | None, Version], Version]
    """Saves a hand edit as a version."""


def save_hand_edit(store: VersionStore, root: Path, package: Package | None, version: Version) -> Version:
    """Note what a person did as a version; needs `writing`.

    Without a package the skill is gone: the version says itself what there was.
    """
    writes = WriteBatch()
    begun = _note(
        store,
        _entry(store, root, package, version, journal.unfinished_skills(store)),
        package,
        writes,
    )
    _file(store, begun, writes.objects)
    return begun[0].version


@dataclass(slots=True, kw_only=True)
class HandEditBatch:
    """Versions that are noted one after the other, until they are made to last and get their places; needs `writing`.

    Each skill is in it once. Whoever comes after a kill finds them in the journal, as any other change.
    """

    version_store: VersionStore
    waiting: Collection[tuple[str, str]]
    """The skills whose last change could not be settled."""
    begun: list[VersionEntry] = field(default_factory=list[VersionEntry])
    objects: set[str] = field(default_factory=set[str])

    def add(self, root: Path, package: Package | None, version: Version) -> Version:
        """Note what a person did."""
        writes = WriteBatch(lasting=False, objects=self.objects)
        self.begun += _note(
            self.version_store, _entry(self.version_store, root, package, version, self.waiting), package, writes
        )
        return self.begun[-1].version

    def save_all(self) -> None:
        """Make all of it last, then give every version its place."""
        if self.begun:
            os.sync()
        begun, objects = self.begun, self.objects
        self.begun, self.objects = [], set()
        _file(self.version_store, begun, objects)


def hand_edit_version(store: VersionStore, root: Path, package: Package | None, version: Version) -> Version:
    """A version with its number, parent, hash and files; nothing is written."""
    key = store.key(root)
    number, last = store.histories.newest(key, version.skill)
    made = replace(version, root=key, number=number + 1, parent=last.hash if last and not last.out else ABSENT)
    if package is None:
        return made
    modes = SkillSlot(root=root, skill=version.skill, staging=store.staging).modes()
    return replace(made, hash=package.hash(), files=files_of(package, modes))


def _entry(
    store: VersionStore,
    root: Path,
    package: Package | None,
    version: Version,
    waiting: Collection[tuple[str, str]],
) -> VersionEntry:
    journal.check_settled(store, waiting, store.key(root), version.skill)
    return VersionEntry(version=hand_edit_version(store, root, package, version))


def _note(store: VersionStore, entry: VersionEntry, package: Package | None, writes: WriteBatch) -> list[VersionEntry]:
    try:
        if package:
            store.objects.write(package, entry.version.files, writes)
    except OSError as error:
        writes.close(lasting=False)
        if writes.lasting:
            store.sweep()
        raise StoreError(f"{store.objects.folder} cannot be written: {error.strerror}.") from None
    return journal.begin(store, [entry], writes)


def _file(store: VersionStore, begun: list[VersionEntry], objects: Collection[str]) -> None:
    """Give versions their places; what has not got one stays in the journal, for the next who writes."""
    try:
        journal.finish(store, begun, objects)
    except OSError as error:
        raise StoreError(f"{store.histories.folder} cannot be written: {error.strerror}.") from None


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
    for root in roots_in_order(library.roots, order):
        scan = yield from _record_root(library, root)
        scans.append(scan)
    return skills_of(library, scans, order)


def record_hand_edit(ctx: Context, found: FoundSkill) -> Version | None:
    """Save what somebody did to one skill by hand, before something else is done to it."""
    if not found.root.writable or found.slot.folder.is_symlink():
        return None
    with found.version_store.writing():
        if not journal.is_clean(found.version_store):
            journal.recover(found.version_store)
        version = _save_edit(
            ctx, found.version_store, found.root.real, found.skill, partial(save_hand_edit, found.version_store)
        )
    if version:
        with ctx.store.write() as transaction:
            update_profiles(ctx, transaction, [version])
        drop_held_link(ctx, found, version)
    return version


def unsaved_version(ctx: Context, found: FoundSkill) -> Version | None:
    """The version that a hand edit of a skill will become, if there is one; reads only."""
    if not found.root.writable or found.slot.folder.is_symlink():
        return None
    edit = find_hand_edit(ctx, found.version_store, found.root.real, found.skill)
    if edit is None:
        return None
    version = hand_edit_version(found.version_store, found.root.real, edit.package, edit.version)
    return replace(version, summary=f"{version.summary}; not saved yet")


def find_hand_edit(ctx: Context, store: VersionStore, root: Path, skill: str) -> HandEdit | None:
    """Compare one skill with its newest version; None: nobody changed it by hand."""
    key = store.key(root)
    package = SkillSlot(root=root, skill=skill, staging=store.staging).package()
    last = store.histories.last(key, skill)
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
    names = [*scan.edited_skills, *scan.gone]
    known = [last for skill in scan.gone if (last := scan.version_store.histories.last(scan.key, skill))]
    if root.writable and names:
        with suppress(MetierError):  # a library that cannot be written can still be read
            made, failed = yield from _save_edits(library.ctx, scan.version_store, root, names)
            for version in made:
                found = FoundSkill(version_store=scan.version_store, root=root, skill=version.skill)
                drop_held_link(library.ctx, found, version)
            known += made
            scan = replace(
                scan, seen=[one if one.at.skill in failed else replace(one, package=None) for one in scan.seen]
            )
            scan = number_versions(scan)
    _remember(library, scan, known)
    return scan


def _save_edits(
    ctx: Context, store: VersionStore, root: Root, skills: Sequence[str]
) -> Generator[Event, None, tuple[list[Version], set[str]]]:
    """Save what is new about some skills of a root: the versions, and the skills for which that failed."""
    made: list[Version] = []
    failed: set[str] = set()
    with store.writing():
        if not journal.is_clean(store):
            journal.recover(store)
        pile = HandEditBatch(version_store=store, waiting=journal.unfinished_skills(store))
        keep = pile.add if len(skills) > MANY else partial(save_hand_edit, store)
        for number, skill in enumerate(skills, 1):
            try:
                version = _save_edit(ctx, store, root.real, skill, keep)
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


def _save_edit(ctx: Context, store: VersionStore, root: Path, skill: str, keep: Keep) -> Version | None:
    """Save one skill's hand edit, if there is one; needs the lock of `writing`."""
    edit = find_hand_edit(ctx, store, root, skill)
    return keep(root, edit.package, edit.version) if edit else None


def _settle(pile: HandEditBatch) -> Generator[Event]:
    try:
        pile.save_all()
    except StoreError as error:
        yield Noted(stage="keep", text=f"{error} The next command that writes tries again.", level="warning")


def _remember(library: Library, scan: RootScan, newest: Sequence[Version]) -> None:
    """Store what the next scan need not read again, and bring profiles up to the newest versions."""
    if not (scan.changed_skills or scan.gone):
        return
    fresh = {one.at.skill: one.glance for one in scan.seen if one.glance is not scan.before.get(one.at.skill)}
    gone = scan.before.keys() - {one.at.skill for one in scan.seen}
    root = str(scan.root.real)
    with suppress(StoreError), library.ctx.store.write() as transaction:  # if this fails, the next scan does it
        glances.put(transaction, root, fresh)
        glances.forget(transaction, root, gone)
        known = {one.skill.casefold(): one for one in profiles.list_all(transaction)}
        update_profiles(library.ctx, transaction, [one for one in newest if is_behind(known, one)])
        profiles.put(transaction, list(missing_profiles(library, scan, known)))
