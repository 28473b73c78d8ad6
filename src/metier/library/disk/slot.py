"""The place of one skill in its root: what lies there, and how one package takes another's place in one step."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from metier.errors import RefusedError, StoreError
from metier.folders import IN_THE_WAY, TOP, first_link, link_text, open_below
from metier.library.disk.atomic_files import WriteBatch, modes_of, write_tree
from metier.library.disk.packages import package_with_modes
from metier.library.versions.version_store import BESIDE, OUT, discard, retired_name

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

    from metier.skills.package import Package

ABSENT = ""
"""The hash of a skill that is not there."""
STRANGE = "?"
"""Stands for something that cannot be read as a package, so it is no version of anything."""
NOREPLACE, EXCHANGE = 1, 2
"""Flags of Linux's renameat2; macOS's renameatx_np has its own."""
_DARWIN = {NOREPLACE: 4, EXCHANGE: 2}
_MISSING = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""How a system or a file system says that it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSlot:
    """Where a skill is or is to be: a folder right in a root, or deeper."""

    root: Path
    """Without links on the way: one that appears there later is refused."""
    skill: str
    """Its folder below the root, with slashes."""
    staging: Path
    """A folder on the same disk."""

    @property
    def folder(self) -> Path:
        """The skill's folder."""
        return self.root / self.skill

    def package(self) -> Package | None:
        """The package that is there, read without following a link; None when there is none."""
        return self.package_with_modes()[0]

    def package_with_modes(self) -> tuple[Package | None, dict[str, int]]:
        """The package that is there and the modes of its files and folders, the skill's own under no name."""
        try:
            with open_below(TOP, self.root) as root:
                return self._read(root, self.skill)
        except FileNotFoundError:
            return None, {}
        except OSError as error:
            raise self._unreadable(error) from None

    def hash(self) -> str:
        """The hash of what is there."""
        try:
            package = self.package()
        except RefusedError:
            return STRANGE
        return package.hash() if package else ABSENT

    def staged_hash(self, name: str) -> str:
        """The hash of what waits in the staging folder."""
        try:
            with self._staging() as staging:
                package, _ = self._read(staging, name)
        except FileNotFoundError:
            return ABSENT
        except RefusedError:
            return STRANGE
        except OSError as error:
            if error.errno in IN_THE_WAY:
                return STRANGE
            raise StoreError(f"{self.staging / name} cannot be read: {error.strerror}.") from None
        return package.hash()

    def stage(self, package: Package, name: str, writes: WriteBatch, modes: Mapping[str, int]) -> None:
        """Write a package into the staging folder; its files get the modes that are known of them."""
        with self._staging() as staging:
            os.mkdir(name, dir_fd=staging)
            with open_below(staging, name) as handle:
                write_tree(handle, package, modes, writes)
                if "" in modes:
                    os.fchmod(handle, modes[""] | 0o700)

    def put(self, staged: str, *, replaces: bool) -> None:
        """Let what is staged take its place; what was there lies in the staging folder under that name then."""
        with self._staging() as staging, self._above() as (parent, name):
            if not replaces:
                move_entry(staging, staged, parent, name)
            elif not exchange_entries(staging, staged, parent, name):
                self._exchange_in_steps(staging, staged, parent, name)
            os.fsync(parent)

    def take_out(self, staged: str) -> None:
        """Move what is there out into the staging folder."""
        with self._staging() as staging, self._above() as (parent, name):
            move_entry(parent, name, staging, staged)
            os.fsync(parent)

    def repair(self, staged: str) -> None:
        """After an exchange in three steps that was cut short: what made room comes back, or is what is staged."""
        with self._staging() as staging:
            if not entry_exists(staging, f"{staged}{OUT}"):
                return
            with self._above() as (parent, name):
                if entry_exists(parent, name) and not entry_exists(staging, staged):
                    move_entry(staging, f"{staged}{OUT}", staging, staged)
                elif not entry_exists(parent, name):
                    move_entry(staging, f"{staged}{OUT}", parent, name)
                    os.fsync(parent)

    def retire(self, staged: str) -> None:
        """Leave what was live to those who may still be reading it, for a while."""
        with suppress(OSError), self._staging() as staging:
            os.rename(staged, retired_name(), src_dir_fd=staging, dst_dir_fd=staging)

    def drop(self, staged: str) -> None:
        """Remove what was staged."""
        with suppress(OSError), self._staging() as staging:
            discard(staging, staged)

    def _exchange_in_steps(self, staging: int, staged: str, parent: int, name: str) -> None:
        """An exchange in three steps; readers may find nothing between the first and the second."""
        move_entry(parent, name, staging, f"{staged}{OUT}")
        try:
            move_entry(staging, staged, parent, name)
        except OSError:
            move_entry(staging, f"{staged}{OUT}", parent, name)
            raise
        move_entry(staging, f"{staged}{OUT}", staging, staged)

    def modes(self) -> dict[str, int]:
        """The modes of the files that are there, and of the folder itself."""
        try:
            with open_below(TOP, self.folder) as handle:
                return modes_of(handle)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:  # without them a private file could become a public one
            raise StoreError(f"{self.folder} cannot be read: {error.strerror}. Nothing was changed.") from None

    @contextmanager
    def _staging(self) -> Generator[int]:
        """A descriptor of the staging folder; inside a root it must not be a link."""
        inside = self.staging.name == BESIDE
        with open_below(TOP, self.staging) if inside else open_below(self.staging) as handle:
            yield handle

    @contextmanager
    def _above(self) -> Generator[tuple[int, str]]:
        """A descriptor of the folder the skill lies in, made if need be, and its name there."""
        above, _, name = self.skill.rpartition("/")
        with open_below(TOP, self.root) as root, open_below(root, above, made=True) as handle:
            yield handle, name

    def _read(self, top: int, name: str) -> tuple[Package, dict[str, int]]:
        with open_below(top, name) as handle:
            return package_with_modes(handle, self.folder)

    def _unreadable(self, error: OSError) -> RefusedError | StoreError:
        path = self.folder
        if link := first_link(TOP, path):
            return RefusedError(link_text(link))
        if error.errno in IN_THE_WAY:
            return RefusedError(f"{path}: there is a link or a file where a folder must be. Move it away first.")
        return StoreError(f"{path / str(error.filename or '')} cannot be read: {error.strerror}.")


