"""Keep learning: one thread for each workspace, all that happens as one stream of events, and a clean end."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Thread
from typing import TYPE_CHECKING, Literal, assert_never

from metier.context.context import find_workspace, settings_for, utc
from metier.events import Ended
from metier.learning.watch.one_workspace import Lookout
from metier.learning.watch.schedule import (
    Due,
    Later,
    Moment,
    Never,
    Pace,
    State,
    due,
    look_at_passes,
    state_after_look,
    watched_config,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from metier.context.context import Context
    from metier.events import Event
    from metier.learning.watch.one_workspace import Learn, Opener
    from metier.library.skills import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchEvent:
    """Something happened in one of the workspaces that are watched."""

    at: datetime
    folder: Path
    workspace: str
    """What records call it; empty when it could not be opened."""
    event: Event


def the_pass(library: Library) -> Generator[Event, None, object]:
    """The pass that `metier learn` makes; the mode decides whether drafts are applied."""
    from metier.learning.learn import learn

    learned = yield from learn(library)
    yield Ended(stage="learn", text=learned.summary)
    return learned


def places(folders: Sequence[str], flags: Mapping[str, object], environ: Mapping[str, str]) -> tuple[Path, ...]:
    """The workspaces that folders belong to, each once; a folder without one, or a wrong setting, is said at once."""
    found: dict[Path, None] = {}
    for folder in folders:
        found[find_workspace(folder, environ).root] = None
        settings_for(folder, flags, environ)
    return tuple(found)


def next_pass(ctx: Context) -> Due | Later | Never:
    """When the next pass of a workspace is due, and why; a burst counts as over."""
    now = Moment(wall=ctx.clock(), ticks=0.0)
    return due(state_after_look(State(), now, *look_at_passes(ctx)), now, watched_config(ctx.settings), Pace(quiet=0.0))


class Watch:
    """Watches over workspaces until it is closed; iterate over `events()` in one thread, close it from anywhere."""

    def __init__(
        self,
        folders: Sequence[Path],
        opener: Opener,
        *,
        learn: Learn = the_pass,
        pace: Pace | None = None,
        once: bool = False,
        flags: Mapping[str, object] | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = utc,
    ) -> None:
        self._pace = pace or Pace()
        self._once = once
        self._clock = clock
        self._lookouts = [
            Lookout(folder, opener=opener, learn=learn, pace=self._pace, flags=flags, environ=environ, clock=clock)
            for folder in dict.fromkeys(folders)
        ]
        self._queue: SimpleQueue[WatchEvent | Literal["closing", "ended"]] = SimpleQueue()
        self._closing = Flag()
        self._closed = False
        self._deadline: float | None = None
        self._running: list[Thread] = []

    @property
    def closed(self) -> bool:
        """Whether somebody has closed it."""
        return self._closed

    @property
    def stopped(self) -> bool:
        """Whether nothing of it runs any more."""
        return not any(thread.is_alive() for thread in self._running)

    @property
    def failed(self) -> bool:
        """Whether the last thing that was tried in some workspace failed."""
        return any(lookout.failed for lookout in self._lookouts)

    def events(self) -> Iterator[WatchEvent]:
        """Everything that happens, until the watch is closed and its passes have stopped, or the grace is over."""
        self._running = [
            Thread(target=self._keep, args=(lookout,), name=f"watch {lookout.folder.name}", daemon=True)
            for lookout in self._lookouts
        ]
        for thread in self._running:
            thread.start()
        try:
            yield from self._told()
        finally:
            self._closing.set()
            for thread in self._running:
                thread.join(self._left())

    def close(self) -> None:
        """Begin no pass any more, and stop each running one at its next event; a signal handler may call this."""
        self._closed = True
        self._closing.set()
        self._queue.put("closing")

    def reread(self) -> None:
        """Read all settings again as soon as no pass runs, and try at once what failed."""
        for lookout in self._lookouts:
            lookout.reread()

    def _told(self) -> Iterator[WatchEvent]:
        running = len(self._running)
        while running:
            try:
                told = self._queue.get(timeout=self._left() if self._closing.is_set() else None)
            except Empty:
                return
            match told:
                case WatchEvent():
                    yield told
                case "closing":
                    continue  # it was only to wake this up
                case "ended":
                    running -= 1
                case _:
                    assert_never(told)

    def _left(self) -> float:
        """Seconds of the grace that are left; it begins with the first question."""
        if self._deadline is None:
            self._deadline = time.monotonic() + self._pace.grace
        return max(0.0, self._deadline - time.monotonic())

    def _keep(self, lookout: Lookout) -> None:
        """The life of one thread."""
        try:
            while not self._closing.is_set():
                self._step(lookout)
                if self._once:
                    break
                self._closing.wait(self._pace.poll)
        finally:
            lookout.close()
            self._queue.put("ended")

    def _step(self, lookout: Lookout) -> None:
        """One look; on closing, a pass ends at its next event."""
        with closing(lookout.step(settled=self._once)) as events:
            for event in events:
                self._queue.put(
                    WatchEvent(at=self._clock(), folder=lookout.folder, workspace=lookout.name, event=event)
                )
                if self._closing.is_set():
                    return
