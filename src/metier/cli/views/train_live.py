"""A training while it goes on: an estimate first, then a line a step, and on a terminal how far it is."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from math import ceil
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

from metier.cli.output import talk, visible
from metier.statistics.error_spending import Spending
from metier.statistics.power import Plan, sentence
from metier.statistics.signflip import smallest_p
from metier.training import events as progress
from metier.training.cases.splits import Shares, by_ratio
from metier.training.estimate import estimate
from metier.training.report.explain import explanation_of
from metier.training.report.fields import count

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from metier.cli.commands.train import ProgressOptions
    from metier.training.events import Event
    from metier.training.service.order import Order
    from metier.training.train import Finished

SAID = (
    progress.CheckingAgent,
    progress.Measured,
    progress.Decided,
    progress.StepSkipped,
    progress.FellBack,
    progress.EpochEnded,
    progress.Stopped,
    progress.Confirming,
    progress.Confirmed,
)
"""Events that stay on the screen; the others only move the bar."""
WIDTH = 12
WIDEST = 100
"""Columns of an explanation."""


def run_with_progress(events: Generator[Event, None, Finished], order: Order, telling: ProgressOptions) -> Finished:
    """What the training comes to, told while it goes on."""
    live = _Live(shown=sys.stderr.isatty() and not telling.quiet and not telling.events_as_json)
    measured: set[progress.Measured] = set()
    interrupt: KeyboardInterrupt | None = None
    while True:
        thrown, interrupt = interrupt, None
        try:
            event = events.throw(thrown) if thrown else next(events)
            if telling.events_as_json:
                sys.stderr.write(json.dumps(progress.dump(event)) + "\n")
            elif telling.explain or not telling.quiet:
                live.clear()
                _print_event(event, order, measured, explain=telling.explain)
            live.draw(event)
        except StopIteration as end:
            live.clear()
            return end.value
        except KeyboardInterrupt as stop:
            if thrown:  # once more, or nobody was there to take it
                raise
            interrupt = stop


def _print_event(event: Event, order: Order, measured: set[progress.Measured], *, explain: bool) -> None:
    """Say what stays on the screen: the estimate when all is in place, then what happens, or that in plain words."""
    if isinstance(event, progress.Measured):
        if event in measured:  # a baseline can be known already
            return
        measured.add(event)
    if isinstance(event, progress.TrainingBegan):
        splits, document = by_ratio(order.cases), order.start.document.decode("utf-8", "replace")
        spec = replace(order.spec, ahead=order.spec.ahead and not order.limits.any)
        talk(f"{order.skill}: {estimate(splits, spec, document).line()}.")
        talk(proof_line(len(splits.confirm)))
    elif explain and (text := explanation_of(event)):
        print_wrapped(text, talk)
    elif isinstance(event, SAID):
        talk(event.line())


def proof_line(fresh: int) -> str:
    """What the cases that are kept for the proof can show; said before anything is paid for."""
    alpha = Spending().share(1)
    if smallest_p(fresh) <= alpha:
        return sentence(fresh, Plan(alpha=alpha))
    enough = next(number for number in range(1, 100) if smallest_p(number) <= alpha)
    kept = count(fresh, "fresh case")
    return (
        f"Nothing can be proven: {kept} for the last gate, and it needs {enough} at the least. Whatever is found ends"
        f" as “not proven”. With about {ceil(enough / Shares().confirm)} cases in all there are enough."
    )


def print_wrapped(text: str, say: Callable[[str], None]) -> None:
    """A text of several lines on the screen; what is longer than a line goes on indented."""
    for line in text.splitlines():
        say(fill(line, WIDEST, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False))


class _Live:
    """One line at the bottom: step, scores, how many were accepted, what was used, time left."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._steps = self._step = self._done = self._accepted = self._judged = self._calls = self._tokens = 0
        self._best = 0.0
        self._first = 0.0
        self._drawn = 0
        self._doing = ""

    def draw(self, event: Event) -> None:
        """Take in an event and redraw the line."""
        self._doing = (
            f"{event.stage} {event.done}/{event.total}" if isinstance(event, progress.RolloutsAdvanced) else ""
        )
        match event:
            case progress.TrainingBegan():
                self._steps = event.steps
            case progress.StepBegan():
                self._first = self._first or time.monotonic()
                self._step, self._done = event.step, event.step - 1
            case progress.Decided():
                self._decided(event)
            case progress.RolloutsAdvanced(stage="baseline") | progress.Measured(arm="no_skill" | "one_shot" | "best"):
                self._done = self._step
            case progress.Confirming():
                self._done, self._doing = self._step, f"confirming on {count(event.cases, 'fresh case')}"
            case _:
                pass
        if self._shown and self._steps:
            line = self._line(get_terminal_size().columns - 1)
            sys.stderr.write("\r" + line)
            sys.stderr.flush()
            self._drawn = len(line)

    def clear(self) -> None:
        """Take the line away, so that something else can be said."""
        if self._drawn:
            sys.stderr.write("\r" + " " * self._drawn + "\r")
            self._drawn = 0

    def _decided(self, event: progress.Decided) -> None:
        self._accepted += event.action.startswith(("accept", "force"))
        self._judged += 1
        self._best, self._calls, self._tokens = event.best, event.calls, event.tokens

    def _line(self, room: int) -> str:
        """As much as finds room; a terminal of the usual width has none for a bar."""
        left = self._done and (time.monotonic() - self._first) / self._done * (self._steps - self._done)
        filled = round(WIDTH * self._done / self._steps)
        bar = f"[{'#' * filled}{'.' * (WIDTH - filled)}] " if room >= WIDEST else ""
        line = f"{bar}step {self._step}/{self._steps}"
        parts = (
            self._doing,
            f"best {self._best:.3f}" if self._judged else "",
            f"{self._accepted}/{self._judged} accepted" if self._judged else "",
            f"{_duration(left)} left" if left else "",
            f"{self._calls:,} calls" if self._calls else "",
            f"{self._tokens:,} tokens" if self._tokens else "",
        )
        for part in filter(None, parts):
            line += f" · {part}" if len(line) + len(part) + 3 <= room else ""
        return visible(line)[:room]  # a line that wraps could not be taken away


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
