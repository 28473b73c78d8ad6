"""Read archives from anywhere in memory, within limits; nothing that they say about themselves is trusted."""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import struct
import zlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from metier.errors import InputError, NotFoundError
from metier.skills.archives.tar import is_tar, tar_entries
from metier.skills.names import check_paths, path_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_HEADERS = 2048
"""Bytes for the headers of one member, at most: its entry in a ZIP's list, or its headers in a tar."""
_STREAMS = 100
"""Streams that one .bz2 or .xz file may consist of."""
_XZ_MEMORY = 128 * 1024 * 1024
"""Bytes that the reader of .xz may take; the file itself says how many it needs."""
_LOCKED = 0x1 | 0x20 | 0x40 | 0x2000
"""Flags of members that are encrypted, or patches of others."""
_BROKEN = (
    *(
        BadZipFile,
        gzip.BadGzipFile,
        zlib.error,
        lzma.LZMAError,
        struct.error,
        EOFError,
        ValueError,
        OSError,
        IndexError,
    ),
    *(NotImplementedError, RuntimeError, OverflowError),
)
"""What the standard library raises when it meets a broken archive."""


class ArchiveMember(NamedTuple):
    """One file of an archive."""

    path: str
    content: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """How much an archive may hold, and in which forms it is read."""

    packed: int = 32 * 1024 * 1024
    """Bytes of the archive itself."""
    unpacked: int = 25 * 1024 * 1024
    """Bytes of all its files together."""
    members: int = 1_000
    ratio: int = 100
    """Bytes that one byte of the archive may become."""
    small: int = 1024 * 1024
    """Bytes that any archive may become, however small it is."""
    all_tars: bool = False
    """Read .tar.bz2 and .tar.xz, too."""

    def room_for(self, size: int) -> int:
        """Bytes that an archive of a size may become."""
        return min(self.unpacked, max(self.small, self.ratio * size))


DEFAULT = ArchiveLimits()


def read_archive(source: bytes | Path, limits: ArchiveLimits = DEFAULT) -> tuple[ArchiveMember, ...]:
    """Every file of a .zip, .skill, .tar or .tar.gz archive; InputError says why it cannot be trusted."""
    data = _read(source, limits) if isinstance(source, Path) else source
    if len(data) > limits.packed:
        raise InputError(f"The archive has more than {limits.packed:,} bytes.")
    try:
        return _checked(_entries(data, limits), limits)
    except _BROKEN as error:
        detail = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"The archive is torn or damaged: {detail[:120]}.") from None


class _Entry(NamedTuple):
    path: str
    content: bytes
    executable: bool
    folder: bool


def _entries(data: bytes, limits: ArchiveLimits) -> Iterator[_Entry]:
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _from_zip(data, limits)
    if is_tar(data):
        return _from_tar(data, limits, limits.unpacked)
    if data.startswith(b"\x1f\x8b") or (limits.all_tars and data.startswith((b"BZh", b"\xfd7zXZ"))):
        return _from_tar(_decompressed(data, limits), limits, limits.room_for(len(data)))
    raise InputError("This is not an archive that can be read here: use .zip, .skill, .tar or .tar.gz.")


def _checked(entries: Iterable[_Entry], limits: ArchiveLimits) -> tuple[ArchiveMember, ...]:
    """The files, if no two entries can mean one place and none can leave the folder."""
    seen: set[str] = set()
    folders: set[str] = set()
    members: list[ArchiveMember] = []
    for entry in entries:
        path = _plain(entry)
        if len(seen) + len(folders) >= limits.members:
            raise _too_many(limits)
        if entry.folder and path in (".", ""):
            continue
        if reason := path_problem(path):
            raise InputError(f"{path[:80]!r} in the archive cannot be a path in a skill package: {reason}.")
        if path in seen or (path in folders and not entry.folder):
            raise InputError(f"{path[:80]!r} is in the archive twice.")
        if entry.folder:
            folders.add(path)
            continue
        seen.add(path)
        members.append(ArchiveMember(path, entry.content, entry.executable))
    check_paths(seen)
    return tuple(members)


def _plain(entry: _Entry) -> str:
    """The path without the `./` some programs begin with, and the `/` folders end with."""
    path = entry.path.removesuffix("/") if entry.folder else entry.path
    while path.startswith("./"):
        path = path[2:]
    return path


def _read(file: Path, limits: ArchiveLimits) -> bytes:
    try:
        if not file.is_file():
            raise NotFoundError(f"There is no file {file}.")
        with file.open("rb") as handle:
            return handle.read(limits.packed + 1)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None


def _too_many(limits: ArchiveLimits) -> InputError:
    return InputError(f"The archive has more than {limits.members:,} members.")


