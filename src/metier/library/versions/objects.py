"""Every byte of every version, kept once: files named by the hash of what they hold, compressed."""

from __future__ import annotations

import os
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.errors import DamagedError, NotFoundError, StoreError
from metier.library.disk.atomic_files import WriteBatch, sync
from metier.skills.package import MAX_FILE_BYTES, Package
from metier.types import StoredFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{64}\Z")
LEVEL = 6
"""How hard zlib tries."""
NEW = "new-"
"""How the names of what is still being written begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectStore:
    """The folder of kept bytes."""

    folder: Path
    journal: Path
    """Where they are written before they get their places."""

    def write(self, package: Package, files: Iterable[StoredFile], writes: WriteBatch) -> None:
        """Write every file of a package that is not kept yet; when that lasts they can get their `place`."""
        for file in files:
            if file.object in writes.objects or self.has(file.object):
                continue
            packed = zlib.compress(package.files[file.path], LEVEL)
            try:
                writes.write(self.journal, f"{NEW}{file.object}", packed)
            except FileExistsError:
                self.rescue(file.object)
                if self.has(file.object):
                    continue
                writes.write(self.journal, f"{NEW}{file.object}", packed)
            writes.objects.add(file.object)

    def file_all(self, names: Iterable[str]) -> None:
        """Give objects their places that were written and last; those that have them are left alone."""
        for name in names:
            with suppress(FileNotFoundError):
                os.replace(f"{self.journal}/{NEW}{name}", f"{self.folder}/{name}")  # noqa: PTH105 - many of them

    def rescue_all(self) -> None:
        """Give every object its place that somebody left who was killed."""
        for name in os.listdir(self.journal):  # noqa: PTH208 - names are all it takes
            if is_object(name):
                self.rescue(name.removeprefix(NEW))

    def rescue(self, name: str) -> None:
        """Give an object its place that was left without, unless it is torn: then it goes."""
        part = self.journal / f"{NEW}{name}"
        if _unpack(part.read_bytes(), name) is None:
            part.unlink()
            return
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(self.folder / name)
        sync(self.folder)

    def save(self, package: Package) -> None:
        """Keep every file of a package, durably."""
        writes = WriteBatch()
        try:
            try:
                self.write(package, files_of(package), writes)
            except BaseException:
                writes.close(lasting=False)
                raise
            writes.named.clear()  # they get other names in a moment
            writes.close(lasting=True)
            if writes.objects:
                self.file_all(writes.objects)
                sync(self.folder)
        except OSError as error:
            raise StoreError(f"{self.folder} cannot be written: {error.strerror}. Nothing was changed.") from None

    def has(self, name: str) -> bool:
        """Whether an object is there; an empty file was cut short by a power failure."""
        try:
            return os.stat(f"{self.folder}/{name}").st_size > 0  # noqa: PTH116 - many of them
        except FileNotFoundError:
            return False

    def is_whole(self, name: str) -> bool:
        """Whether an object is there and holds what its name says."""
        try:
            return _unpack(self._read_packed(self.folder / name), name) is not None
        except OSError:
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
            packed = self._read_packed(file)
        except FileNotFoundError:
            raise NotFoundError(f"{file} is missing: it was never saved, or somebody removed it.") from None
        except OSError as error:
            raise StoreError(f"{file} cannot be read: {error.strerror}.") from None
        content = _unpack(packed, name)
        if content is None:
            raise DamagedError(f"{file} is damaged: its content does not match its name. Restore it from a backup.")
        return content

    def _read_packed(self, file: Path) -> bytes:
        """What an object's file holds, which after a power cut may not have its place yet."""
        try:
            return file.read_bytes()
        except FileNotFoundError:
            return (self.journal / f"{NEW}{file.name}").read_bytes()

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


def is_object(name: str) -> bool:
    """Whether something in the journal is an object on its way."""
    return name.startswith(NEW) and _NAME.match(name, len(NEW)) is not None


def _unpack(packed: bytes, name: str) -> bytes | None:
    """The bytes of an object; None when they are not those it is named by."""
    try:
        content = zlib.decompressobj().decompress(packed, MAX_FILE_BYTES + 1)
    except zlib.error:
        return None
    return content if sha256(content).hexdigest() == name else None


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
