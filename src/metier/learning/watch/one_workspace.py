"""The watch over one workspace: takes in what hooks spooled, sees what arrived, and lets a pass run when it is due."""

from __future__ import annotations

import os
import time
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol

from metier import config
from metier.context.context import utc
from metier.context.models.access import what_is_sent
from metier.context.state_folder import exclusive_lock
from metier.errors import BusyError, MetierError
from metier.events import Began, Ended, Noted
from metier.hooks.places import RECORDS
from metier.hooks.spool import SPOOL
from metier.learning.watch import schedule as passes
from metier.learning.watch.schedule import (
    Backoff,
    Due,
    Later,
    Moment,
    Never,
    Passed,
    State,
    due,
    state_after_look,
    watched_config,
)
from metier.runs.ingest import waiting_files

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from metier.context.context import Context
    from metier.events import Event
    from metier.learning.watch.schedule import Pace
    from metier.library.skills import Library

    Learn = Callable[[Library], Generator[Event, None, object]]
    """One pass; it may be closed at any event, and the next one makes up for it."""


class Opened(Protocol):
    """What the watch needs of an open workspace; `metier.Workspace` is one."""

    @property
    def context(self) -> Context:
        """Its folder, settings, store and clock."""
        ...

    @property
    def library(self) -> Library:
        """Its skills and their history."""
        ...

    def ingest(self) -> object:
        """Take in what hooks have spooled."""
        ...

    def read_waiting(self) -> object:
        """Read what is new in the transcripts that hooks pointed at."""
        ...

    def tidy(self) -> Iterator[Event]:
        """Enforce the limits on age and size."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


class Opener(Protocol):
    """Opens a workspace; `Workspace.open` is one."""

    def __call__(
        self,
        folder: Path,
        /,
        *,
        create: bool,
        flags: Mapping[str, object] | None,
        environ: Mapping[str, str] | None,
        clock: Callable[[], datetime],
    ) -> Opened:
        """The workspace that a folder belongs to."""
        ...


WATCH, PASS = "watch", "pass"
"""The stages of a watch's own events; `watch` also names the lock under which watches of one workspace take turns."""


