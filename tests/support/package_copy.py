"""A copy of the package that can be changed: links to the files that are there, so that it costs next to nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import metier


def copy_package(folder: Path) -> Path:
    """The copy, `metier` in that folder; compiled files come along, so that nothing is compiled again."""
    shutil.copytree(Path(metier.__file__).parent, folder / "metier", copy_function=os.symlink)
    return folder / "metier"


def insert_line(file: Path, table: str, line: str) -> None:
    """Add a line at the beginning of a table of the copy."""
    before = file.read_text(encoding="utf-8")
    (start,) = [one for one in before.splitlines(keepends=True) if one.startswith((f"{table} = ", f"{table}: "))]
    file.unlink()
    file.write_text(before.replace(start, start + line, 1), encoding="utf-8")