def exchange_entries(one: int, name: str, other: int, other_name: str) -> bool:
    """Exchange two entries of two open folders at once; False: this file system cannot."""
    return _rename(one, name, other, other_name, EXCHANGE)


def move_entry(one: int, name: str, other: int, other_name: str) -> None:
    """Move an entry to a name that is free; FileExistsError when it is not."""
    if not _rename(one, name, other, other_name, NOREPLACE):
        if entry_exists(other, other_name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), other_name)
        os.rename(name, other_name, src_dir_fd=one, dst_dir_fd=other)


def _rename(one: int, name: str, other: int, other_name: str, flag: int) -> bool:
    call = _renameat2()
    if call is None:
        return False
    try:
        call(one, name, other, other_name, flag)
    except OSError as error:
        if error.errno in _MISSING:
            return False
        raise
    return True


@cache
def _renameat2() -> Callable[[int, str, int, str, int], None] | None:
    """The system's own call; None where there is none."""
    library = ctypes.CDLL(None, use_errno=True)
    darwin = sys.platform == "darwin"
    found = getattr(library, "renameatx_np" if darwin else "renameat2", None)
    if found is None:
        return None
    found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def call(one: int, name: str, other: int, other_name: str, flag: int) -> None:
        if found(one, os.fsencode(name), other, os.fsencode(other_name), _DARWIN[flag] if darwin else flag):
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), name, None, other_name)

    return call


def entry_exists(folder: int, name: str) -> bool:
    """Whether an open folder has an entry of that name."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
