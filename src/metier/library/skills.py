"""The library of a workspace: its roots, the shelves that keep their history, and skills found by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

from metier.config import STATE
from metier.errors import NotFoundError, RefusedError
from metier.library import scan as look
from metier.library.disk.slot import Place
from metier.library.roots import Root, Sighting, known_roots, ordered
from metier.library.versions import journal
from metier.library.versions.history import DEFAULT_ROOT
from metier.library.versions.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.context.context import Context
    from metier.library.versions.history import Past
    from metier.skills.package import Package
    from metier.types.skills import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A skill by its root, whether it is there or only kept."""

    shelf: Shelf
    root: Root
    skill: str

    @property
    def key(self) -> str:
        """What the history calls its root."""
        return self.shelf.key(self.root.real)

    @property
    def place(self) -> Place:
        """Where it is or was."""
        return Place(root=self.root.real, skill=self.skill, staging=self.shelf.staging)

    @property
    def folder(self) -> Path:
        """Its folder as people name it."""
        return self.root.path / self.skill

    def past(self) -> Past:
        """Its history."""
        return self.shelf.histories.past(self.key, self.skill)

    def last(self) -> Version | None:
        """Its newest version."""
        return self.shelf.histories.last(self.key, self.skill)

    def load(self, version: Version) -> Package:
        """The package of a version, every byte checked."""
        package = self._unsaved(version) or self.shelf.objects.load(version.files)
        if package.hash() != version.hash:
            raise RefusedError(f"Version {version.number} of {self.skill} does not add up to its hash; it is damaged.")
        return package

    def read_file(self, version: Version, path: str) -> bytes | None:
        """One file of a version; None: it has no such file."""
        stored = next((file for file in version.files if file.path == path), None)
        if stored is None:
            return None
        unsaved = self._unsaved(version)
        return unsaved.files[path] if unsaved else self.shelf.objects.get(stored.object)

    def _unsaved(self, version: Version) -> Package | None:
        """The package on disk, if it is a version that is not saved yet."""
        if version.number <= self.shelf.histories.last_number(self.key, self.skill):
            return None
        live = self.place.live()
        return live if live and live.hash() == version.hash else None


@dataclass(kw_only=True)
class Library:
    """What a workspace knows of skills on disk."""

    ctx: Context

    @cached_property
    def shelf(self) -> Shelf:
        """The history of the project's roots."""
        own = self.ctx.state.parent == self.ctx.root
        return Shelf(state=self.ctx.state, base=Path(os.path.realpath(self.ctx.root)) if own else None, wait=self.wait)

    @cached_property
    def home_shelf(self) -> Shelf:
        """The history of the user's roots: one for all workspaces."""
        if self.ctx.root == self.ctx.home:
            return self.shelf
        return Shelf(state=self.ctx.home / STATE, base=Path(os.path.realpath(self.ctx.home)), wait=self.wait)

    @property
    def wait(self) -> float:
        """Seconds to wait for another process that is writing."""
        return self.ctx.config.lock_wait

    @cached_property
    def roots(self) -> list[Root]:
        """All roots, in the standard's order."""
        return known_roots(self.ctx.root, self.ctx.home, self.ctx.config.skill_roots, self.ctx.claude_home)

    @cached_property
    def default(self) -> Root:
        """The root that new skills go to."""
        return self.roots[0]

    def shelf_of(self, root: Root) -> Shelf:
        """The shelf that keeps a root's history."""
        return self.home_shelf if root.level == "user" else self.shelf

    def shelves(self) -> list[Shelf]:
        """Both shelves, or the one."""
        return [self.shelf] if self.home_shelf is self.shelf else [self.shelf, self.home_shelf]

    def sightings(self) -> list[Sighting]:
        """Every skill folder of every root; a link to a skill of another root is that other."""
        return _once(one for root in self.roots for one in look.sightings(root))

    def find(self, name: str, *, make: bool = False) -> Found:
        """A skill by its name or folder: the one that wins, else one that is only kept. `make`: a new one, too."""
        if "/" in name or name.startswith("."):
            return self._by_path(Path(name).expanduser())
        ranked = ordered(self.roots, self.ctx.config.skill_order)
        ranked += [root for root in self.roots if root not in ranked]
        for root in ranked:
            if (root.real / name).is_dir():
                return self._at(root, name)
        there = [one for one in self.sightings() if _same(one.skill.rpartition("/")[2], name)]
        if there:
            return self._at(there[0].root, there[0].skill)
        for root in ranked:
            if self.shelf_of(root).histories.last_number(self.shelf_of(root).key(root.real), name):
                return self._at(root, name)
        if make:
            return self._at(self.default, name)
        raise NotFoundError(f"There is no skill '{name}' here. `metier skills list` shows what there is.")

    def inside(self, path: Path) -> tuple[Found, str] | None:
        """The skill a file belongs to and the file's path in it, when it lies in one of the roots."""
        real = Path(os.path.realpath(path))
        for root in self.roots:
            if not real.is_relative_to(root.real) or real == root.real:
                continue
            for folder in real.relative_to(root.real).parents:
                if folder.parts and any((root.real / folder / name).is_file() for name in ("SKILL.md", "Skill.md")):
                    return self._at(root, folder.as_posix()), real.relative_to(root.real / folder).as_posix()
        return None

    def recover(self) -> list[journal.Recovered]:
        """Finish or take back what a killed process began, on every shelf that has something unfinished."""
        done: list[journal.Recovered] = []
        for shelf in self.shelves():
            if not journal.is_clean(shelf):
                with shelf.writing():
                    done += journal.recover(shelf)
        return done

    def _by_path(self, path: Path) -> Found:
        real = Path(os.path.realpath(path))
        for root in self.roots:
            if real != root.real and real.is_relative_to(root.real):
                return self._at(root, real.relative_to(root.real).as_posix())
        roots = ", ".join(str(root.path) for root in self.roots if root.path.is_dir())
        raise NotFoundError(f"{path} is not a skill in one of the roots ({roots or DEFAULT_ROOT}).")

    def _at(self, root: Root, skill: str) -> Found:
        folder = root.real / skill
        if folder.is_symlink():
            real = Path(os.path.realpath(folder))
            for other in self.roots:
                if real.is_relative_to(other.real) and real != other.real:
                    return Found(shelf=self.shelf_of(other), root=other, skill=real.relative_to(other.real).as_posix())
        return Found(shelf=self.shelf_of(root), root=root, skill=skill)


def _same(one: str, other: str) -> bool:
    """Whether two names are one but for case and composed letters; one that only looks alike is another."""
    return normalize("NFC", one).casefold() == normalize("NFC", other).casefold()


def _once(sightings: Iterable[Sighting]) -> list[Sighting]:
    found: dict[Path, Sighting] = {}
    for one in sightings:
        there = found.setdefault(one.real, one)
        if one.real == one.root.real / one.skill and there.real != there.root.real / there.skill:
            found[one.real] = one
    return list(found.values())
