"""Skill packages on disk: found in folders, read whole through one descriptor, within bounds."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from metier.errors import InputError, NotFoundError
from metier.folders import open_below
from metier.skills.names import MAX_DEPTH, MAX_ENTRIES
from metier.skills.package import MAX_BYTES, MAX_FILE_BYTES, SKILL_FILES, Package

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

DEPTH = 6
"""Folders below a root in which skills are looked for, as agents do."""
FOLDERS = 2000
"""Folders without a skill of their own that are looked into, at most."""
PACKAGES = 20_000
"""Skills below one folder, at most."""
BLOCK = 1 << 16
"""Bytes read at once where it is not known how many there are."""


def packages_in(path: Path) -> list[Path]:
    """The skill folders a path means: itself, or all those below it, by name."""
    if path.name in SKILL_FILES and path.is_file():
        return [path.parent]
    if not path.is_dir():
        raise InputError(f"{path} is neither a skill's folder nor its SKILL.md.")
    found = sorted(skill_folders(path))
    if not found:
        raise InputError(f"{path} contains no skill: there is no SKILL.md in it or up to {DEPTH} folders below.")
    return found


def skill_folders(root: Path) -> Iterator[Path]:
    """Every skill folder at or below a root, to a depth and a number that no real library reaches.

    A skill's own folder is not looked into; a link is followed where it is a skill, as agents do.
    """
    if has_document(root):
        yield root
    else:
        for place, _ in skills_below(str(root)):
            yield root / place


def skills_below(root: str) -> Iterator[tuple[str, bool]]:
    """Every skill folder below a root, by its path there, and whether it is a link."""
    level, others, found = [""], 1, 0
    for _ in range(DEPTH):
        below: list[str] = []
        for place in level:
            for name, link in _folders(f"{root}/{place}", links=not place):
                if has_document(f"{root}/{place}{name}"):
                    found += 1
                    yield f"{place}{name}", link
                elif not link:
                    others += 1
                    below.append(f"{place}{name}/")
                if others > FOLDERS or found > PACKAGES:
                    raise InputError(f"{root} contains more than {FOLDERS} folders. Name the skills' own folder.")
        level = below


def has_document(folder: Path | str) -> bool:
    """Whether a folder has a SKILL.md, whatever the case of its name."""
    for name in SKILL_FILES:
        try:
            if stat.S_ISREG(os.stat(f"{folder}/{name}").st_mode):  # noqa: PTH116 - thousands of them
                return True
        except (OSError, ValueError):
            continue
    return False


def read_package(folder: Path) -> Package:
    """All files of a skill's folder as one value; InputError says what cannot be part of a package.

    Everything is read through one descriptor: a folder that is exchanged meanwhile is read as it was. The folder may
    be a link, nothing in it may.
    """
    with open_folder(folder) as handle:
        return package_at(handle, folder)


def package_at(handle: int, folder: Path) -> Package:
    """The package in an open folder; `folder` is for what errors say."""
    try:
        return package_with_modes(handle, folder)[0]
    except OSError as error:
        raise _unreadable(folder, error) from None


def package_with_modes(handle: int, folder: Path) -> tuple[Package, dict[str, int]]:
    """The same with the modes of files and of folders: these end in a slash, and its own has no name.

    It is for who tells a disk that says no (OSError) from what is no package (InputError).
    """
    files: dict[str, bytes] = {}
    modes = {"": stat.S_IMODE(os.fstat(handle).st_mode)}
    for name, mode, content in _walk(handle, folder):
        modes[name] = mode
        if content is not None:
            files[name] = content
    executable = frozenset(name for name in files if modes[name] & stat.S_IXUSR)
    return Package(files=files, executable=executable), modes


@contextmanager
def open_folder(folder: Path) -> Generator[int]:
    """A descriptor of a folder, which may be a link."""
    with ExitStack() as stack:
        try:
            handle = stack.enter_context(open_below(folder))
        except FileNotFoundError:
            raise NotFoundError(f"There is no folder {folder}.") from None
        except OSError as error:
            raise _unreadable(folder, error) from None
        yield handle


def _unreadable(folder: Path, error: OSError) -> InputError:
    where = folder / str(error.filename or "")
    return InputError(f"{where} cannot be read: {error.strerror}.")


def _walk(top: int, folder: Path) -> Iterator[tuple[str, int, bytes | None]]:
    """Path, mode and bytes of all that is below an open folder, bounded in number, depth and size."""
    size = count = 0
    waiting: list[str] = [""]
    while waiting:
        place = waiting.pop()
        for entry in _entries(top, place):
            count += 1
            name, mode = f"{place}{entry.name}", entry.stat(follow_symlinks=False).st_mode
            if count > MAX_ENTRIES:
                raise InputError(f"{folder} contains more than {MAX_ENTRIES:,} files and folders.")
            if stat.S_ISDIR(mode) and name.count("/") < MAX_DEPTH:
                waiting.append(f"{name}/")
                yield f"{name}/", stat.S_IMODE(mode), None
            elif stat.S_ISREG(mode):
                content = _bytes(top, name, folder, MAX_BYTES - size)
                size += len(content)
                yield name, stat.S_IMODE(mode), content
            elif stat.S_ISDIR(mode):
                raise InputError(f"{folder / name} is more than {MAX_DEPTH} folders deep.")
            else:
                raise InputError(
                    f"{folder / name} is a link or a special file; a package can contain plain files only."
                )


def _entries(top: int, place: str) -> list[os.DirEntry[str]]:
    if not place:
        with os.scandir(top) as found:
            return list(found)
    with open_below(top, place) as handle, os.scandir(handle) as found:
        return [_known(entry) for entry in found]


def _known(entry: os.DirEntry[str]) -> os.DirEntry[str]:
    """An entry that remembers its state: it can be asked after its folder's descriptor is closed."""
    entry.stat(follow_symlinks=False)
    return entry


def _bytes(top: int, name: str, folder: Path, room: int) -> bytes:
    place, _, last = name.rpartition("/")
    try:
        with open_below(top, place) as within:
            handle = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=within)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InputError(f"{folder / name} is a link; a package can contain plain files only.") from None
        raise OSError(error.errno, error.strerror, name) from None
    limit = min(room, MAX_FILE_BYTES)
    try:
        content = _first(handle, limit + 1)
    finally:
        os.close(handle)
    if len(content) > limit:
        raise InputError(
            f"{folder / name} makes the package too large: {MAX_FILE_BYTES:,} bytes a file, {MAX_BYTES:,} in all."
        )
    return content


def _first(handle: int, limit: int) -> bytes:
    """The first bytes of an open file, all if there are no more; it may grow meanwhile."""
    content = os.read(handle, min(os.fstat(handle).st_size + 1, limit))
    while len(content) < limit and (more := os.read(handle, min(limit - len(content), BLOCK))):
        content += more
    return content


def _folders(folder: str, *, links: bool) -> list[tuple[str, bool]]:
    """The folders in a folder by name, and which are links; hidden ones do not count, links only right below a root."""
    try:
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.is_symlink()) for entry in entries if _is_folder(entry, links=links)]
    except OSError:
        return []
    return sorted(found)


def _is_folder(entry: os.DirEntry[str], *, links: bool) -> bool:
    if entry.name.startswith(".") or not _is_text(entry.name):
        return False
    return entry.is_dir(follow_symlinks=False) or (links and entry.is_symlink())


def _is_text(name: str) -> bool:
    """Whether a name can be written down; one that is no UTF-8 can be in no list and no agent's prompt."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
