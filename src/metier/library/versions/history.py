"""The history of every skill on disk: one file per version that describes itself, readable without any database."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.errors import NotFoundError
from metier.formats import value_json
from metier.types.skills import Version  # noqa: TC001 - read at run time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEFAULT_ROOT = ".agents/skills"
"""The root whose skills' histories lie under the skills' own names."""
LONGEST = 200
"""Bytes of a skill's folder up to which its history lies under its name."""
LONG = "%%"
"""How the name begins of one that lies under the digest of a name."""
END = ".json"
"""The ending of a version's file, after its number."""
_NUMBERS = re.compile(r"/([0-9]+)\.json(?=/)")
"""The numbers of versions in the names of a folder, each between slashes: there may be many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionEntry:
    """A version as its file holds it, and what an unfinished change still needs to know."""

    version: Version
    format: int = 1
    staged: str = ""
    """Where the package waits beside the live one: a folder's name; empty when no bytes change."""
    beside: bool = False
    """Whether that folder lies in the root itself, because the state folder is on another disk."""
    mark: str = ""
    """The change it was made in."""
    batch: tuple[str, ...] = ()
    """The places of all versions made in that change, this one included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedVersion:
    """A version's file that cannot be read any more; the others can."""

    file: Path
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillHistory:
    """All versions of one skill, the first one first, and the files that were damaged."""

    versions: tuple[Version, ...] = ()
    damaged: tuple[DamagedVersion, ...] = ()
    last_number: int = 0
    """Of the newest file, readable or not: no number is ever used twice."""

    @property
    def last(self) -> Version | None:
        """The newest version."""
        return self.versions[-1] if self.versions else None

    def number(self, number: int) -> Version:
        """One version by its number."""
        for version in self.versions:
            if version.number == number:
                return version
        known = f"1 to {self.last_number}" if self.last_number else "none"
        raise NotFoundError(f"There is no version {number}; there are {known}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """The folder of all histories of one state folder."""

    folder: Path

    def folder_of(self, root: str, skill: str) -> Path:
        """Where a skill's history lies: under its name, and for skills of other roots with a sign of the root."""
        return self.folder / folder_name(root, skill)

    def file(self, version: Version) -> Path:
        """Where a version's file lies."""
        return self.folder / file_name(version)

    def history_of(self, root: str, skill: str) -> SkillHistory:
        """The history of a skill; empty when it has none."""
        numbers = sorted(_numbers(self.folder_of(root, skill)))
        versions: list[Version] = []
        damaged: list[DamagedVersion] = []
        for number in numbers:
            file = self.folder_of(root, skill) / f"{number}.json"
            found = read_entry(file)
            if isinstance(found, DamagedVersion):
                damaged.append(found)
            else:
                versions.append(found.version)
        last = numbers[-1] if numbers else 0
        return SkillHistory(versions=tuple(versions), damaged=tuple(damaged), last_number=last)

    def last_number(self, root: str, skill: str) -> int:
        """The number of a skill's newest version; 0 when it has none."""
        return max(_numbers(self.folder_of(root, skill)), default=0)

    def last(self, root: str, skill: str) -> Version | None:
        """The newest readable version of a skill."""
        return self.newest(root, skill)[1]

    def newest(self, root: str, skill: str) -> tuple[int, Version | None]:
        """The number of a skill's newest version, and the newest that can be read."""
        folder = self.folder_of(root, skill)
        numbers = sorted(_numbers(folder), reverse=True)
        for number in numbers:
            found = read_entry(folder / f"{number}{END}")
            if isinstance(found, VersionEntry):
                return numbers[0], found.version
        return (numbers[0] if numbers else 0), None

    def skills(self, only: str | None = None) -> Iterator[tuple[str, str]]:
        """Root and name of every skill that has a history, from the names of their folders as far as these tell."""
        roots = {"": DEFAULT_ROOT}
        names = _names(self.folder)
        if only is not None:
            ending = _mark(only)
            names = (name for name in names if (name.endswith(ending) if ending else "@" not in name))
        for name in sorted(names):
            skill, _, mark = name.partition("@")
            if skill.startswith(LONG) or mark not in roots:
                version = next(_readable(self.folder / name), None)
                if version is None:
                    continue
                roots[mark] = version.root
                yield version.root, version.skill
            else:
                yield roots[mark], skill.replace("%2F", "/").replace("%40", "@").replace("%25", "%")

    def has_damage(self) -> bool:
        """Whether any version's file cannot be read."""
        folders = sorted(self.folder.iterdir()) if self.folder.is_dir() else []
        files = (folder / f"{number}.json" for folder in folders for number in _numbers(folder))
        return any(isinstance(read_entry(file), DamagedVersion) for file in files)

    def all_versions(self) -> Iterator[Version]:
        """Every readable version of every skill."""
        if self.folder.is_dir():
            for folder in sorted(self.folder.iterdir()):
                yield from _readable(folder)


@lru_cache(maxsize=64)
def _mark(root: str) -> str:
    return "" if root == DEFAULT_ROOT else f"@{sha256(os.fsencode(root)).hexdigest()[:8]}"


def folder_name(root: str, skill: str) -> str:
    """The name of the folder that holds a skill's history: no two skills have the same, and every disk can bear it."""
    mark = _mark(root)
    if skill.isascii() and skill.replace("-", "").isalnum() and len(skill) < LONGEST:
        return f"{skill}{mark}"
    name = skill.replace("%", "%25").replace("@", "%40").replace("/", "%2F")
    if len(os.fsencode(name)) > LONGEST:
        name = f"{LONG}{sha256(os.fsencode(skill)).hexdigest()}"
    return f"{name}{mark}"


def file_name(version: Version) -> str:
    """Where a version's file lies below the folder of all histories."""
    return f"{folder_name(version.root, version.skill)}/{version.number}{END}"


def read_entry(file: Path) -> VersionEntry | DamagedVersion:
    """What a version's file says."""
    try:
        with open(file, "rb", buffering=0) as opened:  # noqa: PTH123 - one of them at every change
            entry = parse_entry(opened.read().decode())
    except OSError as error:
        return DamagedVersion(file=file, reason=error.strerror or str(error))
    except ValueError as error:
        return DamagedVersion(file=file, reason=f"it is not what was written ({str(error).splitlines()[0]})")
    return entry


def parse_entry(text: str) -> VersionEntry:
    """A version from the text of its file; ValueError says why it is none."""
    return value_json.loads(VersionEntry, text)


def write_entry(entry: VersionEntry) -> bytes:
    """The content of a version's file."""
    return f"{value_json.dumps(entry)}\n".encode()


def _numbers(folder: Path) -> list[int]:
    return [*map(int, _NUMBERS.findall(f"/{'/'.join(_names(folder))}/"))]


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are all it takes
    except (FileNotFoundError, NotADirectoryError):
        return []


def _readable(folder: Path) -> Iterator[Version]:
    for number in sorted(_numbers(folder), reverse=True):
        found = read_entry(folder / f"{number}.json")
        if isinstance(found, VersionEntry):
            yield found.version
