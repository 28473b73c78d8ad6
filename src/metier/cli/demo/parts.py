"""Small parts of the demo: a scene, titles, lines, bars."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from rich.text import Text

from metier.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from datetime import datetime, timedelta

    from rich.console import Console

    from metier.workspace import Workspace

T = TypeVar("T")
_STATISTICS = re.compile(r" \([^()]*, p = [^()]*\)")
"""The interval and the chance in a gate's reason."""
WIDTH = 100
"""Columns that the demo uses at most."""
BLOCKS = "▁▂▃▄▅▆▇█"
FIRST, SECOND = "   ", "      "
"""What is before a line, and before what did not fit on it."""
BAR = 24
"""Characters of a full bar."""
GOOD, BAD, QUIET = "green", "bold red", "dim"


STORY_ENDS = date(2026, 3, 22)
"""The last evening of the story as it is written; a demo moves all of its days."""


class DemoClock:
    """A clock that is set by hand, so that the same demo has the same moments."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The moment it was set to."""
        return self.now


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where the scenes happen."""

    ws: Workspace
    clock: DemoClock
    environ: Mapping[str, str]
    """What its hooks see of the environment."""
    later: timedelta
    """How much later than it is written the story happens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A part of the demo: what it shows, and the same as data."""

    title: str
    lines: tuple[Text, ...]
    facts: dict[str, object]


def heading(number: int, title: str) -> Text:
    """The line above a scene."""
    return Text(f"{number}  {title} {'─' * (WIDTH - len(title) - 4)}", style="bold")


def line(*parts: str | tuple[str, str]) -> Text:
    """A line of a scene: texts, or texts with a style, and nothing that steers a terminal."""
    made = Text()
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        made.append(visible(" ".join(text.splitlines())), style=style)
    return made


def folded(text: Text, out: Console) -> Iterator[Text]:
    """A line as the screen shows it: on at most two lines, the second one further in."""
    first, *more = text.wrap(out, WIDTH - len(SECOND))
    rest = Text(" ").join(more)
    rest.truncate(WIDTH - len(SECOND), overflow="ellipsis")
    first.rstrip()
    rest.rstrip()
    yield Text(FIRST).append_text(first)
    if more:
        yield Text(SECOND).append_text(rest)


def in_plain_words(reason: str) -> str:
    """What a gate says without its statistics, which stand in the report."""
    return _STATISTICS.sub("", reason)


def stopped(what: str, why: str) -> Text:
    """A line about what did not get through, in red."""
    return line(("✗ stopped  ", BAD), what, (f": {why}", BAD))


def bar(share: float, *, good: bool) -> tuple[str, str]:
    """A bar as long as a share of the whole."""
    filled = round(share * BAR)
    return "█" * filled + "░" * (BAR - filled), GOOD if good else BAD


def curve(shares: Iterable[float]) -> str:
    """Shares of the whole as a row of blocks, each as high as its share."""
    return "".join(BLOCKS[min(len(BLOCKS) - 1, int(share * len(BLOCKS)))] for share in shares)


def result_of(events: Generator[object, None, T]) -> T:
    """What a generator returns in the end."""
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value
