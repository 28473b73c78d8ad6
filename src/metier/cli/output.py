"""What commands print: data on stdout, talk on stderr, nothing raw from a run."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, assert_never, cast

from metier.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from rich.console import Console
    from rich.text import Text

    from metier.events import Advanced, Event

T = TypeVar("T")
LONG = 500
"""Entries from which on a list is printed an entry a line: indenting takes many times longer."""
NARROWEST = 12
"""Columns the growing column keeps before others are left out for it."""
WIDEST = 40
"""Columns that a column takes at most, the growing one apart."""
WIDE = 120
"""Columns when the output is not a terminal."""
PATIENCE = 0.5
"""Seconds before a bar appears."""
STEPS = 1_000
"""Steps between two lines of progress where there is no terminal."""
BAR = 30
"""Columns of a bar."""
_KEY = re.compile(r"\[(\w)\]")


def emit(document: object) -> None:
    """Print one JSON document, and nothing else."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    if isinstance(document, list) and len(rows := cast("list[object]", document)) > LONG:
        lines = ",\n".join(json.dumps(row, ensure_ascii=plain) for row in rows)
        sys.stdout.write(f"[\n{lines}\n]\n")
        return
    sys.stdout.write(json.dumps(document, ensure_ascii=plain, indent=2) + "\n")


def talk(text: str) -> None:
    """Say something to the person; not data."""
    sys.stderr.write(visible(text) + "\n")


def ask_key(keys: str, default: str, other: Callable[[str], str] = lambda _: "") -> str:
    """The key that a person pressed of those in brackets (`[n]o`); another one is asked for again.

    `other`: what else may be typed, and the key that it stands for.
    """
    import typer

    while True:
        said = str(typer.prompt(keys, default=default, err=True))
        key = other(said) or said.strip().casefold()[:1]
        if other(said) or key in _KEY.findall(keys):
            return key
        talk(f"There is no key '{key}'. Nothing was decided.")


def show(text: str) -> None:
    """Print text for people that is the answer to the command, as it is: a plan, a diff."""
    console().print(visible(text), soft_wrap=True)


def console() -> Console:
    """Where data for people goes; colour only on a terminal, and never with NO_COLOR."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDE
    return Console(width=width, highlight=False, emoji=False, markup=False, soft_wrap=not sys.stdout.isatty())


def say(line: str, *, indent: int = 0, style: str = "", styled: int | None = None) -> None:
    """Print a line of text for people; on a terminal it goes on indented where it is too long.

    `styled`: only so many characters at its start have the style.
    """
    from rich.text import Text

    out = console()
    text = Text(wrap_line(line, out.width, indent) if sys.stdout.isatty() else line)
    if style:
        text.stylize(style, 0, styled)
    out.print(text)


def wrap_line(line: str, width: int, indent: int = 0) -> str:
    """A line that goes on further to the right, with no word cut; `indent`: from this column on."""
    from textwrap import fill

    after = " " * (indent or len(line) - len(line.lstrip()) + 4)
    return fill(line, width, subsequent_indent=after, break_long_words=False, break_on_hyphens=False)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, grow: str = "", width: int = 0) -> Text:
    """A table that fits the terminal: every row is one line, and only the growing column is cut for it."""
    from rich.cells import cell_len
    from rich.text import Text

    lines = [list(columns), *([visible(" ".join(cell.split())) for cell in row] for row in rows)]
    growing = columns.index(grow) if grow in columns else len(columns) - 1
    widths = [min(WIDEST, max(cell_len(cell) for cell in column)) for column in zip(*lines, strict=True)]
    widths[growing] = max(cell_len(line[growing]) for line in lines)
    shown = _fit_columns(widths, growing, width or console().width)
    fitted = [_row([line[index] for index, _ in shown], [width for _, width in shown]) for line in lines]
    made = Text(fitted[0], style="bold", no_wrap=True)
    for line in fitted[1:]:
        made.append("\n" + line, style="not bold")
    return made


def _fit_columns(widths: Sequence[int], growing: int, room: int) -> list[tuple[int, int]]:
    """The columns that find room, with their widths: the growing one is cut first, then the last ones are left out."""
    kept = list(range(len(widths)))
    while True:
        spare = room - sum(widths[index] + 2 for index in kept if index != growing)
        if spare >= NARROWEST or len(kept) <= 2:
            break
        kept.remove(next(index for index in reversed(kept) if index != growing))
    return [(index, max(1, min(spare, widths[index])) if index == growing else widths[index]) for index in kept]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    from rich.cells import cell_len, set_cell_size

    fitted = [
        set_cell_size(cell if cell_len(cell) <= width else set_cell_size(cell, width - 1).rstrip() + "…", width)
        for cell, width in zip(cells, widths, strict=True)
    ]
    return "  ".join(fitted).rstrip()


def show_progress(events: Iterable[Event], *, quiet: float = 1.0) -> None:
    """Draw a bar from events when they take longer than a moment; without a terminal, a line now and then.

    `quiet`: seconds before the first such line; there is one for each thousand steps.
    """
    from metier.events import Advanced, Began, Ended, Noted

    began, shown, steps = time.monotonic(), False, 0
    for event in events:
        match event:
            case Began():
                began, steps = time.monotonic(), 0
            case Advanced():
                steps += 1
                shown = _show_step(event, steps, time.monotonic() - began, quiet) or shown
            case Noted():
                talk(event.text)
            case Ended():
                if shown:
                    sys.stderr.write("\r" + " " * (BAR + 40) + "\r")
                shown = False
            case _:
                assert_never(event)


def _show_step(event: Advanced, steps: int, seconds: float, quiet: float) -> bool:
    """Draw the bar, or say a line; true: the bar stands on the screen now."""
    if not sys.stderr.isatty():
        if seconds >= quiet and steps % STEPS == 0:
            talk(f"{event.stage}: {steps:,} done, {_share(event):.0%}")
        return False
    if seconds <= PATIENCE:
        return False
    sys.stderr.write("\r" + _bar(event))
    sys.stderr.flush()
    return True


@contextmanager
def say_if_slow(text: str, *, quiet: float = 1.0) -> Generator[None]:
    """Say what is done if it takes longer than so many seconds."""
    timer = threading.Timer(quiet, talk, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def result_with_progress(events: Generator[Event, None, T]) -> T:
    """What long work returns in the end, with a bar drawn from its events."""
    found: list[T] = []

    def passed_on() -> Iterator[Event]:
        found.append((yield from events))

    show_progress(passed_on())
    return found[0]


def _share(event: Advanced) -> float:
    return min(1.0, event.done / event.total) if event.total else 0.0


def _bar(event: Advanced) -> str:
    filled = round(_share(event) * BAR)
    return f"{event.stage} [{'#' * filled}{'.' * (BAR - filled)}] {event.done:,} of {event.total:,} {event.note[:20]}"
