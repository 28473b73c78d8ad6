"""The only opener of files that others wrote: plain files inside where they belong, read within bounds."""

from __future__ import annotations

import errno
import io
import os
import stat
import time
from pathlib import Path

from metier.errors import UnreadableError

BLOCK = 256 * 1024
"""Bytes that are read at once; the time is looked at between two blocks."""
_MODE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_GONE = (errno.ENOENT, errno.ENOTDIR)
_LASTING = (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENAMETOOLONG, errno.ENXIO, errno.EINVAL)


class ForeignFile(io.BufferedReader):
    """A stream of a file's bytes, as many as it had when it was opened; reading raises an UnreadableError only."""

    def __init__(self, raw: _Bounded, size: int) -> None:
        super().__init__(raw, BLOCK)
        self.size = size


def read_foreign(
    path: str | Path, origin: str | Path | tuple[str | Path, ...], limit: int, seconds: float
) -> ForeignFile:
    """Open a file that others wrote, or raise an UnreadableError.

    The file is a plain one, it has at most `limit` bytes, and its real path lies in `origin`, the real path of a folder
    or of one of several. Reading all of it may take `seconds`, the work between two blocks not counted; a block that
    hangs on a network disk cannot be interrupted.
    """
    name = str(path)
    if "\0" in name:
        raise UnreadableError(name, "a path cannot hold a NUL")
    folders = origin if isinstance(origin, tuple) else (origin,)
    try:
        real = Path(os.path.realpath(name))
        if not any(real.is_relative_to(os.path.realpath(folder)) for folder in folders):
            raise UnreadableError(name, f"it is outside of {' and '.join(str(folder) for folder in folders)}")
        handle = os.open(real, _MODE)
    except OSError as error:
        raise _unreadable(name, error) from None
    except ValueError:
        raise UnreadableError(name, "it is no name of a file") from None
    state = os.fstat(handle)
    if stat.S_ISREG(state.st_mode) and state.st_size <= limit:
        return ForeignFile(_Bounded(handle, name, state.st_size, seconds), state.st_size)
    os.close(handle)
    plain = f"it has more than {limit:,} bytes" if stat.S_ISREG(state.st_mode) else "it is not a plain file"
    raise UnreadableError(name, "it is a folder" if stat.S_ISDIR(state.st_mode) else plain)


class _Bounded(io.FileIO):
    """An open file up to a size, within a time."""

    def __init__(self, handle: int, path: str, size: int, seconds: float) -> None:
        super().__init__(handle)
        self._path, self._size, self._left = path, size, seconds

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Read the next bytes."""
        room = memoryview(buffer)[: max(0, self._size - self.tell())]
        began = time.monotonic()
        try:
            count = super().readinto(room) if room else 0
        except OSError as error:
            raise _unreadable(self._path, error) from None
        self._left -= time.monotonic() - began
        if self._left < 0:
            raise UnreadableError(self._path, "reading it takes too long", "busy")
        return count or 0

    read = io.RawIOBase.read  # type: ignore[assignment]  # FileIO's own ways around `readinto` know no bound
    readall = io.RawIOBase.readall


def _unreadable(path: str, error: OSError) -> UnreadableError:
    state = "gone" if error.errno in _GONE else "refused" if error.errno in _LASTING else "busy"
    return UnreadableError(path, error.strerror or "the disk says no", state)
