"""Files written so that they are whole or not there, below folders that nobody can redirect."""

from __future__ import annotations

import ctypes
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from metier.errors import StoreError
from metier.folders import open_below, place_below, refuse_links

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from pathlib import Path

    from metier.skills.package import Package

PART = ".part"
"""The ending of a file that is still being written."""
OPEN = 200
"""Files kept open at once, at most."""
WRITE = 2
"""Linux's flag for: begin to write out, wait for nothing."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def sync(path: Path) -> None:
    """Make the names in a folder last."""
    with open_below(path) as handle:
        os.fsync(handle)


def write_new(file: str, content: bytes, mode: int = 0o600) -> int:
    """Write a file that is not there yet; the descriptor stays open, for `fsync`."""
    handle = os.open(file, _NEW, mode)
    try:
        _write(handle, content)
    except BaseException:
        os.close(handle)
        with suppress(OSError):
            os.unlink(file)  # noqa: PTH108 - many of them
        raise
    return handle


@dataclass(slots=True)
class WriteBatch:
    """Writes that are made to last together: it costs a disk far less to be asked once."""

    files: list[int] = field(default_factory=list[int])
    folders: list[int] = field(default_factory=list[int])
    named: set[Path] = field(default_factory=set["Path"])
    """The folders in which files were made."""
    objects: set[str] = field(default_factory=set[str])
    """The objects that were written and have yet to get their places."""
    lasting: bool = True
    """False: somebody else sees to that."""

    def write(self, folder: Path, name: str, content: bytes) -> None:
        """Write a file that is not there yet."""
        self.add_file(write_new(f"{folder}/{name}", content))
        self.named.add(folder)

    def add_file(self, handle: int) -> None:
        """Take over the descriptor of a file that is written; with too many of them one is done with at once."""
        self.files.append(handle)
        if len(self.files) > OPEN:
            self._settle(self.files)

    def add_folders(self, handles: Iterable[int]) -> None:
        """Take over the descriptors of folders that get no more entries."""
        self.folders += handles
        while len(self.folders) > OPEN:
            self._settle(self.folders)

    def flush(self) -> None:
        """Make everything last: the files, then the folders they are in."""
        if self.lasting:
            start_flush(self.files)
        for handles in (self.files, self.folders):
            while handles:
                self._settle(handles)
        for folder in self.named if self.lasting else ():
            sync(folder)
        self.named.clear()

    def close(self, *, lasting: bool) -> None:
        """Let go of everything, which is to last unless all was in vain."""
        try:
            if lasting:
                self.flush()
        finally:
            for handle in (*self.files, *self.folders):
                os.close(handle)
            self.files.clear()
            self.folders.clear()

    def _settle(self, handles: list[int]) -> None:
        """Make the last one last and let go of it; after a failure nothing is tried again on it."""
        handle = handles.pop()
        try:
            if self.lasting:
                os.fsync(handle)
        finally:
            os.close(handle)


def replace_file(target: Path, content: bytes, project: Path | None = None) -> None:
    """Replace a file durably, keeping its mode; whoever reads it finds the old content or the new.

    A link in the file's own place is replaced, too. No link is followed on the way to it below the project.
    """
    part = f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}{PART}"
    try:
        with open_parent(target, project) as folder:
            mode = _mode_of(folder, target.name)
            handle = os.open(part, _NEW, mode, dir_fd=folder)
            try:
                _write(handle, content)
                os.fchmod(handle, mode)
                os.fsync(handle)
                os.replace(part, target.name, src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                os.close(handle)
                with suppress(FileNotFoundError):
                    os.unlink(part, dir_fd=folder)
            os.fsync(folder)
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror}.") from None


@contextmanager
def open_parent(target: Path, project: Path | None = None) -> Generator[int]:
    """A descriptor of the folder of a file; below the project no link is followed on the way to it."""
    place = place_below(project, target.parent) if project else None
    if project and place is not None:
        refuse_links(project, target.parent)  # in words; a link that comes now is refused by the system
        with open_below(project, place) as folder:
            yield folder
    else:
        with open_below(target.parent) as folder:
            yield folder


def _mode_of(folder: int, name: str) -> int:
    """The mode of a file in an open folder, or that of a new one."""
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=folder).st_mode)
    except FileNotFoundError:
        return 0o644


def write_tree(folder: int, package: Package, modes: Mapping[str, int], writes: WriteBatch) -> None:
    """Write a package below an open, empty folder; no link is followed on the way.

    A file or folder that had a mode keeps it, but for the right to execute a file, which is the package's.
    """
    tree = _Tree(top=folder, modes=modes, writes=writes)
    try:
        for path, content in package.files.items():
            place, _, name = path.rpartition("/")
            runs = path in package.executable
            handle = os.open(name, _NEW, 0o777 if runs else 0o666, dir_fd=tree.folder(place))
            try:
                if path in modes:
                    os.fchmod(handle, _mode(modes[path], runs=runs))
                _write(handle, content)
            finally:
                writes.add_file(handle)
    finally:
        tree.let_go()


@dataclass(slots=True)
class _Tree:
    """The folders of a package while it is written, not too many of them open at once."""

    top: int
    modes: Mapping[str, int]
    writes: WriteBatch
    open: dict[str, int] = field(default_factory=dict[str, int])
    made: set[str] = field(default_factory=set[str])

    def folder(self, place: str) -> int:
        """A descriptor of a folder, which is made with those above it."""
        if not self.open:
            self.open[""] = os.dup(self.top)
        if place not in self.open:
            self._open(place)
        return self.open[place]

    def let_go(self) -> None:
        """Hand the open folders to the writes."""
        self.writes.add_folders(self.open.values())
        self.open = {}

    def _open(self, place: str) -> None:
        if len(self.open) > OPEN:
            self.let_go()
        above, _, name = place.rpartition("/")
        parent = self.folder(above)
        if place not in self.made:
            os.mkdir(name, dir_fd=parent)
            self.made.add(place)
        handle = self.open[place] = os.open(name, _FOLDER, dir_fd=parent)
        if f"{place}/" in self.modes:
            os.fchmod(handle, self.modes[f"{place}/"] | 0o700)


def modes_of(folder: int) -> dict[str, int]:
    """The mode of every file below an open folder, of the folders with a slash at the end, of itself with no name."""
    found = {"": stat.S_IMODE(os.fstat(folder).st_mode)}
    for place, folders, names, handle in os.fwalk(".", dir_fd=folder):
        for name in (*names, *folders):
            path = f"{place}/{name}".removeprefix("./")
            mode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode
            found[f"{path}/" if stat.S_ISDIR(mode) else path] = stat.S_IMODE(mode)
    return found


def _mode(was: int, *, runs: bool) -> int:
    """A mode with the rights to execute put in where one may read, or taken out."""
    return was | (was & 0o444) >> 2 | 0o100 if runs else was & ~0o111


def _write(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


def start_flush(handles: Sequence[int]) -> None:
    """Ask the system to begin writing some open files to disk, all at once; only fsync makes sure that they are."""
    call = _sync_file_range() if len(handles) > 1 else None
    if call is not None:
        for handle in handles:
            call(handle, 0, 0, WRITE)


@cache
def _sync_file_range() -> Callable[[int, int, int, int], int] | None:
    """The system's own call; None where there is none."""
    found = getattr(ctypes.CDLL(None), "sync_file_range", None)
    if found is not None:
        found.argtypes = (ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint)
    return found
