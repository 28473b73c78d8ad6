"""Notice whether skills on disk changed, from a few file facts; this is much faster than reading the skills."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.skills.package import SKILL_FILES
from metier.store.tables.library import package_decisions
from metier.store.tables.selection import skill_index

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from metier.context.context import Context
    from metier.library.listing import Skill
    from metier.library.skills import Library

DEPTH = 6
"""Folders below a root in which skills are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskState:
    """What differs when a skill changed: the documents, the folders around them, the statuses and the decisions."""

    documents: Mapping[str, str]
    folders: Mapping[str, int]
    statuses: tuple[tuple[str, ...], ...]

    @property
    def size(self) -> int:
        """How many files and folders are watched."""
        return len(self.documents) + len(self.folders)


def disk_state(library: Library, skills: Sequence[Skill]) -> DiskState:
    """The state of the disk after a look that found these skills."""
    there = {str(one.folder) for one in skills if one.status not in ("archived", "deleted")}
    folders = [place for root in library.roots for place in _folders_to_watch(str(root.path), there)]
    documents = dict(_document(folder) for folder in there)
    return DiskState(documents=documents, folders=_times(folders), statuses=_statuses(library.ctx))


def disk_state_again(ctx: Context, before: DiskState) -> DiskState:
    """The same files and folders as they are now."""
    return DiskState(documents=_stamps(before.documents), folders=_times(before.folders), statuses=_statuses(ctx))


def _document(folder: str) -> tuple[str, str]:
    """The path of a skill's document, under either of its names, and its state."""
    for name in SKILL_FILES:
        path = f"{folder}/{name}"
        stamp = _stamp_of(path)
        if stamp:
            return path, stamp
    return f"{folder}/{SKILL_FILES[0]}", ""


def _stamps(documents: Iterable[str]) -> dict[str, str]:
    return {document: _stamp_of(document) for document in documents}


def _stamp_of(document: str) -> str:
    """The state of a file: it changes when the file changes; empty when there is none."""
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


def _folders_to_watch(root: str, skills: Collection[str]) -> Iterator[str]:
    """A root and the folders below it that are not skills: a new skill changes one of them."""
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


def _statuses(ctx: Context) -> tuple[tuple[str, ...], ...]:
    with ctx.store.read() as transaction:
        return *skill_index.profile_states(transaction), package_decisions.state(transaction)
