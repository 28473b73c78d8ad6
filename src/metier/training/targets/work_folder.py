"""What a command finds in its throw-away folder, and what is taken along from it."""

from __future__ import annotations

import os
import re
import stat
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from metier.folders import open_below
from metier.library.disk.atomic_files import WriteBatch, write_tree
from metier.skills.names import path_problem
from metier.training.cases.evals_json import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from metier.skills.package import Package

COLLECTED = 64
"""Files taken along at most, each of at most so many bytes:"""
LARGEST = 1024 * 1024
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def install_skill(skill: Package | None, root: Path, place: Path) -> Path:
    """The folder a skill was written to, without the evals that would give its cases away; an empty one for none."""
    if skill is None:
        empty = place / "no-skill"
        empty.mkdir()
        return empty
    target = root / (skill.name if NAME.fullmatch(skill.name) else "skill")
    target.mkdir(parents=True, exist_ok=True)
    writes = WriteBatch(lasting=False)
    with open_below(target) as handle:
        write_tree(handle, skill.without_files(path for path in skill.files if path.startswith(FOLDER)), {}, writes)
    writes.close(lasting=False)
    return target


def write_texts(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    """Write the files of a case below a folder that is new."""
    for path, text in files:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", errors="replace", newline="")


def collect_files(work: Path, patterns: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The text files that a command left behind and somebody asked for; links are not followed."""
    found = 0
    for top, _, names in os.walk(work) if patterns else ():
        for name in sorted(names):
            file = os.path.join(top, name)  # noqa: PTH118 - a name may be anything
            path = os.path.relpath(file, work)
            wanted = any(fnmatch(path, pattern) for pattern in patterns)
            if wanted and found < COLLECTED and (text := _text(file)) is not None and not path_problem(path):
                found += 1
                yield path, text


def _text(file: str) -> str | None:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as opened:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            content = opened.read(LARGEST + 1)
            return content.decode() if len(content) <= LARGEST else None
    except (OSError, UnicodeDecodeError):
        return None
