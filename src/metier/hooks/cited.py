"""Whether a file of the project still says what a lesson rests on."""

from __future__ import annotations

import os

LONGEST = 1_000_000
"""Bytes of a file that are looked at."""


def still_says(root: str, file: str, says: str) -> bool:
    """Whether a file below a project's folder is there and holds a text."""
    found = read_below(root, file) if file else b"-"
    return bool(found) and (not file or says.encode("utf-8", "replace") in found)


def read_below(root: str, file: str) -> bytes:
    """What a file below a folder holds; empty: it is not there, is empty, or leads out of the folder."""
    base = os.path.realpath(root)
    path = os.path.realpath(os.path.join(base, file))
    if not path.startswith(base + os.sep) or not os.path.isfile(path):
        return b""
    with open(path, "rb") as source:
        return source.read(LONGEST)
