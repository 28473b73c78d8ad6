"""Whether a skill is meant for a path: patterns with `*`, `?` and `**`, matched part by part."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

MOST = 64
"""Parts of a path or pattern that are looked at."""


def covers(pattern: str, path: str) -> bool:
    """Whether the pattern is true of the path or of a folder it lies in; `**` stands for any number of folders."""
    wanted, given = _parts(pattern), _parts(path)
    if not wanted or not given:
        return not wanted and bool(pattern.strip())
    reached = {0}
    for part in given:
        reached = {after for at in _opened(wanted, reached) for after in _steps(wanted, at, part)}
        if len(wanted) in _opened(wanted, reached):
            return True
    return False


def _parts(path: str) -> tuple[str, ...]:
    """The names of a path; `.` says nothing, and `..` leads nowhere a pattern could mean."""
    return tuple(part for part in path.strip().replace("\\", "/").split("/") if part not in ("", "."))[:MOST]


def _opened(wanted: tuple[str, ...], reached: set[int]) -> set[int]:
    """The places in the pattern that are reached when `**` stands for nothing."""
    places = set(reached)
    for at in range(len(wanted)):
        if at in places and wanted[at] == "**":
            places.add(at + 1)
    return places


def _steps(wanted: tuple[str, ...], at: int, part: str) -> tuple[int, ...]:
    if at == len(wanted):
        return ()
    if wanted[at] == "**":
        return (at,)
    return (at + 1,) if _compiled(wanted[at]).match(part) else ()


@lru_cache(maxsize=1_024)
def _compiled(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))
