"""Small parts of the demo's scenes: titles, lines, bars, results."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from metier.cli.output import visible

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from rich.console import RenderableType

T = TypeVar("T")
WIDTH = 80
"""Columns the demo uses at most, whatever the terminal has."""
BLOCKS = "▁▂▃▄▅▆▇█"
WIDE = 2
"""Characters of one block."""
BAR = 24
"""Characters of a full bar."""


def title(text: str) -> Iterator[RenderableType]:
    """A heading with room above it."""
    from rich.rule import Rule
    from rich.text import Text

    yield line("")
    yield Rule(Text(text, style="bold"), align="left", style="dim")


def line(text: str, style: str = "") -> RenderableType:
    """A line of text, with nothing in it that steers a terminal."""
    from rich.text import Text

    return Text(visible(text), style=style)


def bars(rows: Iterable[tuple[str, float, str]]) -> Iterator[RenderableType]:
    """A label, a bar as long as the share of the whole, a figure."""
    for label, share, figure in rows:
        filled = round(share * BAR)
        yield line(f"  {label:<14} {'█' * filled}{'░' * (BAR - filled)} {figure}")


def curve(shares: Iterable[float]) -> str:
    """Shares of the whole as a row of blocks, each as high as its share."""
    return "".join(BLOCKS[min(len(BLOCKS) - 1, int(share * len(BLOCKS)))] * WIDE for share in shares)


def result_of(events: Generator[object, None, T]) -> T:
    """What a generator returns in the end."""
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value
