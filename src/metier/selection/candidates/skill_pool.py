"""The skills of a workspace ready to be searched, kept as long as the workspace is open and nothing has changed."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.library.hand_edits import record_hand_edits
from metier.selection.candidates.catalogue import Catalogue, catalogue_of, with_body
from metier.selection.candidates.disk_changes import again, watch
from metier.selection.candidates.eligibility_cache import Answers
from metier.selection.candidates.reviewed import Passed
from metier.selection.hook_table import follow
from metier.selection.index.entries import with_history
from metier.selection.index.index import Index
from metier.selection.index.update import Indexed, indexed
from metier.store.tables.selection import served as skill_history
from metier.store.tables.selection import skill_index

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from metier.context.context import Context
    from metier.events import Event
    from metier.library.skills import Library
    from metier.selection.candidates.disk_changes import Watched
    from metier.selection.candidates.eligibility_cache import May
    from metier.selection.index.entries import Entry
    from metier.selection.index.index import Hit
    from metier.selection.types import Selectable, Task
    from metier.selection.worth.utility import Adjustment
    from metier.store.tables.selection.hook_skills import InUse

    Requests = tuple[str, ...]
    Remote = Mapping[str, NDArray[np.float32]]

FEW = 0.1
"""The share of skills up to which a change is made in the index that is there; beyond it a new one is quicker."""
PAUSE = 20.0
"""How many times as long as a look at the disk takes there is none after it: looking costs a twentieth of the time."""
QUICK = 200
"""Files and folders that are looked at whenever somebody asks."""
EMPTY = Catalogue(listed={})


@dataclass(kw_only=True)
class SkillPool:
    """The catalogue and the index of a workspace; safe for many threads."""

    library: Library
    catalogue: Catalogue = EMPTY
    served: Mapping[str, Requests] = field(default_factory=dict["str", "Requests"])
    """Requests that skills served with success, as of the last look."""
    hashes: Mapping[str, str] = field(default_factory=dict["str", "str"])
    """The content of every skill in use that has a history, by name."""
    passed: Passed = field(default_factory=Passed)
    """Skills that were let through, or refused, in this process."""
    ready: dict[str, InUse] = field(default_factory=dict["str", "InUse"])
    """Skills that this process made ready for hooks, as they were then."""
    clock: Callable[[], float] = time.monotonic
    quick: int = QUICK
    embedder: str = ""
    """The remote embedder whose vectors are in the index; empty: none are."""
    _index: Index = field(default_factory=Index)
    _known: Indexed = field(default_factory=Indexed)
    _answers: Answers = field(default_factory=lambda: Answers(EMPTY))
    _watched: Watched | None = None
    _rests_until: float = 0.0
    _deeds: int = -1
    _followed: list[tuple[str, float]] | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def ctx(self) -> Context:
        """The workspace they belong to."""
        return self.library.ctx

    def refreshed(self, *, force: bool = False) -> Generator[Event, None, Catalogue]:
        """The catalogue as things are now; the disk is looked at again only if something there changed."""
        with self._lock:
            deeds, began = self._done(), self.clock()
            if not force and self._watched and self._watched == again(self.ctx, self._watched):
                self._rest(deeds, began)
                return self.catalogue
            skills = yield from record_hand_edits(self.library)
            began = self.clock()
            watched = watch(self.library, skills)
            took = self.clock() - began
            found = yield from indexed(self.ctx, skills, self._known)
            with self.ctx.store.read() as transaction:
                served = skill_history.served_requests(transaction)
            self._take(catalogue_of(skills, found.texts), found, served)
            self._watched, self._followed = watched, None
            self._rest(deeds, self.clock() - took)
            return self.catalogue

    def follow(self, records: Mapping[str, Adjustment]) -> None:
        """Let hooks know of the skills as they are now, if anything is new about them."""
        with self._lock:
            known = sorted((name, one.factor) for name, one in records.items())
            if known != self._followed:
                follow(self, self.catalogue, records)
                self._followed = known

    def current(self) -> Catalogue:
        """The catalogue as it was a moment ago: after a look that took long there is none for a while.

        What is done to skills through Metier, here or by another process, is seen at once all the same.
        """
        with self._lock:
            resting = self._watched is not None and self.clock() < self._rests_until
            return self.catalogue if resting and self._deeds == self._done() else drained(self.refreshed())

    def may(self, catalogue: Catalogue, task: Task, excluded: frozenset[str]) -> May:
        """Which skills of a catalogue may be selected for a task."""
        with self._lock:
            if self._answers.catalogue is not catalogue:
                self._answers = Answers(catalogue)
            return self._answers.of(task, excluded)

    def search(
        self, task: str, k: int, within: Collection[str] | None = None, vector: NDArray[np.float32] | None = None
    ) -> tuple[Hit, ...]:
        """The best k skills for a task."""
        with self._lock:
            return self._index.search(task, k, within=within, vector=vector)

    def give_vectors(self, embedder: str, vectors: Remote) -> None:
        """Put the vectors of a remote embedder into the index, one for every skill."""
        with self._lock:
            self._index = Index.of(self._pairs(), vectors)
            self.embedder = embedder

    def stamp(self, document: str) -> str:
        """What a document's state was when it was last looked at; empty: nobody knows."""
        with self._lock:
            return self._watched.documents.get(document, "") if self._watched else ""

    def _done(self) -> int:
        with self.ctx.store.read() as transaction:
            return skill_index.change_count(transaction)

    def _rest(self, deeds: int, began: float) -> None:
        """After a look that began then."""
        now = self.clock()
        long = self._watched is not None and self._watched.size > self.quick
        self._deeds, self._rests_until = deeds, now + PAUSE * (now - began) if long else now

    def _take(self, catalogue: Catalogue, known: Indexed, served: Mapping[str, Requests]) -> None:
        """Put a new state in the place of the one before; only what is different costs anything."""
        before = {name: (one.content, self.served.get(name)) for name, one in self.catalogue.listed.items()}
        now = {name: (one.content, served.get(name)) for name, one in catalogue.listed.items()}
        gone = [name for name, state in before.items() if now.get(name) != state]
        come = [name for name, state in now.items() if before.get(name) != state]
        self._known, self.served, self.catalogue = known, served, catalogue
        self.hashes = {name: one.skill.content_hash for name, one in catalogue.listed.items()}
        if len(gone) + len(come) > FEW * len(before) + 1:
            self._index = Index.of(self._pairs())
        else:
            for name in gone:
                self._index.remove(name)
            for name in come:
                self._index.add(name, self._entry(name))
        if gone or come:
            self.embedder = ""

    def _pairs(self) -> Iterator[tuple[str, Entry]]:
        return ((name, self._entry(name)) for name in self.catalogue.listed)

    def _entry(self, name: str) -> Entry:
        return with_history(self._known.entries[self.catalogue.listed[name].content], self.served.get(name, ()))


def drained(events: Generator[Event, None, Catalogue]) -> Catalogue:
    """What a piece of work ends with."""
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


def everything(pool: SkillPool) -> Generator[Event, None, tuple[Selectable, ...]]:
    """All skills in use with their bodies."""
    catalogue = yield from pool.refreshed()
    with pool.ctx.store.read() as transaction:
        texts = skill_index.bodies(transaction, [one.content for one in catalogue.listed.values()])
    return tuple(with_body(one.skill, texts.get(one.content, "")) for one in catalogue.listed.values())
