"""Whether anything about the skills on disk changed: a few facts of each, far less than a look at them takes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.skills.package import SKILL_FILES
from metier.store.tables.selection import skill_index

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from metier.context.context import Context
    from metier.library.listing import Skill
    from metier.library.skills import Library

DEPTH = 6
"""Folders below a root in which skills are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What would be different if a skill had changed: documents, the folders around them, how skills are doing."""

    documents: Mapping[str, str]
    folders: Mapping[str, int]
    standing: tuple[tuple[str, str], ...]

    @property
    def size(self) -> int:
        """How many files and folders that is."""
        return len(self.documents) + len(self.folders)


def watch(library: Library, skills: Sequence[Skill]) -> Watched:
    """What to keep an eye on after a look that found these skills."""
    there = {str(one.folder) for one in skills if one.status not in ("archived", "deleted")}
    folders = [place for root in library.roots for place in _walked(str(root.path), there)]
    documents = dict(_document(folder) for folder in there)
    return Watched(documents=documents, folders=_times(folders), standing=_standing(library.ctx))


def again(ctx: Context, before: Watched) -> Watched:
    """The same things as they are now."""
    return Watched(documents=_stamps(before.documents), folders=_times(before.folders), standing=_standing(ctx))


def _document(folder: str) -> tuple[str, str]:
    """The path of a skill's document, whichever of its names it has, and its state."""
    for name in SKILL_FILES:
        path = f"{folder}/{name}"
        stamp = stamp_of(path)
        if stamp:
            return path, stamp
    return f"{folder}/{SKILL_FILES[0]}", ""


def _stamps(documents: Iterable[str]) -> dict[str, str]:
    return {document: stamp_of(document) for document in documents}


def stamp_of(document: str) -> str:
    """What tells one state of a file from another; empty when it is not there."""
    try:
        state = os.stat(document)  # noqa: PTH116 - thousands of them
    except OSError:
        return ""
    return f"{state.st_ino} {state.st_size} {state.st_mtime_ns}"


def _times(folders: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for folder in folders:
        try:
            found[folder] = os.stat(folder).st_mtime_ns  # noqa: PTH116
        except OSError:
            found[folder] = 0
    return found


def _walked(root: str, skills: Collection[str]) -> Iterator[str]:
    """A root and the folders below it that are no skills: a new skill changes one of them."""
    level = [root]
    for _ in range(DEPTH):
        yield from level
        level = [inner for folder in level for inner in _folders(folder) if inner not in skills]


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [one.path for one in entries if not one.name.startswith(".") and one.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _standing(ctx: Context) -> tuple[tuple[str, str], ...]:
    with ctx.store.read() as transaction:
        return skill_index.profile_states(transaction)
