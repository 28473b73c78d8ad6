"""Read the lines of a file that may be huge, damaged, compressed or still growing."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from metier.capture.reading.fields import Map, decode
from metier.capture.source import Rewound, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_LIMIT = 16 * 1024 * 1024
"""Bytes of the longest line that is read; a longer line is skipped."""
UNPACKED = 1024**3
"""Bytes of a compressed file that are read, as they are uncompressed."""
_CHUNK = 1024 * 1024
_PACKED = 1024
"""Compressed bytes that are unpacked at once: every four of them can become 128 KiB."""
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_PADDING = b"\0 \t\r\n"


@dataclass(frozen=True, slots=True)
class FileLine:
    """One line, with its number (from 1) and the byte it begins at."""

    number: int
    offset: int
    raw: bytes
    whole: bool
    """Whether the line ends with a line break; the last line of a growing file may be incomplete."""


class _Inflater(Protocol):
    eof: bool

    def decompress(self, data: bytes, /) -> bytes: ...


class _ZstdStream(io.RawIOBase):
    """Decompresses zstandard data; at incomplete or damaged data it ends and sets `problem`."""

    def __init__(self, file: BinaryIO, inflater: _Inflater) -> None:
        super().__init__()
        self._file = file
        self._inflater = inflater
        self._ready = memoryview(b"")
        self._room = UNPACKED
        self.problem = ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        while not self._ready and not self.problem and not self._inflater.eof:
            self._ready = memoryview(self._more())
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _more(self) -> bytes:
        data = self._file.read(_PACKED)
        if self._room < 0:
            self.problem = f"the file unpacks to more than {UNPACKED:,} bytes; the beginning was read"
            return b""
        if not data:
            self.problem = "the compressed file is incomplete; everything before its end was read"
            return b""
        try:
            unpacked = self._inflater.decompress(data)
        except Exception as error:  # noqa: BLE001  each zstandard library has its own error class
            self.problem = f"the compressed data is damaged ({error}); everything before the damage was read"
            return b""
        self._room -= len(unpacked)
        return unpacked


class _InflatedStream(io.BufferedReader):
    """A buffered stream of decompressed bytes that knows what was wrong with them."""

    def __init__(self, zstd: _ZstdStream) -> None:
        super().__init__(zstd, 256 * 1024)
        self._zstd = zstd

    @property
    def problem(self) -> str:
        return self._zstd.problem


def read_records(name: str, file: BinaryIO, start: int = 0) -> Iterator[tuple[FileLine, Map] | Skipped]:
    """Yield each line from byte `start` on with its JSON object, or a `Skipped` if a line cannot be read."""
    for line in read_lines(name, file, start):
        if isinstance(line, Skipped):
            yield line
            continue
        found, problem = parse_record(name, line)
        if problem is not None:
            yield problem
        if found is not None:
            yield line, found


def parse_record(name: str, line: FileLine) -> tuple[Map | None, Skipped | None]:
    """The JSON object of a line, and what was wrong with the line; both None for an empty line."""
    found = parse_line(line.raw)
    if isinstance(found, dict):
        return found, None
    if not line.raw.strip(_PADDING):
        return None, None
    if not line.whole:
        reason = "the last line is incomplete; it is read again when the file grows"
        return None, Skipped(file=name, line=line.number, reason=reason)
    mended = parse_line(line.raw, replace_invalid=True) if "UTF-8" in found else found
    if isinstance(mended, dict):
        reason = "bytes that are not UTF-8 were replaced by U+FFFD"
        return mended, Skipped(file=name, line=line.number, reason=reason)
    return None, Skipped(file=name, line=line.number, reason=mended)


def parse_line(raw: bytes, *, replace_invalid: bool = False) -> Map | str:
    """The JSON object of a line, or a text that says why there is none.

    `replace_invalid` replaces bytes that are not UTF-8 by U+FFFD.
    """
    try:
        content = raw.decode("utf-8-sig", "replace" if replace_invalid else "strict").strip("\0 \t\r\n")
        value = decode(content)
    except UnicodeDecodeError as error:
        return f"not UTF-8: byte {error.start + 1} of the line"
    except ValueError as error:
        return str(error)
    return cast("Map", value) if isinstance(value, dict) else "not a JSON object"


def read_lines(name: str, file: BinaryIO, start: int = 0) -> Iterator[FileLine | Skipped]:
    """Yield each line from byte `start` on, or a `Skipped` if a line is too long."""
    stream, problem = _open_stream(name, file)
    if problem is not None:
        yield problem
        return
    number, offset = _skip_bytes(stream, start), start
    while raw := stream.readline(LINE_LIMIT + 1):
        number += 1
        if len(raw) > LINE_LIMIT and not raw.endswith(b"\n"):
            size, ended = _skip_line(stream)
            size += len(raw)
            reason = f"the line has {size:,} bytes; the limit is {LINE_LIMIT:,}"
            reason += "" if ended else "; the file ends inside the line"
            yield Skipped(file=name, line=number, reason=reason)
        else:
            size = len(raw)
            yield FileLine(number, offset, raw, raw.endswith(b"\n"))
        offset += size
    if isinstance(stream, _InflatedStream) and stream.problem:
        yield Skipped(file=name, line=number, reason=stream.problem)


def check_start(name: str, file: BinaryIO, start: int) -> Rewound | None:
    """A `Rewound` if a file cannot be continued at byte `start`, because no line begins there; else None."""
    if start <= 0:
        return None
    stream, problem = _open_stream(name, file)
    if problem is not None:
        return None
    _skip_bytes(stream, start - 1)
    if stream.read(1) != b"\n":
        return Rewound(file=name, reason="the file was rewritten: no line begins where the last import ended")
    return None


def _open_stream(name: str, file: BinaryIO) -> tuple[BinaryIO, Skipped | None]:
    """The stream of uncompressed bytes from the beginning, and what is missing to read it."""
    file.seek(0)
    head = file.read(4)
    file.seek(0)
    if head != _ZSTD_MAGIC:
        return file, None
    inflater = _inflater()
    if inflater is None:
        reason = "the file is compressed with zstandard: run pip install 'metier[zstd]', then import it again"
        return file, Skipped(file=name, line=0, reason=reason)
    return cast("BinaryIO", _InflatedStream(_ZstdStream(file, inflater))), None


def _inflater() -> _Inflater | None:
    try:
        import zstandard
    except ImportError:
        return None
    return cast("_Inflater", zstandard.ZstdDecompressor().decompressobj())


def _skip_bytes(stream: BinaryIO, start: int) -> int:
    """Move to byte `start`; return the number of lines before it."""
    lines = 0
    while start > 0 and (chunk := stream.read(min(_CHUNK, start))):
        lines += chunk.count(b"\n")
        start -= len(chunk)
    return lines


def _skip_line(stream: BinaryIO) -> tuple[int, bool]:
    """Move to the end of the line; return the number of bytes, and whether the line had an end."""
    size = 0
    while piece := stream.readline(_CHUNK):
        size += len(piece)
        if piece.endswith(b"\n"):
            return size, True
    return size, False
