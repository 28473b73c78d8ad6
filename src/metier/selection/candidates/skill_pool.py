"""The skills of an open workspace, ready for search, kept in memory until something changes."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.library.hand_edits import record_hand_edits
from metier.selection.candidates.catalogue import Catalogue, catalogue_of
from metier.selection.candidates.disk_changes import disk_state, disk_state_again
from metier.selection.candidates.eligibility import EligibilityCache
from metier.selection.candidates.reviewed import ReviewedCache
from metier.selection.index.entries import with_history
from metier.selection.index.index import SkillIndex
from metier.selection.index.update import IndexedSkills, index_skills
from metier.store.tables.selection import served as skill_history
from metier.store.tables.selection import skill_index

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Mapping

    from metier.context.context import Context
    from metier.events import Event
    from metier.library.skills import Library
    from metier.selection.candidates.disk_changes import DiskState
    from metier.selection.candidates.eligibility import Eligibility
    from metier.selection.index.entries import IndexEntry
    from metier.selection.index.index import SearchHit
    from metier.selection.index.remote_vectors import SkillVectors
    from metier.selection.types import Selectable, Task
    from metier.store.tables.selection.hook_skills import InUse

    Requests = tuple[str, ...]

FEW = 0.1
"""Up to this share of changed skills the index is updated; beyond it building a new one is faster."""
PAUSE = 20.0
"""After a check of the disk the next one waits this many times as long: checks take a twentieth of the time."""
SMALL = 200
"""Up to this many files and folders the disk is checked at every call."""
EMPTY = Catalogue(in_use={})


@dataclass(kw_only=True)
class SkillPool:
    """The catalogue and the index of a workspace. Safe for many threads."""

    library: Library
    catalogue: Catalogue = EMPTY
    served: Mapping[str, Requests] = field(default_factory=dict["str", "Requests"])
    """Requests that skills served with success, as of the last refresh."""
    hashes: Mapping[str, str] = field(default_factory=dict["str", "str"])
    """The content hash of every skill in use that has a history, by name."""
    reviewed: ReviewedCache = field(default_factory=ReviewedCache)
    """The skills that this process reviewed."""
    hook_rows: dict[str, InUse] = field(default_factory=dict["str", "InUse"])
    """The rows that this process wrote for hooks, by skill."""
    clock: Callable[[], float] = time.monotonic
    small: int = SMALL
    vectors: SkillVectors | None = None
    """Those of a remote embedder, one for every skill as it is now; None: not all are known to be there."""
    _index: SkillIndex | None = None
    """Made by the first search: a task that was asked before needs none."""
    _known: IndexedSkills = field(default_factory=IndexedSkills)
    _eligibility: EligibilityCache = field(default_factory=lambda: EligibilityCache(EMPTY))
    _disk: DiskState | None = None
    _paused_until: float = 0.0
    _changes: int = -1
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def ctx(self) -> Context:
        """The workspace of the skills."""
        return self.library.ctx

    def refresh(self, *, force: bool = False) -> Generator[Event, None, Catalogue]:
        """Read the skills again if something on disk changed; hand edits become versions. Returns the catalogue."""
        with self._lock:
            changes, began = self._change_count(), self.clock()
            if not force and self._disk and self._disk == disk_state_again(self.ctx, self._disk):
                self._pause(changes, began)
                return self.catalogue
            skills = yield from record_hand_edits(self.library)
            began = self.clock()
            disk = disk_state(self.library, skills)
            took = self.clock() - began
            found = yield from index_skills(self.ctx, skills, self._known)
            with self.ctx.store.read() as transaction:
                served = skill_history.served_requests(transaction)
            self._replace_catalogue(catalogue_of(skills, found.texts), found, served)
            self._disk = disk
            self._pause(changes, self.clock() - took)
            return self.catalogue

    def update_if_stale(self) -> Catalogue:
        """Refresh the catalogue unless it is recent: in a large library the disk is not checked at every call.

        Changes made through Metier, by this or another process, are always seen.
        """
        with self._lock:
            pausing = self._disk is not None and self.clock() < self._paused_until
            recent = pausing and self._changes == self._change_count()
            return self.catalogue if recent else drain(self.refresh())

    def eligibility(self, catalogue: Catalogue, task: Task, excluded: frozenset[str]) -> Eligibility:
        """The skills of a catalogue that may be selected for a task."""
        with self._lock:
            if self._eligibility.catalogue is not catalogue:
                self._eligibility = EligibilityCache(catalogue)
            return self._eligibility.get(task, excluded)

    def search(
        self, task: str, k: int, within: Collection[str] | None = None, near: Mapping[str, float] | None = None
    ) -> tuple[SearchHit, ...]:
        """The best k skills for a task."""
        with self._lock:
            if self._index is None:
                self._index = SkillIndex.of(self._pairs())
            return self._index.search(task, k, within=within, near=near)

    def _change_count(self) -> int:
        with self.ctx.store.read() as transaction:
            return skill_index.change_count(transaction)

    def _pause(self, changes: int, began: float) -> None:
        """Wait before the next check of the disk; this one began at `began`."""
        now = self.clock()
        long = self._disk is not None and self._disk.size > self.small
        self._changes, self._paused_until = changes, now + PAUSE * (now - began) if long else now

    def _replace_catalogue(self, catalogue: Catalogue, known: IndexedSkills, served: Mapping[str, Requests]) -> None:
        """Replace catalogue and index; only skills that differ cost time."""
        before = {name: (one.content, self.served.get(name)) for name, one in self.catalogue.in_use.items()}
        now = {name: (one.content, served.get(name)) for name, one in catalogue.in_use.items()}
        gone = [name for name, state in before.items() if now.get(name) != state]
        come = [name for name, state in now.items() if before.get(name) != state]
        self._known, self.served, self.catalogue = known, served, catalogue
        self.hashes = {name: one.skill.content_hash for name, one in catalogue.in_use.items()}
        if len(gone) + len(come) > FEW * len(before) + 1:
            self._index = None
        if self._index is not None:
            for name in gone:
                self._index.remove(name)
            for name in come:
                self._index.add(name, self._entry(name))
        if gone or come:
            self.vectors = None

    def _pairs(self) -> Iterator[tuple[str, IndexEntry]]:
        return ((name, self._entry(name)) for name in self.catalogue.in_use)

    def _entry(self, name: str) -> IndexEntry:
        return with_history(self._known.entries[self.catalogue.in_use[name].content], self.served.get(name, ()))


def drain(events: Generator[Event, None, Catalogue]) -> Catalogue:
    """Run to the end and return the result."""
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


def skills_with_bodies(pool: SkillPool) -> Generator[Event, None, tuple[Selectable, ...]]:
    """Every skill in use with its body."""
    catalogue = yield from pool.refresh()
    with pool.ctx.store.read() as transaction:
        texts = skill_index.bodies(transaction, [one.content for one in catalogue.in_use.values()])
    return tuple(replace(one.skill, body=texts.get(one.content, "")) for one in catalogue.in_use.values())