class Lookout:
    """One workspace's state and its open store; but for `reread`, everything happens in one thread."""

    def __init__(
        self,
        folder: Path,
        *,
        opener: Opener,
        learn: Learn,
        pace: Pace,
        flags: Mapping[str, object] | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = utc,
    ) -> None:
        self.folder = folder
        self.name = ""
        """What records call the workspace; empty until it could be opened."""
        self.failed = False
        """Whether the last thing that was tried failed."""
        self._opener = opener
        self._learn = learn
        self._pace = pace
        self._flags = flags
        self._environ = os.environ if environ is None else environ
        self._clock = clock
        self._ws: Opened | None = None
        self._stamp: tuple[object, ...] = ()
        self._spooled: list[str] = []
        self._trouble = Backoff()
        self._state = State()
        self._asked = False
        self._busy = False

    def step(self, *, settled: bool = False) -> Generator[Event]:
        """One look, and a pass if it is due; `settled`: without waiting for the end of a burst. Close it to stop."""
        if self._asked:
            self._asked, self._stamp, self._trouble = False, (), Backoff()
        if time.monotonic() < self._trouble.until:
            return
        try:
            ws = self._ws
            if ws is None or self._stamp != _stamp(ws, self._environ):
                ws = self._opened()
                if ws.context.lost:
                    yield Noted(stage=WATCH, text=ws.context.loss_text, level="warning")
                yield self._said(ws)
            yield from self._take_in(ws)
            if isinstance(self._due(ws, settled=settled), Due):
                yield from self._pass(ws, settled=settled)
        except Exception as error:  # noqa: BLE001 - one workspace never ends the watch over the others
            self._trouble = self._trouble.failed(time.monotonic(), self._pace)
            yield self._fell_over(WATCH, error, self._trouble)
        else:
            self._trouble = Backoff()

    def reread(self) -> None:
        """Before the next look, read the settings again; what failed is tried at once."""
        self._asked = True

    def close(self) -> None:
        """Let go of the store."""
        if self._ws is not None:
            self._ws.close()
            self._ws = None

    def _opened(self) -> Opened:
        """The workspace, opened anew: its settings may have changed, or it is no longer what it was."""
        self.close()
        self._stamp = ()
        ws = self._ws = self._opener(
            self.folder, create=False, flags=self._flags, environ=self._environ, clock=self._clock
        )
        stamp = _stamp(ws, self._environ)
        if config.load(ws.context.root, self._flags, self._environ) == ws.context.settings:
            self._stamp = stamp  # else somebody was writing them just then: the next look opens it once more
        self.name, self._spooled = ws.context.name, []
        self._state = replace(self._state, backoff=Backoff())
        if ws.context.config.learning.trigger == "scheduled" and passes.look_at_passes(ws.context)[1] is None:
            passes.complete_pass(ws.context, Passed(at=ws.context.clock()))  # from now on a time can be missed
        ws.read_waiting()
        return ws

    def _said(self, ws: Opened) -> Event:
        """What a person should know of a workspace that is now watched, or was opened anew."""
        found = self._due(ws)
        if isinstance(found, Never):
            hint = f"{found.why}. To learn: {found.hint} ({ws.context.state / config.FILE})."
            return Noted(stage=WATCH, text=hint, level="warning")
        taken = watched_config(ws.context.settings)
        learning = taken.learning
        how = "after runs" if learning.trigger == "after_run" else f"at {', '.join(learning.times)}"
        text = f"learns {how} (mode {taken.mode}). {what_is_sent(ws.context)}"
        return Noted(stage=WATCH, text=text.rstrip())

    def _take_in(self, ws: Opened) -> Iterator[Event]:
        """Take in what hooks spooled since the last look; what belongs to another workspace stays there."""
        names = waiting_files(ws.context.state / SPOOL)
        if names != self._spooled:
            ws.ingest()
            ws.read_waiting()
            left = set(waiting_files(ws.context.state / SPOOL))
            self._spooled = [name for name in names if name in left]  # not what has only just come
            yield from ws.tidy()

    def _due(self, ws: Opened, *, settled: bool = False) -> Due | Later | Never:
        now = Moment(wall=self._clock(), ticks=time.monotonic())
        self._state = state_after_look(self._state, now, *passes.look_at_passes(ws.context))
        pace = replace(self._pace, quiet=0.0) if settled else self._pace
        return due(self._state, now, watched_config(ws.context.settings), pace)

    def _pass(self, ws: Opened, *, settled: bool) -> Iterator[Event]:
        """One pass, unless another watch is making it or has just made it."""
        try:
            with exclusive_lock(ws.context, 0, WATCH):
                found = self._due(ws, settled=settled)
                if isinstance(found, Due):
                    yield from self._learned(ws, found.why)
        except BusyError:
            self._postpone()

    def _learned(self, ws: Opened, why: str) -> Iterator[Event]:
        """A pass, whatever becomes of it; only one that went through is remembered as made."""
        began, result = passes.begin_pass(ws.context), "done"
        try:
            with closing(self._learn(ws.library)) as events:
                first = list(islice(events, 1))  # a pass makes sure that it is alone before it says anything
                yield Began(stage=PASS)
                for event in chain(first, events):
                    result = event.text if isinstance(event, Ended) else result
                    yield event
            passes.complete_pass(ws.context, began)
        except BusyError as error:
            if not self._postpone():
                yield Noted(stage=PASS, text=_line(error))
        except Exception as error:  # noqa: BLE001 - a failing pass is a line, and is tried again
            backoff = self._state.backoff.failed(time.monotonic(), self._pace)
            self._state = replace(self._state, backoff=backoff)
            yield self._fell_over(PASS, error, backoff)
        else:
            self.failed, self._busy, self._state = False, False, replace(self._state, backoff=Backoff())
            yield Ended(stage=PASS, text=f"{why} -> {result}")

    def _postpone(self) -> bool:
        """Leave a pass for a moment to somebody else; whether that was so the last time too."""
        backoff = self._state.backoff.postponed(time.monotonic(), self._pace)
        self._state, again, self._busy = replace(self._state, backoff=backoff), self._busy, True
        return again

    def _fell_over(self, stage: str, error: Exception, backoff: Backoff) -> Event:
        self.failed, self._busy = True, False
        wait = max(0.0, backoff.until - time.monotonic())
        return Noted(stage=stage, text=f"{_line(error)} The next try is in {wait:.0f} s.", level="error")


def _line(error: Exception) -> str:
    """What went wrong, in one line."""
    text = " ".join(str(error).split())
    text = text if isinstance(error, MetierError) else f"{type(error).__name__}: {text}"
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _stamp(ws: Opened, environ: Mapping[str, str]) -> tuple[object, ...]:
    """How the files look by which a workspace is known and set."""
    return tuple(
        _seen(file) for file in (ws.context.state / RECORDS, ws.context.state / config.FILE, config.user_file(environ))
    )


def _seen(file: Path) -> tuple[int, int, int] | None:
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size
