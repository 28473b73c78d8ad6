"""The ignore list: folders that are never recorded. Standard library only, for the spool uses it."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def is_ignored(folder: str, patterns: Iterable[str]) -> bool:
    """Whether a folder, or one above it, is on the list; `*` in a pattern stands for anything."""
    path = os.path.normpath(os.path.abspath(os.path.expanduser(folder)))
    for pattern in patterns:
        wanted = os.path.normpath(os.path.expanduser(pattern))
        if not os.path.isabs(wanted):
            wanted = os.path.join("*", wanted)
        if fnmatchcase(path, wanted) or fnmatchcase(path, os.path.join(wanted, "*")):
            return True
    return False
