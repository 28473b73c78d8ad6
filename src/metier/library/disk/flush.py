"""A word to the system that some files are about to be made to last, so that it begins with all of them at once."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WRITE = 2
"""Linux's flag for: begin to write out, wait for nothing."""


def announce(handles: Sequence[int]) -> None:
    """Let the disk begin with some open files; a hint that promises nothing: whoever needs them to last calls fsync."""
    call = _call() if len(handles) > 1 else None
    if call is not None:
        for handle in handles:
            call(handle, 0, 0, WRITE)


@cache
def _call() -> Callable[[int, int, int, int], int] | None:
    """The system's own call; None where there is none."""
    found = getattr(ctypes.CDLL(None), "sync_file_range", None)
    if found is not None:
        found.argtypes = (ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint)
    return found
