"""The small things that every part of a report's page is made of."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Row = dict[str, object]


def text(value: object) -> str:
    """A value as text that cannot be taken for markup."""
    return "" if value is None else escape(str(value))


def signed(value: object) -> str:
    """A difference in points; empty if it is not known."""
    return "" if value is None else f"{round(100 * cast('float', value), 1) + 0.0:+.1f}"  # no -0.0


def count(number: object, noun: str) -> str:
    """So many of something."""
    return f"{cast('int', number):,} {noun}{'' if number == 1 else 's'}"


def rows(report: Mapping[str, object], key: str) -> list[Row]:
    """A list of a report; empty if it has none."""
    return list(cast("Iterable[Row]", report.get(key) or ()))


def part(report: Mapping[str, object], key: str) -> Row:
    """An object of a report; empty if it has none."""
    return cast("Row", report.get(key) or {})


def table(heads: Sequence[str], body: str) -> str:
    """Rows under their headings, in a frame that scrolls where a window is too narrow; empty without rows."""
    named = "".join(f"<th>{text(head)}</th>" for head in heads)
    whole = f'<div class="wide"><table><thead><tr>{named}</tr></thead><tbody>{body}</tbody></table></div>'
    return whole if body else ""
