"""A store: the part of a state folder that keeps the history of skills, whichever roots they live in."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import StoreError
from metier.folders import TOP, open_below
from metier.library.disk.atomic_files import sync
from metier.library.versions.history import DamagedVersion, Histories, read_entry
from metier.library.versions.objects import NEW, ObjectStore, is_object
from metier.store.engines.write_lock import hold_write_lock

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable

OLD = "old-"
"""How the names of folders begin that were live until a moment ago."""
GRACE = 30.0
"""Seconds for which those are left alone: somebody may be reading them."""
OUT = ".out"
"""The ending of a folder's name that makes room for another, where two cannot be exchanged in one step."""
BESIDE = ".metier-staging"
"""The staging folder inside a root that lies on another disk than the state folder."""


@dataclass(kw_only=True)
class VersionStore:
    """Objects, histories and the journal of one state folder, written by one process at a time."""

    state: Path
    base: Path | None
    """The folder whose roots are named relative to it; None: by their whole paths."""
    wait: float = 10.0

    @cached_property
    def objects(self) -> ObjectStore:
        """Every byte of every version."""
        return ObjectStore(folder=self.state / "objects", journal=self.journal)

    @cached_property
    def histories(self) -> Histories:
        """Every version."""
        return Histories(folder=self.state / "versions")

    @cached_property
    def journal(self) -> Path:
        """Where changes are that were begun, with the bytes they bring; empty when all are finished."""
        return self.state / "journal"

    @cached_property
    def staging(self) -> Path:
        """Where packages and files wait before they get their names."""
        return self.state / "staging"

    def key(self, root: Path) -> str:
        """What histories call a root."""
        text, base = str(root), str(self.base)
        if self.base is None or not (text == base or text.startswith(f"{base}/")):
            return text
        return text[len(base) + 1 :] or "."

    def root(self, key: str) -> Path:
        """The root of a key."""
        return Path(key) if self.base is None or Path(key).is_absolute() else self.base / key

    @contextmanager
    def writing(self) -> Generator[None]:
        """The time in which nobody else changes this store or the skills it keeps; begins with what others left."""
        if not self.staging.is_dir():  # the last one that is made
            self._make()
        with hold_write_lock(self.state / "library.lock", self.wait):
            self.sweep()
            yield

    def _make(self) -> None:
        try:
            for folder in (self.state, self.objects.folder, self.histories.folder, self.journal, self.staging):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync(self.state)
        except OSError as error:
            raise StoreError(f"{self.state} cannot be written: {error.strerror}. Nothing was changed.") from None

    def staging_for(self, root: Path, *, made: bool) -> tuple[Path, bool]:
        """Where a package for a root is staged, and whether that is inside the root: only there on another disk.

        `made`: the root is there afterwards.
        """
        with open_below(TOP, root, made=made) as handle:
            if self.state.stat().st_dev == os.fstat(handle).st_dev:
                return self.staging, False
            with suppress(FileExistsError):
                os.mkdir(BESIDE, 0o700, dir_fd=handle)
            with open_below(handle, BESIDE):  # it is no link
                self.sweep(roots=[root])
        return root / BESIDE, True

    def new_name(self) -> str:
        """A name for something that is being written."""
        return f"{NEW}{secrets.token_hex(8)}"

    def sweep(self, needed: Collection[str] = (), roots: Iterable[Path] = (), *, grace: float = GRACE) -> None:
        """Remove what killed processes left, and folders nobody can be reading any more; needs `writing`.

        What a change that was begun still needs is left alone, and an object that is whole gets its place. What cannot
        be removed now is left to the next who writes.
        """
        with suppress(OSError, ValueError):
            self.objects.rescue_all()
            kept = {*needed, *self._begun()}
            _sweep_folder(self.staging, "", kept, grace)
            for root in roots:
                _sweep_folder(TOP, root / BESIDE, kept, grace)

    def _begun(self) -> Iterable[str]:
        """What the notes in the journal say is staged; ValueError when one of them cannot be read now."""
        for file in self.journal.iterdir():
            if is_object(file.name):
                continue
            found = read_entry(file)
            if isinstance(found, DamagedVersion):
                raise ValueError(found.reason)  # noqa: TRY004 - it may name anything
            if found.staged:
                yield found.staged
                yield f"{found.staged}{OUT}"


def retired_name() -> str:
    """The name of a folder that was live until now."""
    return f"{OLD}{time.time_ns():020d}-{secrets.token_hex(4)}"


def discard(folder: int, name: str) -> None:
    """Remove a file, a link or a folder from an open folder; a link is never followed."""
    if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def _sweep_folder(top: Path, place: Path | str, needed: Collection[str], grace: float) -> None:
    """Remove what can be, with no link below the top followed."""
    with suppress(FileNotFoundError, NotADirectoryError), open_below(top, place) as handle:
        for name in os.listdir(handle):  # noqa: PTH208 - a descriptor
            if name not in needed and (name.startswith(NEW) or _is_expired(name, grace)):
                with suppress(OSError):
                    discard(handle, name)


def _is_expired(name: str, grace: float) -> bool:
    """Whether a folder was live so long ago, or by a clock so far ahead, that nobody is reading it any more."""
    if not name.startswith(OLD):
        return False
    stamp = name.removeprefix(OLD).partition("-")[0]
    age = time.time_ns() - int(stamp) if stamp.isdigit() else 0
    return abs(age) > grace * 1e9
