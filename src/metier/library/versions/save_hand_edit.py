"""What a person did to a skill, kept as a version: one by one, or many that are made to last all together."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.errors import StoreError
from metier.library.disk.atomic_files import WriteBatch
from metier.library.disk.slot import ABSENT, SkillSlot
from metier.library.versions import journal
from metier.library.versions.history import VersionEntry
from metier.library.versions.objects import files_of

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from metier.library.versions.version_store import VersionStore
    from metier.skills.package import Package
    from metier.types.skills import Version


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
