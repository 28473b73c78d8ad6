"""The pool as a run sees it: work handed in, and how much more would keep every worker busy."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.training.rollouts.pool import Pending, Pool

T = TypeVar("T")


class Crew:
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
