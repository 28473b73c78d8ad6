"""Skill packages on disk: found in folders, read whole, within bounds, never through a link that leads out."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.errors import InputError
from tacit.skills.package import MAX_BYTES, MAX_FILE_BYTES, SKILL_FILES, Package

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTH = 6
"""Folders below a root in which skills are looked for, as agents do."""
FOLDERS = 2000
"""Folders that are looked into, at most."""


def packages_in(path: Path) -> list[Path]:
    """The skill folders a path means: itself, or all those below it, by name."""
    if path.name in SKILL_FILES and path.is_file():
        return [path.parent]
    if not path.is_dir():
        raise InputError(f"{path} is neither a skill's folder nor its SKILL.md.")
    found = [folder for folder in _folders(path) if _document(folder) is not None]
    if not found:
        raise InputError(f"{path} holds no skill: there is no SKILL.md in it or up to {DEPTH} folders below.")
    return sorted(found)


def read_package(folder: Path) -> Package:
    """All files of a skill's folder as one value; InputError says what cannot be part of a package."""
    files: dict[str, bytes] = {}
    executable: set[str] = set()
    size = 0
    for file in sorted(_files(folder)):
        state = file.lstat()
        name = file.relative_to(folder).as_posix()
        if not stat.S_ISREG(state.st_mode):
            raise InputError(f"{file} is a link or a special file; a package holds plain files only.")
        size += state.st_size
        if state.st_size > MAX_FILE_BYTES or size > MAX_BYTES:
            raise InputError(
                f"{file} makes the package too large: {MAX_FILE_BYTES:,} bytes a file, {MAX_BYTES:,} in all."
            )
        files[name] = _bytes(file)
        if state.st_mode & stat.S_IXUSR:
            executable.add(name)
    return Package(files=files, executable=frozenset(executable))


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        yield from (Path(place) / name for name in names)
        yield from (Path(place) / name for name in folders if (Path(place) / name).is_symlink())


def _folders(root: Path) -> Iterator[Path]:
    """The root and the folders below it, to a depth and a number that no real library reaches."""
    for count, (place, folders, _) in enumerate(os.walk(root), 1):
        if count > FOLDERS:
            raise InputError(f"{root} holds more than {FOLDERS} folders. Name the skills' own folder.")
        depth = len(Path(place).relative_to(root).parts)
        folders[:] = sorted(name for name in folders if name != ".git") if depth < DEPTH else []
        yield Path(place)


def _document(folder: Path) -> Path | None:
    return next((folder / name for name in SKILL_FILES if (folder / name).is_file()), None)