def _too_large(limits: ArchiveLimits) -> InputError:
    return InputError(
        f"The archive unpacks to too much: {limits.unpacked:,} bytes are allowed, "
        f"and {limits.ratio} for each of its own."
    )


# ---- ZIP --------------------------------------------------------------------------------------------------------


def _from_zip(data: bytes, limits: ArchiveLimits) -> Iterator[_Entry]:
    _check_directory(data, limits)
    room = limits.room_for(len(data))
    with ZipFile(BytesIO(data)) as archive:
        infos = archive.infolist()
        if len(infos) > limits.members:
            raise _too_many(limits)
        for info in infos:
            _check_info(info)
        _check_apart(data, infos, archive.start_dir)
        for info in infos:
            content = b"" if info.is_dir() else _inflated(archive, info, room)
            if len(content) > room:
                raise _too_large(limits)
            room -= len(content)
            runs = bool(info.external_attr >> 16 & 0o100)
            yield _Entry(info.filename, content, runs, folder=info.is_dir())


def _check_directory(data: bytes, limits: ArchiveLimits) -> None:
    """Refuse a list of members that would take much memory to read; the standard library reads it all."""
    at = data.rfind(b"PK\x05\x06")
    if at < 0 or len(data) - at < 22:
        raise InputError("The archive is torn: its end is missing.")
    if data[max(0, at - 20) : at].startswith(b"PK\x06\x07"):
        raise InputError("The archive is of a form for more than 4 GiB; pack it again as a plain .zip.")
    (size,) = struct.unpack("<L", data[at + 12 : at + 16])
    if size > limits.members * _HEADERS:
        raise _too_many(limits)


def _check_info(info: ZipInfo) -> None:
    name = info.filename[:80]
    if info.orig_filename != info.filename:
        raise InputError(f"{name!r} in the archive is a name with a NUL in it.")
    if info.flag_bits & _LOCKED:
        raise InputError(f"{name!r} in the archive is encrypted.")
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise InputError(f"{name!r} in the archive is compressed in a way that is not read here; use plain .zip.")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFDIR if info.is_dir() else stat.S_IFREG):
        what = "a link" if kind == stat.S_IFLNK else "neither a file nor a folder"
        raise InputError(f"{name!r} in the archive is {what}; a skill has only files.")


def _check_apart(data: bytes, infos: Sequence[ZipInfo], end: int) -> None:
    """Members that share bytes are how a few kilobytes become gigabytes."""
    for info in sorted(infos, key=lambda one: one.header_offset, reverse=True):
        at = info.header_offset
        name, extra = struct.unpack("<HH", data[at + 26 : at + 30])
        if at < 0 or at + 30 + name + extra + info.compress_size > end:
            raise InputError(f"{info.filename[:80]!r} in the archive overlaps with what follows it.")
        end = at


def _inflated(archive: ZipFile, info: ZipInfo, room: int) -> bytes:
    """The bytes of a member, or a byte more than there is room for."""
    with archive.open(info) as file:
        content = file.read(room + 1)
    if len(content) <= room and len(content) != info.file_size:
        raise InputError(f"{info.filename[:80]!r} in the archive does not have the size it claims.")
    return content


# ---- tar --------------------------------------------------------------------------------------------------------


def _from_tar(data: bytes, limits: ArchiveLimits, room: int) -> Iterator[_Entry]:
    for entry in tar_entries(data):
        room -= len(entry.content)
        if room < 0:
            raise _too_large(limits)
        yield _Entry(*entry)


def _decompressed(data: bytes, limits: ArchiveLimits) -> bytes:
    """The tar archive inside, which is a little larger than what it holds."""
    room = min(limits.packed, limits.room_for(len(data)) + limits.members * _HEADERS)
    if data.startswith(b"\x1f\x8b"):
        with gzip.GzipFile(fileobj=BytesIO(data)) as file:
            found = file.read(room + 1)
    else:
        found = _joined_streams(data, room)
    if len(found) > room:
        raise _too_large(limits)
    return found


def _joined_streams(data: bytes, room: int) -> bytes:
    """What a .bz2 or .xz file holds, at most a byte more than there is room for; some programs write many streams."""
    found = bytearray()
    for _ in range(_STREAMS):
        stream = bz2.BZ2Decompressor() if data.startswith(b"BZh") else lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
        found += stream.decompress(data, room + 1 - len(found))
        data = stream.unused_data
        if len(found) > room or (stream.eof and not data):
            return bytes(found)
        if not stream.eof:
            raise EOFError("it ends too early")
    raise InputError(f"The archive has more than {_STREAMS} compressed streams.")
