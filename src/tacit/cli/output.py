"""What commands print: data on stdout, talk on stderr, nothing raw from a run."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console
    from rich.table import Table

    from tacit.events import Event

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
"""Characters that steer a terminal or hide text from a person."""
WIDE = 120
"""Columns when the output is not a terminal."""


def visible(text: str) -> str:
    """Text with every control and invisible character shown as its code."""
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def emit(document: object) -> None:
    """Print one JSON document, and nothing else."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def talk(text: str) -> None:
    """Say something to the person; not data."""
    sys.stderr.write(visible(text) + "\n")


def console() -> Console:
    """Where data for people goes; colour only on a terminal, and never with NO_COLOR."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDE
    return Console(width=width, highlight=False, emoji=False, markup=False, soft_wrap=not sys.stdout.isatty())


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, grow: str = "") -> Table:
    """A table that fits the terminal: all columns stay on one line, the growing one is cut."""
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, show_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in columns:
        growing = name == grow
        made.add_column(
            name, no_wrap=True, overflow="ellipsis", ratio=1 if growing else None, min_width=0 if growing else None
        )
    for row in rows:
        made.add_row(*(Text(visible(" ".join(cell.split()))) for cell in row))
    return made


def progress(events: Iterable[Event]) -> None:
    """Draw a bar from events when they take longer than a moment; without a terminal, only say warnings."""
    from tacit.cli.bar import draw

    draw(events)
