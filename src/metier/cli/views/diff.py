"""A difference between two packages on a page: unified or side by side, in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import console, visible
from metier.skills.diff import FileChange, file_diff, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType
    from rich.text import Text

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
SIDES = {"same": ("", ""), "changed": ("red", "green"), "added": ("", "green"), "removed": ("red", "")}
NUMBER = 5
"""Columns of a line's number."""


def page(found: Iterable[FileChange], names: tuple[str, str], *, two: bool) -> Iterator[RenderableType]:
    """The changes, each as a part to print."""
    for change in found:
        yield from _two_columns(change, names) if two else _one_column(change)


def as_document(change: FileChange) -> dict[str, object]:
    """A file's change as JSON."""
    return {
        "path": change.path,
        "how": change.how,
        "executable": change.is_executable,
        "diff": "\n".join(file_diff(change)),
    }


def _one_column(change: FileChange) -> Iterator[RenderableType]:
    from rich.text import Text

    for number, line in enumerate(file_diff(change)):
        head = number < 2 and line.startswith(("---", "+++"))
        yield Text(visible(line), style="bold" if head else COLOURS.get(line[:1], ""))


def _two_columns(change: FileChange, names: tuple[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    width = max(20, (console().width - 2 * NUMBER - 5) // 2)
    title = f"{change.path} ({change.how})"
    yield Text(visible(title), style="bold")
    if not change.is_text:
        yield Text("  (not text: " + f"{len(change.before):,} and {len(change.after):,} bytes)")
        return
    yield Text(f"{'':>{NUMBER}} {names[0]:<{width}} │ {'':>{NUMBER}} {names[1]}", style="bold")
    for row in side_by_side(change):
        left, right = SIDES[row.how]
        yield Text.assemble(
            _cell(row.left_line, row.left, width, left), (" │ ", "dim"), _cell(row.right_line, row.right, width, right)
        )


def _cell(number: int | None, line: str | None, width: int, style: str) -> Text:
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    text = visible((line or "").expandtabs(4))
    cut = set_cell_size(text, width) if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"
    return Text.assemble((f"{number or '':>{NUMBER}} ", "dim"), (cut, style))
