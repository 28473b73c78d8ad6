"""The library of a workspace: its roots, the stores of their versions, and skills by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

from metier.errors import NotFoundError, RefusedError
from metier.library.disk.slot import SkillSlot
from metier.library.roots import Root, SkillFolder, known_roots, roots_in_order, skill_folders_in
from metier.library.versions import journal
from metier.library.versions.history import DEFAULT_ROOT
from metier.library.versions.version_store import VersionStore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.context.context import Context
    from metier.library.versions.history import SkillHistory
    from metier.skills.package import Package
    from metier.types.skills import RecoveredChange, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSkill:
    """A skill by its root, whether it is there or only kept."""

    version_store: VersionStore
    root: Root
    skill: str

    @property
    def key(self) -> str:
        """What the history calls its root."""
        return self.version_store.key(self.root.real)

    @property
    def slot(self) -> SkillSlot:
        """Where it is or was."""
        return SkillSlot(root=self.root.real, skill=self.skill, staging=self.version_store.staging)

    @property
    def folder(self) -> Path:
        """Its folder as people name it."""
        return self.root.path / self.skill

    def history(self) -> SkillHistory:
        """Its history."""
        return self.version_store.histories.history_of(self.key, self.skill)

    def last(self) -> Version | None:
        """Its newest version."""
        return self.version_store.histories.last(self.key, self.skill)

    def load(self, version: Version) -> Package:
        """The package of a version, every byte checked."""
        package = self._unsaved(version) or self.version_store.objects.load(version.files)
        if package.hash() != version.hash:
            raise RefusedError(f"Version {version.number} of {self.skill} is damaged: its files do not match its hash.")
        return package

    def read_file(self, version: Version, path: str) -> bytes | None:
        """One file of a version; None: it has no such file."""
        stored = next((file for file in version.files if file.path == path), None)
        if stored is None:
            return None
        unsaved = self._unsaved(version)
        return unsaved.files[path] if unsaved else self.version_store.objects.get(stored.object)

    def _unsaved(self, version: Version) -> Package | None:
        """The package on disk, if it is a version that is not saved yet."""
        if version.number <= self.version_store.histories.last_number(self.key, self.skill):
            return None
        live = self.slot.package()
        return live if live and live.hash() == version.hash else None


@dataclass(kw_only=True)
class Library:
    """What a workspace knows of skills on disk."""

    ctx: Context

    @cached_property
    def version_store(self) -> VersionStore:
        """The history of the project's roots."""
        if self.ctx.root == self.ctx.home:
            return self.user_version_store
        return VersionStore(state=self.ctx.history, base=Path(os.path.realpath(self.ctx.root)), wait=self.wait)

    @cached_property
    def user_version_store(self) -> VersionStore:
        """The history of the user's roots: one for all workspaces."""
        return VersionStore(state=self.ctx.person, base=Path(os.path.realpath(self.ctx.home)), wait=self.wait)

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

    def version_store_of(self, root: Root) -> VersionStore:
        """The store that keeps a root's history."""
        return self.user_version_store if root.level == "user" else self.version_store

    def version_stores(self) -> list[VersionStore]:
        """The stores of the project's and of the user's roots, which may be the same."""
        return (
            [self.version_store]
            if self.user_version_store is self.version_store
            else [self.version_store, self.user_version_store]
        )

    def skill_folders(self) -> list[SkillFolder]:
        """Every skill folder of every root; a link to a skill of another root is that other."""
        return _once(one for root in self.roots for one in skill_folders_in(root))

    def find(self, name: str, *, make: bool = False) -> FoundSkill:
        """A skill by its name or folder: the one that wins, else one that is only kept. `make`: a new one, too."""
        if "/" in name or name.startswith("."):
            return self._by_path(Path(name).expanduser())
        ranked = roots_in_order(self.roots, self.ctx.config.skill_order)
        ranked += [root for root in self.roots if root not in ranked]
        for root in ranked:
            if (root.real / name).is_dir() and not root.leads_away:
                return self._at(root, name)
        there = [one for one in self.skill_folders() if _same(one.skill.rpartition("/")[2], name)]
        if there:
            return self._at(there[0].root, there[0].skill)
        for root in ranked:
            if self.version_store_of(root).histories.last_number(self.version_store_of(root).key(root.real), name):
                return self._at(root, name)
        if make:
            return self._at(self.default, name)
        raise NotFoundError(
            f"There is no skill '{name}' here.{self._hint(name)} `metier skills list` shows what there is."
        )

    def _hint(self, name: str) -> str:
        """Which skill may be meant by a name that none has."""
        near = get_close_matches(name, {one.skill.rpartition("/")[2] for one in self.skill_folders()}, 1)
        return f" Did you mean '{near[0]}'?" if near else ""

    def skill_at(self, path: Path) -> tuple[FoundSkill, str] | None:
        """The skill a file belongs to and the file's path in it, when it lies in one of the roots."""
        real = Path(os.path.realpath(path))
        for root in self.roots:
            if not real.is_relative_to(root.real) or real == root.real:
                continue
            for folder in real.relative_to(root.real).parents:
                if folder.parts and any((root.real / folder / name).is_file() for name in ("SKILL.md", "Skill.md")):
                    return self._at(root, folder.as_posix()), real.relative_to(root.real / folder).as_posix()
        return None

    def recover(self) -> list[RecoveredChange]:
        """Finish or take back what a killed process began, on every store that has something unfinished."""
        done: list[RecoveredChange] = []
        for store in self.version_stores():
            if not journal.is_clean(store):
                with store.writing():
                    done += journal.recover(store)
        return done

    def _by_path(self, path: Path) -> FoundSkill:
        real = Path(os.path.realpath(path))
        for root in self.roots:
            if real != root.real and real.is_relative_to(root.real):
                return self._at(root, real.relative_to(root.real).as_posix())
        roots = ", ".join(str(root.path) for root in self.roots if root.path.is_dir())
        raise NotFoundError(f"{path} is not a skill in one of the roots ({roots or DEFAULT_ROOT}).")

    def _at(self, root: Root, skill: str) -> FoundSkill:
        folder = root.real / skill
        if root.link or folder.is_symlink():
            real = Path(os.path.realpath(folder))
            for other in self.roots:
                if real.is_relative_to(other.real) and real != other.real:
                    return FoundSkill(
                        version_store=self.version_store_of(other),
                        root=other,
                        skill=real.relative_to(other.real).as_posix(),
                    )
        return FoundSkill(version_store=self.version_store_of(root), root=root, skill=skill)


def _same(one: str, other: str) -> bool:
    """Whether two names are one but for case and composed letters; one that only looks alike is another."""
    return normalize("NFC", one).casefold() == normalize("NFC", other).casefold()


def _once(sightings: Iterable[SkillFolder]) -> list[SkillFolder]:
    found: dict[Path, SkillFolder] = {}
    for one in sightings:
        there = found.setdefault(one.real, one)
        if one.real == one.root.real / one.skill and there.real != there.root.real / there.skill:
            found[one.real] = one
    return list(found.values())
