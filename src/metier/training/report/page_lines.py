"""What each line of a trained skill brought, as a table of the report's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.training.report.page_html import Row, count, rows, signed, table, text

if TYPE_CHECKING:
    from collections.abc import Mapping

HOW = {
    "screened": "screened among others",
    "together": "of its step",
    "unknown": "unknown: it came of a rewrite",
}
EXPECTED = (
    "Points are what to expect: of edits that were screened they are drawn towards zero, as the best of many look "
    "better than they are; the interval is that of the plain estimate."
)


def lines_table(report: Mapping[str, object]) -> str:
    """The lines that training added, each with its step, effect and interval."""
    found = rows(report, "attribution")
    heads = ("line", "step", "points", "95 % interval", "known from")
    note = f"<p>{EXPECTED}</p>" if has_screened(report) else ""
    return table(heads, "".join(_row(one) for one in found)) + note


def has_screened(report: Mapping[str, object]) -> bool:
    """Whether the worth of a line is that of a screening."""
    return any(one.get("how") == "screened" for one in rows(report, "attribution"))


def _row(one: Row) -> str:
    low, high = (signed(end) for end in cast("list[float]", one.get("interval") or (None, None)))
    others = f", with {count(one['others'], 'other edit')}" if one.get("others") else ""
    cells = (
        "" if one["how"] == "unknown" else one["step"] or "one-shot",
        signed(one.get("effect")),
        f"{low} to {high}" if low else "",
        HOW.get(str(one["how"]), "") + others,
    )
    line = f'<td class="long">{text(one["line"])}</td>'
    return f"<tr>{line}" + "".join(f"<td>{text(cell)}</td>" for cell in cells) + "</tr>"
