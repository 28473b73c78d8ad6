"""A tar archive in memory read file by file: names, bytes and executable bits; anything but files is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 512
_END = bytes(BLOCK)
_FOREIGN = {
    b"1": "a link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a pipe",
    b"7": "a contiguous file",
    b"K": "a link",
    b"S": "a file with holes",
    b"V": "a volume's label",
}


class TarEntry(NamedTuple):
    """One file or folder."""

    path: str
    content: bytes
    executable: bool = False
    folder: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    name: bytes
    mode: int
    size: int
    kind: bytes


def is_tar(data: bytes) -> bool:
    """Whether the first block can be the header of a tar archive."""
    return len(data) >= BLOCK and (data[:BLOCK] == _END or _sum_is_right(data[:BLOCK]))


def tar_entries(data: bytes) -> Iterator[TarEntry]:
    """Every file and folder in order; an archive that is torn or holds anything else raises InputError."""
    at = 0
    name = b""
    while True:
        block = data[at : at + BLOCK]
        if block == _END:
            break
        header = _header(block)
        content = data[at + BLOCK : at + BLOCK + header.size]
        if len(content) < header.size:
            raise InputError("The archive is torn: it ends in the middle of a file.")
        at += BLOCK + -(-header.size // BLOCK) * BLOCK
        if header.kind in (b"x", b"g", b"L"):
            name = _long_name(header.kind, content) or name
            continue
        yield _entry(header, name or header.name, content)
        name = b""


def _entry(header: _Header, name: bytes, content: bytes) -> TarEntry:
    try:
        path = name.decode()
    except UnicodeDecodeError:
        raise InputError(f"{name[:80]!r} in the archive is a name that is no UTF-8.") from None
    if header.kind == b"5" or (header.kind == b"\0" and path.endswith("/")):
        return TarEntry(path=path, content=b"", folder=True)
    if header.kind not in (b"0", b"\0"):
        what = _FOREIGN.get(header.kind, "neither a file nor a folder")
        raise InputError(f"{path[:80]!r} in the archive is {what}; a skill has only files.")
    return TarEntry(path=path, content=content, executable=bool(header.mode & 0o100))


def _header(block: bytes) -> _Header:
    if len(block) < BLOCK or not _sum_is_right(block):
        raise InputError("The archive is torn or damaged: a header is not where it should be.")
    name = _text(block[:100])
    if block[257:263] == b"ustar\0" and (prefix := _text(block[345:500])):
        name = b"%s/%s" % (prefix, name)
    return _Header(name=name, mode=_number(block[100:108]), size=_number(block[124:136]), kind=block[156:157])


def _sum_is_right(block: bytes) -> bool:
    try:
        wanted = _number(block[148:156])
    except InputError:
        return False
    return wanted == sum(block) - sum(block[148:156]) + 8 * 0x20


def _number(field: bytes) -> int:
    """A number in octal digits; the other form is for sizes no skill has."""
    digits = _text(field).strip(b" ")
    if digits.strip(b"01234567"):
        raise InputError("The archive is damaged: a number in a header is none.")
    return int(digits or b"0", 8)


def _text(field: bytes) -> bytes:
    return field.split(b"\0", 1)[0]


def _long_name(kind: bytes, content: bytes) -> bytes:
    """The name that a header in front of the real one gives it."""
    if kind == b"L":
        return _text(content)
    name = b""
    for key, value in _records(content):
        if key == b"size" or key.startswith(b"GNU.sparse") or (key == b"path" and kind == b"g"):
            raise InputError(f"The archive has a header that no skill needs ({key[:40].decode('ascii', 'replace')}).")
        name = value if key == b"path" else name
    return name


def _records(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Records of the form `length key=value`, each with a line break at its end."""
    at = 0
    while at < len(content):
        digits, gap, _ = content[at : at + 12].partition(b" ")
        length = int(digits) if digits.isdigit() and gap else 0
        record = content[at + len(digits) + 1 : at + length]
        key, equals, value = record.removesuffix(b"\n").partition(b"=")
        if not equals or not record.endswith(b"\n") or at + length > len(content):
            raise InputError("The archive is damaged: a header in it cannot be read.")
        yield key, value
        at += length
