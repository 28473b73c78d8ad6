"""A progress bar drawn from events."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, assert_never

from metier.cli.output import talk
from metier.events import Advanced, Began, Ended, Noted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.events import Event

PATIENCE = 0.5
"""Seconds before a bar appears."""
WIDTH = 30


def draw(events: Iterable[Event]) -> None:
    """Show how far the work is, once it takes longer than a moment."""
    began, shown = time.monotonic(), False
    for event in events:
        match event:
            case Began():
                began = time.monotonic()
            case Advanced():
                if sys.stderr.isatty() and time.monotonic() - began > PATIENCE:
                    sys.stderr.write("\r" + _bar(event))
                    sys.stderr.flush()
                    shown = True
            case Noted():
                talk(event.text)
            case Ended():
                if shown:
                    sys.stderr.write("\r" + " " * (WIDTH + 40) + "\r")
                shown = False
            case _:
                assert_never(event)


def _bar(event: Advanced) -> str:
    share = min(1.0, event.done / event.total) if event.total else 0.0
    filled = round(share * WIDTH)
    return f"{event.stage} [{'#' * filled}{'.' * (WIDTH - filled)}] {event.done:,} of {event.total:,} {event.note[:20]}"
