"""What a person did to a skill, kept as a version: one by one, or many that are made to last all together."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.errors import StoreError
from metier.library.disk.atomic_files import Ink
from metier.library.disk.slot import ABSENT, Place
from metier.library.versions import journal
from metier.library.versions.history import Entry
from metier.library.versions.objects import files_of

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from metier.library.versions.shelf import Shelf
    from metier.skills.package import Package
    from metier.types.skills import Version


def keep_seen(shelf: Shelf, root: Path, package: Package | None, version: Version) -> Version:
    """Note what a person did as a version; needs `writing`.

    Without a package the skill is gone: the version says itself what there was.
    """
    ink = Ink()
    begun = _noted(shelf, _entry(shelf, root, package, version, journal.waiting(shelf)), package, ink)
    _filed(shelf, begun, ink.objects)
    return begun[0].version


@dataclass(slots=True, kw_only=True)
class Pile:
    """Versions that are noted one after the other, until they are made to last and get their places; needs `writing`.

    Each skill is in it once. Whoever comes after a kill finds them in the journal, as any other change.
    """

    shelf: Shelf
    waiting: Collection[tuple[str, str]]
    """The skills whose last change could not be settled."""
    begun: list[Entry] = field(default_factory=list[Entry])
    objects: set[str] = field(default_factory=set[str])

    def add(self, root: Path, package: Package | None, version: Version) -> Version:
        """Note what a person did."""
        ink = Ink(lasting=False, objects=self.objects)
        self.begun += _noted(self.shelf, _entry(self.shelf, root, package, version, self.waiting), package, ink)
        return self.begun[-1].version

    def settle(self) -> None:
        """Make all of it last, then give every version its place."""
        if self.begun:
            os.sync()
        begun, objects = self.begun, self.objects
        self.begun, self.objects = [], set()
        _filed(self.shelf, begun, objects)


def version_to_keep(shelf: Shelf, root: Path, package: Package | None, version: Version) -> Version:
    """A version with its number, parent, hash and files; nothing is written."""
    key = shelf.key(root)
    number, last = shelf.histories.newest(key, version.skill)
    made = replace(version, root=key, number=number + 1, parent=last.hash if last and not last.out else ABSENT)
    if package is None:
        return made
    modes = Place(root=root, skill=version.skill, staging=shelf.staging).modes()
    return replace(made, hash=package.hash(), files=files_of(package, modes))


def _entry(
    shelf: Shelf, root: Path, package: Package | None, version: Version, waiting: Collection[tuple[str, str]]
) -> Entry:
    journal.check_settled(shelf, waiting, shelf.key(root), version.skill)
    return Entry(version=version_to_keep(shelf, root, package, version))


def _noted(shelf: Shelf, entry: Entry, package: Package | None, ink: Ink) -> list[Entry]:
    try:
        if package:
            shelf.objects.write(package, entry.version.files, ink)
    except OSError as error:
        ink.close(lasting=False)
        if ink.lasting:
            shelf.sweep()
        raise StoreError(f"{shelf.objects.folder} cannot be written: {error.strerror}.") from None
    return journal.begin(shelf, [entry], ink)


def _filed(shelf: Shelf, begun: list[Entry], objects: Collection[str]) -> None:
    """Give versions their places; what has not got one stays in the journal, for the next who writes."""
    try:
        journal.finish(shelf, begun, objects)
    except OSError as error:
        raise StoreError(f"{shelf.histories.folder} cannot be written: {error.strerror}.") from None
