"""Writes of many threads in one transaction at a time: those who wait for the disk wait for it together."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.store.engines.engine import Engine, Transaction
    from metier.store.engines.line_journal import LineJournal

T = TypeVar("T")
Item = TypeVar("Item")


class _Slot:
    """One piece of writing, and what came of it; whoever waits for it is woken through its own lock."""

    __slots__ = ("error", "finished", "result", "wakes", "work")

    def __init__(self, work: Callable[[Transaction], object], wakes: threading.Lock | None = None) -> None:
        self.work = work
        self.result: object = None
        self.error: BaseException | None = None
        self.finished = False
        self.wakes = wakes
        if wakes is not None:
            wakes.acquire()


class BatchedWrites:
    """Takes in writes and commits them in the order they came, as many at once as are there.

    Whoever waits first writes for all, then hands over to one of those who came meanwhile. When a transaction fails,
    all in it are told, and nothing of it was written. What is committed survives a kill; a power cut may take back what
    was committed since the last sync, which is made once in `pause` seconds and by `flush`.

    With a journal, what is added with a line survives a kill from that moment on.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        journal: LineJournal | None = None,
        pause: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._journal = journal
        self._lines = threading.local()
        self._items: dict[Callable[[Transaction, list[Any]], object], list[Any]] = {}
        self._pause = pause
        self._clock = clock
        self._due = 0.0
        self._queue: list[_Slot] = []
        self._writing = False
        self._mutex = threading.Lock()

    def add(
        self, write: Callable[[Transaction, list[Item]], object], item: Item, line: bytes = b"", *, more: bool = False
    ) -> None:
        """Write an item with the next group; the items of a group that are written the same way are written at once.

        `more`: this thread adds another line soon, or calls `noted`; one call then takes both to the journal.
        """
        with self._mutex:
            self._items.setdefault(write, []).append(item)
            part = self._journal.part if self._journal is not None else 0
        if line and self._journal is not None:
            self._lines.held = held = [*self._held(), line]
            if not more:
                self._lines.held = []
                self._journal.add(held, part)  # not under the mutex: all would wait for the disk

    def noted(self) -> None:
        """Take to the journal what this thread has added."""
        held = self._held()
        if held and self._journal is not None:
            self._lines.held = []
            with self._mutex:
                part = self._journal.part
            self._journal.add(held, part)

    def _held(self) -> list[bytes]:
        return getattr(self._lines, "held", [])

    def later(self, work: Callable[[Transaction], object]) -> None:
        """Write this with the next group, at the latest when `flush` is called; nobody waits for it."""
        slot = _Slot(work)
        with self._mutex:
            self._queue.append(slot)

    def now(self, work: Callable[[Transaction], T]) -> T:
        """Write this and all that came before it; returns when it is committed."""
        slot = _Slot(work, threading.Lock())
        self._wait(slot)
        if slot.error is not None:
            raise slot.error
        return cast("T", slot.result)

    def flush(self) -> None:
        """Wait until all that was taken in so far is committed, and safe from a power cut, too."""
        self._due = 0.0
        self.now(_nothing)

    def settle(self) -> None:
        """Wait until all that was taken in so far is committed."""
        with self._mutex:
            idle = not self._queue and not self._items and not self._writing
        if not idle:
            self.now(_nothing)

    def _wait(self, slot: _Slot) -> None:
        with self._mutex:
            self._queue.append(slot)
            leads = not self._writing
            self._writing = True
        while not slot.finished:
            if leads:
                self._commit()
            else:
                cast("threading.Lock", slot.wakes).acquire()  # released when it is written, or when it is our turn
                leads = not slot.finished

    def _commit(self) -> None:
        with self._mutex:
            group, self._queue = self._queue, []
            items, self._items = self._items, {}
            noted = self._journal.turn() if self._journal is not None else 0
        try:
            synced = self._clock() >= self._due
            with self._engine.write(synced=synced) as transaction:
                for write, those in items.items():
                    write(transaction, those)
                for slot in group:
                    slot.result = slot.work(transaction)
            if synced:
                self._due = self._clock() + self._pause
            if self._journal is not None:
                self._journal.clear(noted)
        except BaseException as error:  # noqa: BLE001 - told to everybody who waits
            for slot in group:
                slot.error = error
        finally:
            for slot in group:
                slot.finished = True
                if slot.wakes is not None:
                    slot.wakes.release()
            with self._mutex:
                heir = next((slot for slot in self._queue if slot.wakes is not None), None)
                self._writing = heir is not None
            if heir is not None:
                cast("threading.Lock", heir.wakes).release()


class PromptWrites(BatchedWrites):
    """Writes without a journal: what a thread has added is committed before it goes on to something new."""

    def noted(self) -> None:
        """Commit what was taken in so far."""
        self.settle()


def _nothing(_: Transaction) -> None:
    """Writes nothing; what it waits for is what came before it."""
