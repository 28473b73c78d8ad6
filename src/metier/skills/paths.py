"""Which paths a package may have: relative POSIX paths that mean the same file on every file system."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import normalize

from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ENTRIES = 10_000
"""Files and folders."""
MAX_DEPTH = 64
MAX_PATH = 1024
"""Bytes of UTF-8, as is the next."""
MAX_PART = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:")


def check_paths(paths: Iterable[str]) -> None:
    """InputError names the first path that is refused, and why."""
    seen: dict[str, str] = {}
    files: set[str] = set()
    for path in paths:
        if reason := path_problem(path):
            raise InputError(f"{path[:80]!r} cannot be a path in a skill package: {reason}.")
        files.add(path)
        for part in _with_folders(path):
            other = seen.setdefault(normalize("NFC", normalize("NFC", part).casefold()), part)
            if other != part:
                raise InputError(f"{part[:80]!r} and {other[:80]!r} are one name on many file systems; rename one.")
        if len(seen) > MAX_ENTRIES:
            raise InputError(f"A skill package may have {MAX_ENTRIES:,} files and folders, this one has more.")
    for path in files:
        for folder in list(_with_folders(path))[:-1]:
            if folder in files:
                raise InputError(f"{folder[:80]!r} is a file and a folder at once.")


def path_problem(path: str) -> str | None:
    """Why a path is refused by itself; None: it is fine."""
    parts = path.split("/")
    if not path:
        return "it is empty"
    if path.startswith("/") or _DRIVE.match(path):
        return "it is absolute"
    if "\\" in path:
        return "it has a backslash"
    if _CONTROL.search(path):
        return "it has a control character"
    if any(part in ("", ".", "..") for part in parts):
        return "it has an empty, '.' or '..' part"
    if len(parts) > MAX_DEPTH:
        return f"it is more than {MAX_DEPTH} levels deep"
    return _size_problem(path, parts)


def _size_problem(path: str, parts: list[str]) -> str | None:
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "it is no UTF-8"
    if size > MAX_PATH or any(len(part.encode()) > MAX_PART for part in parts):
        return f"it is too long ({MAX_PATH:,} bytes in all and {MAX_PART} a part are allowed)"
    return None


def _with_folders(path: str) -> Iterator[str]:
    """The folders a path leads through, then the path."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)
    yield path
