"""Look into archives without unpacking them to disk, within bounds that no honest one reaches."""

from __future__ import annotations

import tarfile
import zipfile
from dataclasses import dataclass
from io import BytesIO
from lzma import LZMAError
from typing import TYPE_CHECKING
from zlib import error as ZlibError  # noqa: N812 - the library calls it `error`

from metier.skills.paths import path_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_UNPACKED = 25 * 1024 * 1024
MAX_MEMBERS = 1000
MAX_RATIO = 100
_SMALL = 64 * 1024
"""Below this many unpacked bytes the ratio does not matter: a small file of one letter is no bomb."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The files of an archive, or why it was not opened."""

    files: tuple[tuple[str, bytes], ...] = ()
    problem: str = ""


class _UnsafeError(Exception):
    """Says why an archive is refused."""


def members(path: str, content: bytes) -> Members:
    """The plain files of a zip or tar archive; whatever cannot be read whole and safely is a problem."""
    if not content:
        return Members()
    try:
        if zipfile.is_zipfile(BytesIO(content)):
            return Members(files=tuple(_of_zip(content)))
        return Members(files=tuple(_of_tar(content)))
    except _UnsafeError as unsafe:
        return Members(problem=str(unsafe))
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        EOFError,
        OSError,
        ZlibError,
        LZMAError,
        ValueError,
        NotImplementedError,
        RuntimeError,
    ):
        return Members(problem=f"{path.rsplit('/', 1)[-1]} cannot be read as a zip or tar archive")


def _of_zip(content: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        infos = archive.infolist()
        _check(len(infos), sum(info.file_size for info in infos), len(content))
        for info in infos:
            if info.is_dir():
                continue
            if info.flag_bits & 1:
                raise _UnsafeError("it is locked with a password")
            if (info.external_attr >> 16) & 0o170000 == 0o120000:
                raise _UnsafeError("it holds a link")
            with archive.open(info) as member:
                yield _named(info.filename), _bounded(member.read(info.file_size + 1), info.file_size)


def _of_tar(content: bytes) -> Iterator[tuple[str, bytes]]:
    total = 0
    with tarfile.open(fileobj=BytesIO(content), mode="r:*") as archive:
        for count, member in enumerate(archive, 1):
            total += member.size
            _check(count, total, len(content))
            if member.isdir():
                continue
            if not member.isreg():
                raise _UnsafeError("it holds a link or a device")
            part = archive.extractfile(member)
            yield _named(member.name), part.read() if part else b""


def _check(count: int, unpacked: int, packed: int) -> None:
    if count > MAX_MEMBERS:
        raise _UnsafeError(f"it has more than {MAX_MEMBERS:,} members")
    if unpacked > MAX_UNPACKED:
        raise _UnsafeError(f"it unpacks to more than {MAX_UNPACKED:,} bytes")
    if unpacked > _SMALL and unpacked > packed * MAX_RATIO:
        raise _UnsafeError(f"it unpacks to more than {MAX_RATIO} times its size")


def _named(name: str) -> str:
    plain = name.removeprefix("./")
    if reason := path_problem(plain):
        raise _UnsafeError(f"the member {plain[:80]!r} is refused: {reason}")
    return plain


def _bounded(data: bytes, size: int) -> bytes:
    if len(data) > size:
        raise _UnsafeError("a member is larger than it says")
    return data
