"""Work that goes on side by side: the loop hands it in and reads results in its own order, never in theirs."""

from __future__ import annotations

import heapq
import threading
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)


class Pending(Protocol[R_co]):
    """Something that will be there."""

    def result(self) -> R_co:
        """What came of it, as soon as it is there; raises what the work raised."""
        ...


class Pool(Protocol):
    """Takes in work; a lower urgency number goes first, equal ones in the order they came."""

    def submit(self, work: Callable[[], T], *, urgency: int = 0) -> Pending[T]:
        """Hand in work, and go on."""
        ...


class PoolTask(Generic[T]):
    """Work that is done or dropped once, by whoever has it; much lighter than a future, as there are so many."""

    __slots__ = ("_done", "_value", "_work", "error")

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._value: T | None = None
        self.error: BaseException | None = None
        self._done = threading.Lock()
        """Held until then."""
        self._done.acquire()

    def run(self) -> None:
        """Do it."""
        try:
            self._value = self._work()
        except BaseException as error:  # noqa: BLE001 - raised again where the result is read
            self.error = error
        self._done.release()

    def cancel(self) -> None:
        """Drop it."""
        self.error = CancelledError()
        self._done.release()

    def result(self) -> T:
        """What came of it, as soon as it is there."""
        with self._done:
            if self.error is not None:
                raise self.error
            return cast("T", self._value)


class InOrder:
    """A pool without threads: everything is done at once when it is handed in."""

    def submit(self, work: Callable[[], T], *, urgency: int = 0) -> Pending[T]:  # noqa: ARG002
        """Do the work now."""
        task = PoolTask(work)
        task.run()
        if task.error is not None and not isinstance(task.error, Exception):  # an interrupt is for us all
            raise task.error
        return task


class Threads:
    """A pool of threads; `with` ends it, and what had not begun by then is dropped."""

    def __init__(self, workers: int, *, idle: Callable[[], object] = lambda: None) -> None:
        self._idle = idle
        """Called by a worker before it waits for more: what it wrote must not lie around meanwhile."""
        self._heap: list[tuple[int, int, PoolTask[Any]]] = []
        self._count = 0
        self._ready = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"worker {number}", daemon=True)
            for number in range(max(1, workers))
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[[], T], *, urgency: int = 0) -> Pending[T]:
        """Hand in work for the next free thread."""
        task = PoolTask(work)
        with self._ready:
            if self._closed:
                task.cancel()
                return task
            self._count += 1
            heapq.heappush(self._heap, (urgency, self._count, task))
            self._ready.notify()
        return task

    def close(self) -> None:
        """Drop what has not begun, and wait for what has."""
        with self._ready:
            self._closed = True
            dropped = [task for _, _, task in self._heap]
            self._heap.clear()
            self._ready.notify_all()
        for task in dropped:
            task.cancel()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self) -> None:
        while (task := self._next()) is not None:
            task.run()
        self._idle()

    def _next(self) -> PoolTask[Any] | None:
        """The most urgent task; None when there will be no more."""
        with self._ready:
            if self._heap:
                return heapq.heappop(self._heap)[2]
        self._idle()
        with self._ready:
            self._ready.wait_for(lambda: self._heap or self._closed)
            return heapq.heappop(self._heap)[2] if self._heap else None


class PoolUsage:
    """Hands work to a pool and counts it; nothing but the order of work depends on what is counted."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._due = 0
        self._working = 0
        self._workers = 0

    def submit(self, work: Callable[[], T], *, urgency: int) -> Pending[T]:
        """Hand in work, and go on."""
        with self._lock:
            self._due += 1
        return self._pool.submit(lambda: self._counted(work), urgency=urgency)

    def free(self) -> int:
        """How many workers would have nothing to do; an urgent call need not find one free, as one soon is.

        The most calls that were ever under way together stand for the number of workers.
        """
        with self._lock:
            return max(0, self._workers - self._due)

    def _counted(self, work: Callable[[], T]) -> T:
        with self._lock:
            self._working += 1
            self._workers = max(self._workers, self._working)
        try:
            return work()
        finally:
            with self._lock:
                self._working -= 1
                self._due -= 1


Dropped = CancelledError
"""What reading the result of dropped work raises."""
