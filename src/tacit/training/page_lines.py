"""What each line of a trained skill brought, as a table of the report's page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

Row = dict[str, object]
HOW = {
    "left_out": "measured without it",
    "screened": "screened among others",
    "together": "of its step",
    "unknown": "unknown: it came of a rewrite or of a merge",
}


def lines_table(report: Mapping[str, object]) -> str:
    """The lines that training added, each with its step, effect and interval; and what was taken out again."""
    rows = "".join(_row(one) for one in cast("list[Row]", report.get("attribution") or []))
    heads = "".join(f"<th>{name}</th>" for name in ("line", "step", "points", "95 % interval", "known from"))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
    return table + _pruned(cast("Row", report.get("pruned") or {}))


def _row(one: Row) -> str:
    low, high = (_signed(end) for end in cast("list[float]", one.get("interval") or (None, None)))
    count = one.get("others")
    others = f", with {count} other edit{'s' * (count != 1)}" if count else ""
    cells = (
        one["line"],
        "" if one["how"] == "unknown" else one["step"] or "one-shot",
        _signed(one.get("effect")),
        f"{low} to {high}" if low else "",
        HOW.get(str(one["how"]), "") + others,
    )
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _pruned(one: Row) -> str:
    if not one:
        return ""
    what = "Taken out" if one["kept"] else "Looked at and left in"
    lines = escape("\n".join(cast("list[str]", one["lines"])))
    said = f"{what}, as they seem to bring nothing ({one['reason']}; {one['bytes']} bytes):"
    return f"<p>{escape(said)}</p><pre>{lines}</pre>"


def _signed(value: object) -> str:
    return "" if value is None else f"{100 * cast('float', value):+.1f}"
