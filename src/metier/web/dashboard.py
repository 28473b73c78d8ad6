"""What every page is given: the workspace, what can be undone, what changed, and figures that take time."""

from __future__ import annotations

import queue
import secrets
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, cast

from metier.errors import MetierError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from metier.context.context import Context
    from metier.web.access import Access
    from metier.web.live import Live
    from metier.web.shelf import SkillShelf
    from metier.workspace import Workspace

T = TypeVar("T")
UNDOS = 100
"""Actions that can be taken back; the oldest gives way."""
FIGURES = 1000
"""Figures that are remembered."""
REST = 20
"""A figure that took long is left as it is for so many times as long."""
MOMENT = 0.05
"""Seconds that a page waits for a figure before it is shown without it."""


class UndoMemory:
    """How to take back what was done lately."""

    def __init__(self) -> None:
        self._known: dict[str, Callable[[], str]] = {}
        self._lock = threading.Lock()

    def remember(self, undo: Callable[[], str]) -> str:
        """Keep an undo; returns its name."""
        name = secrets.token_hex(16)
        with self._lock:
            self._known[name] = undo
            for old in list(self._known)[:-UNDOS]:
                del self._known[old]
        return name

    def take_back(self, name: str) -> str:
        """Undo once; says what was done."""
        with self._lock:
            undo = self._known.pop(name, None)
        if undo is None:
            raise NotFoundError("This was undone already, or too long ago.")
        return undo()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFigure:
    """A figure that was worked out, and what that took."""

    stamp: Hashable
    value: object
    ended: float
    took: float

    def is_recent(self) -> bool:
        """Whether it is too early for another one: what takes long is worked out rarely."""
        return self.took > MOMENT and time.monotonic() - self.ended < self.took * REST


class Lane:
    """One thread that does one thing after the other; the process ends without waiting for it."""

    def __init__(self, name: str) -> None:
        self._waiting: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def submit(self, work: Callable[[], None]) -> Future[None]:
        """Do this when what came before is done."""
        future: Future[None] = Future()

        def step() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - who asked for it says it
                future.set_exception(error)
            else:
                future.set_result(None)

        self._waiting.put(step)
        if self._thread.ident is None:
            self._thread.start()
        return future

    def close(self) -> None:
        """Begin nothing any more."""
        self._closed = True
        self._waiting.put(lambda: None)

    def _work(self) -> None:
        while not self._closed:
            self._waiting.get()()


class SlowFigures:
    """Figures that may take longer than a page can wait: worked out aside, the last value is shown meanwhile.

    There are two lanes, so that what takes a moment never waits for what takes long.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._quick, self._slow = Lane("figures"), Lane("slow figures")
        self._known: dict[str, KnownFigure] = {}
        self._running: dict[str, Future[None]] = {}
        self._lock = threading.Lock()

    def get(self, name: str, stamp: Hashable, compute: Callable[[], T], *, slow: bool = False) -> T | None:
        """A figure as of a stamp, or the last one, or None while the first is worked out."""
        with self._lock:
            known = self._known.get(name)
            if known is not None and (known.stamp == stamp or known.is_recent()):
                return cast("T", known.value)
            waits = slow and bool(self._running)
            if name not in self._running:
                lane = self._slow if slow else self._quick
                self._running[name] = lane.submit(lambda: self._work(name, stamp, compute))
            running = self._running[name]
        done = _is_done(running, 0.0 if waits or known is not None else MOMENT)
        if not done:
            running.add_done_callback(lambda _: self._tell())
        with self._lock:
            known = self._known.get(name)
        return cast("T", known.value) if known is not None else None

    def close(self) -> None:
        """Begin nothing any more."""
        self._quick.close()
        self._slow.close()

    def _work(self, name: str, stamp: Hashable, compute: Callable[[], object]) -> None:
        began = time.monotonic()
        try:
            value = compute()
            ended = time.monotonic()
            with self._lock:
                if len(self._known) > FIGURES:
                    self._known.clear()
                self._known[name] = KnownFigure(stamp=stamp, value=value, ended=ended, took=ended - began)
        except MetierError:  # the next look tries again
            pass
        finally:
            with self._lock:
                self._running.pop(name, None)


def _is_done(running: Future[None], seconds: float) -> bool:
    try:
        running.result(seconds)
    except TimeoutError:
        return False
    return True


class Recall:
    """The last values that were worked out, each under a stamp that stands for all it rests on."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Hashable, object]] = {}
        self._lock = threading.Lock()

    def get(self, name: str, stamp: Hashable, compute: Callable[[], T]) -> T:
        """A value as of a stamp; worked out now if the last one is of another."""
        with self._lock:
            known = self._known.get(name)
        if known is not None and known[0] == stamp:
            return cast("T", known[1])
        value = compute()
        with self._lock:
            self._known[name] = (stamp, value)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """The running dashboard, as pages see it."""

    ws: Workspace
    access: Access
    """The way in on this machine; a server for many has its own."""
    live: Live
    figures: SlowFigures
    shelf: SkillShelf
    undos: UndoMemory = field(default_factory=UndoMemory)
    recall: Recall = field(default_factory=Recall)

    @property
    def context(self) -> Context:
        """The opened workspace, as services take it."""
        return self.ws.context
