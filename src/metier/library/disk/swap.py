"""Two names on one disk exchanged in one step, where the system can; nothing here follows a link."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NOREPLACE, EXCHANGE = 1, 2
"""Flags of Linux's renameat2; macOS's renameatx_np has its own."""
_DARWIN = {NOREPLACE: 4, EXCHANGE: 2}
_MISSING = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""How a system or a file system says that it cannot."""


def exchange(one: int, name: str, other: int, other_name: str) -> bool:
    """Exchange two entries of two open folders at once; False: this file system cannot."""
    return _rename(one, name, other, other_name, EXCHANGE)


def move(one: int, name: str, other: int, other_name: str) -> None:
    """Move an entry to a name that is free; FileExistsError when it is not."""
    if not _rename(one, name, other, other_name, NOREPLACE):
        if is_there(other, other_name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), other_name)
        os.rename(name, other_name, src_dir_fd=one, dst_dir_fd=other)


def _rename(one: int, name: str, other: int, other_name: str, flag: int) -> bool:
    call = _call()
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
def _call() -> Callable[[int, str, int, str, int], None] | None:
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


def is_there(folder: int, name: str) -> bool:
    """Whether an open folder has an entry of that name."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
