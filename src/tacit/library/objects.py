"""Every byte of every version, kept once: files named by the hash of what they hold, compressed."""

from __future__ import annotations

import os
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from tacit.errors import DamagedError, NotFoundError, StoreError
from tacit.library.files import Ink
from tacit.skills.package import MAX_FILE_BYTES, Package
from tacit.types import StoredFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{64}\Z")
LEVEL = 6
"""How hard zlib tries."""
NEW = "new-"
"""How the names of what is still being written begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """The folder of kept bytes."""

    folder: Path
    staging: Path
    """Where they are written before they get their names."""

    def write(self, package: Package, ink: Ink) -> None:
        """Write every file of a package that is not kept yet."""
        for content in package.files.values():
            name = sha256(content).hexdigest()
            target = self.folder / name
            if target not in ink.names and not self.has(name):
                part = self.staging / f"{NEW}{name}"
                part.unlink(missing_ok=True)
                ink.write(part, zlib.compress(content, LEVEL), target)

    def keep(self, package: Package) -> None:
        """Keep every file of a package, durably."""
        ink = Ink()
        try:
            try:
                self.write(package, ink)
                ink.dry()
            except BaseException:
                ink.close(lasting=False)
                raise
            ink.close(lasting=True)
        except OSError as error:
            raise StoreError(f"{self.folder} cannot be written: {error.strerror}. Nothing was changed.") from None

    def has(self, name: str) -> bool:
        """Whether an object is there; an empty file was cut short by a power failure."""
        try:
            return (self.folder / name).stat().st_size > 0
        except FileNotFoundError:
            return False

    def load(self, files: Iterable[StoredFile]) -> Package:
        """The package made of kept files, every byte checked."""
        files = tuple(files)
        return Package(
            files={file.path: self.get(file.object) for file in files},
            executable=frozenset(file.path for file in files if file.executable),
        )

    def get(self, name: str) -> bytes:
        """The bytes of one object; DamagedError when they are not those it is named by."""
        file = self.folder / name
        try:
            packed = file.read_bytes()
        except FileNotFoundError:
            raise NotFoundError(f"{file} is missing: these bytes were not kept, or somebody removed them.") from None
        except OSError as error:
            raise StoreError(f"{file} cannot be read: {error.strerror}.") from None
        reader = zlib.decompressobj()
        try:
            content = reader.decompress(packed, MAX_FILE_BYTES + 1)
        except zlib.error:
            content = b""
        if sha256(content).hexdigest() != name:
            raise DamagedError(f"{file} is damaged: it does not hold what its name says. Bring it back from a backup.")
        return content

    def drop_all_but(self, wanted: Collection[str]) -> int:
        """Remove what nobody names; returns how many bytes that freed."""
        freed = 0
        for entry in list(os.scandir(self.folder)):
            if _NAME.match(entry.name) and entry.name not in wanted:
                with suppress(OSError):
                    size = entry.stat(follow_symlinks=False).st_size
                    (self.folder / entry.name).unlink()
                    freed += size
        return freed


def modes_in(files: Iterable[StoredFile]) -> dict[str, int]:
    """The modes that were noted of some files."""
    return {file.path: file.mode for file in files if file.mode}


def files_of(package: Package, modes: Mapping[str, int] | None = None) -> tuple[StoredFile, ...]:
    """What a version notes about the files of a package, by path, with the modes they have on disk."""
    modes = modes or {}
    return tuple(
        StoredFile(
            path=path,
            object=sha256(content).hexdigest(),
            size=len(content),
            executable=path in package.executable,
            mode=modes.get(path, 0),
        )
        for path, content in sorted(package.files.items())
    )
