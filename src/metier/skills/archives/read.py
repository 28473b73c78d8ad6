"""Archives from anywhere read in memory, within bounds: nothing they say about themselves is believed."""

from __future__ import annotations

import gzip
import stat
import struct
import zlib
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from metier.errors import InputError, NotFoundError
from metier.skills.archives.tar import is_tar, tar_entries
from metier.skills.paths import check_paths, path_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_BYTES = 25 * 1024 * 1024
"""Unpacked, in all."""
MAX_MEMBERS = 1_000
MAX_RATIO = 100
"""Bytes that one byte of the archive may become."""
SMALL = 1024 * 1024
"""Bytes that any archive may become, however small it is."""
MAX_ARCHIVE = 32 * 1024 * 1024
_DIRECTORY = MAX_MEMBERS * 2048
"""Bytes of a ZIP's list of members, at most."""
_LOCKED = 0x1 | 0x20 | 0x40 | 0x2000
"""Flags of members that are encrypted, or patches of others."""
_BROKEN = (
    *(BadZipFile, gzip.BadGzipFile, zlib.error, struct.error, EOFError, ValueError, OSError, IndexError),
    *(NotImplementedError, RuntimeError, OverflowError),
)
"""What the standard library raises when it meets a broken archive."""


class Member(NamedTuple):
    """One file of an archive."""

    path: str
    content: bytes
    executable: bool = False


def room_for(size: int) -> int:
    """Bytes that an archive of a size may become."""
    return min(MAX_BYTES, max(SMALL, MAX_RATIO * size))


def read_archive(source: bytes | Path) -> tuple[Member, ...]:
    """Every file of a .zip, .skill, .tar or .tar.gz archive; InputError says why it cannot be trusted."""
    data = _read(source) if isinstance(source, Path) else source
    if len(data) > MAX_ARCHIVE:
        raise InputError(f"The archive has more than {MAX_ARCHIVE:,} bytes.")
    try:
        return _checked(_entries(data))
    except _BROKEN as error:
        detail = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"The archive is torn or damaged: {detail[:120]}.") from None


class _Entry(NamedTuple):
    path: str
    content: bytes
    executable: bool
    folder: bool


def _entries(data: bytes) -> Iterator[_Entry]:
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _from_zip(data)
    if data.startswith(b"\x1f\x8b"):
        return _from_tar(_unzipped(data), room_for(len(data)))
    if is_tar(data):
        return _from_tar(data, MAX_BYTES)
    raise InputError("This is no archive of a skill: neither .zip nor .skill, .tar or .tar.gz.")


def _checked(entries: Iterable[_Entry]) -> tuple[Member, ...]:
    """The files, if no two entries can mean one place and none can leave the folder."""
    seen: set[str] = set()
    folders: set[str] = set()
    members: list[Member] = []
    for entry in entries:
        path = _plain(entry)
        if len(seen) + len(folders) >= MAX_MEMBERS:
            raise InputError(f"The archive has more than {MAX_MEMBERS:,} members.")
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
        members.append(Member(path, entry.content, entry.executable))
    check_paths(seen)
    return tuple(one for one in members if not _is_litter(one.path))


def _plain(entry: _Entry) -> str:
    """The path without the `./` some programs begin with, and the `/` folders end with."""
    path = entry.path.removesuffix("/") if entry.folder else entry.path
    while path.startswith("./"):
        path = path[2:]
    return path


def _is_litter(path: str) -> bool:
    """Whether it is one of the files that macOS leaves in archives."""
    return path.startswith("__MACOSX/") or path.rpartition("/")[2] == ".DS_Store"


def _read(file: Path) -> bytes:
    try:
        if not file.is_file():
            raise NotFoundError(f"There is no file {file}.")
        with file.open("rb") as handle:
            return handle.read(MAX_ARCHIVE + 1)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None


# ---- ZIP --------------------------------------------------------------------------------------------------------


def _from_zip(data: bytes) -> Iterator[_Entry]:
    _check_directory(data)
    room = room_for(len(data))
    with ZipFile(BytesIO(data)) as archive:
        infos = archive.infolist()
        if len(infos) > MAX_MEMBERS:
            raise InputError(f"The archive has more than {MAX_MEMBERS:,} members.")
        for info in infos:
            _check_info(info)
        _check_apart(data, infos, archive.start_dir)
        for info in infos:
            content = b"" if info.is_dir() else _inflated(archive, info, room)
            room -= len(content)
            runs = bool(info.external_attr >> 16 & 0o100)
            yield _Entry(info.filename, content, runs, folder=info.is_dir())


def _check_directory(data: bytes) -> None:
    """Refuse a list of members that would take much memory to read; the standard library reads it all."""
    at = data.rfind(b"PK\x05\x06")
    if at < 0 or len(data) - at < 22:
        raise InputError("The archive is torn: its end is missing.")
    if data[max(0, at - 20) : at].startswith(b"PK\x06\x07"):
        raise InputError("The archive is of a form for more than 4 GiB; pack it again as a plain .zip.")
    (size,) = struct.unpack("<L", data[at + 12 : at + 16])
    if size > _DIRECTORY:
        raise InputError(f"The archive has more than {MAX_MEMBERS:,} members.")


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
    with archive.open(info) as file:
        content = file.read(room + 1)
    if len(content) > room:
        raise _too_large()
    if len(content) != info.file_size:
        raise InputError(f"{info.filename[:80]!r} in the archive has not the size it claims.")
    return content


def _too_large() -> InputError:
    return InputError(
        f"The archive unpacks to too much: {MAX_BYTES:,} bytes are allowed, and {MAX_RATIO} for each of its own."
    )


# ---- tar --------------------------------------------------------------------------------------------------------


def _from_tar(data: bytes, room: int) -> Iterator[_Entry]:
    for entry in tar_entries(data):
        room -= len(entry.content)
        if room < 0:
            raise _too_large()
        yield _Entry(*entry)


def _unzipped(data: bytes) -> bytes:
    """The tar archive inside, which is a little larger than what it holds."""
    room = min(MAX_ARCHIVE, room_for(len(data)) + MAX_MEMBERS * 2048)
    with gzip.GzipFile(fileobj=BytesIO(data)) as file:
        found = file.read(room + 1)
    if len(found) > room:
        raise _too_large()
    return found
