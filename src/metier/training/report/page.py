"""A training's report as one HTML page that needs nothing else: no script, no network, every text escaped."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from itertools import pairwise
from string import Template
from typing import TYPE_CHECKING

from metier.training.report.explain import explanations_of
from metier.training.report.fields import count, number, rows
from metier.training.report.pictures import bars_picture, curve_picture
from metier.training.report.summary import is_unfinished, resume_command, summary_of, total_cost
from metier.training.report.tables import (
    cases_tables,
    epochs_table,
    lines_table,
    scores_table,
    steps_table,
    usage_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from metier.training.report.tables import Cell, Detail, ReportTable, TableRow

SPLITS = {"val": "Val: the search chose by these cases", "test": "Test: the search never saw these cases"}
LEGEND = (
    '<p class="legend"><span class="best">━ best so far</span> <span class="current">┅ current</span> '
    '<span class="yes">● accepted candidate</span> <span class="no">○ rejected candidate</span></p>'
)
FALLS = (
    "The line falls where an accepted skill was measured again: it was chosen because its first attempts went well, "
    "so they showed more than it can do."
)
FEW = 30
"""A table of cases with at most this many rows is open at first."""


def page(report: Mapping[str, object]) -> str:
    """The whole page."""
    summary = summary_of(report)
    resume = f"Continue (nothing is paid for twice): {resume_command(report)}" if is_unfinished(report) else ""
    return Template(_file("page.html")).substitute(
        title=escape(f"Training of {report.get('skill', '')}"),
        style=_file("page.css"),
        action=escape(summary.action),
        word=escape(summary.word),
        reason=escape(summary.reason),
        notes="\n".join(_paragraph(note) for note in (*summary.notes, resume) if note),
        facts="".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in summary.facts),
        sections="\n".join(_sections(report)),
    )


def _file(name: str) -> str:
    return (files("metier.training.report") / name).read_text(encoding="utf-8")


def _sections(report: Mapping[str, object]) -> Iterator[str]:
    """The sections that have something to show, in the order a reader needs them."""
    scores, usage = scores_table(report), usage_table(report)
    cost = _paragraph(total_cost(report)) if "rollouts" in report else ""
    document = f"<pre>{escape(str(report['document']))}</pre>" if report.get("document") else ""
    sections = (
        (scores.title, _table(scores) + _bars(report)),
        ("Score on val, step by step", _curve(report)),
        *((one.title, _table(one)) for one in (steps_table(report), lines_table(report), epochs_table(report))),
        ("Held-out cases", "".join(_folded(table) for table in cases_tables(report))),
        (usage.title, _table(usage) + cost),
        ("What happened, in plain words", _story(report)),
        ("The trained document", document),
    )
    yield from (f"<section>\n<h2>{escape(title)}</h2>\n{body}\n</section>" for title, body in sections if body)


def _table(table: ReportTable) -> str:
    """A table with its notes, in a frame that scrolls where a window is too narrow; empty without rows."""
    if not table.rows:
        return ""
    heads = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    wide = table.columns.index(table.wide)
    body = "\n".join(_table_row(row, wide) for row in table.rows)
    notes = "".join(_paragraph(note) for note in table.notes)
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>\n{body}\n</tbody></table></div>{notes}'


def _table_row(row: TableRow, wide: int) -> str:
    cells = [_wide_cell(cell, row.details) if at == wide else _narrow_cell(cell) for at, cell in enumerate(row.cells)]
    return f"<tr>{''.join(cells)}</tr>"


def _narrow_cell(cell: Cell) -> str:
    hint = f' title="{escape(cell.hint)}"' if cell.hint else ""
    return f'<td class="{cell.tone}"{hint}>{escape(cell.text)}</td>' if cell.tone else f"<td>{escape(cell.text)}</td>"


def _wide_cell(cell: Cell, details: tuple[Detail, ...]) -> str:
    """Long text; what is behind the row opens below it."""
    text = escape(cell.text)
    if details:
        text = f"<details><summary>{text}</summary>{''.join(_detail(one) for one in details)}</details>"
    return f'<td class="long">{text}</td>'


def _detail(one: Detail) -> str:
    old = f'<pre class="old">{escape(one.old)}</pre>' if one.old else ""
    new = f"<pre>{escape(one.new)}</pre>" if one.new else ""
    return f'<div class="edit"><small>{escape(one.about)}</small>{old}{new}</div>'


def _folded(table: ReportTable) -> str:
    opened = " open" if len(table.rows) <= FEW else ""
    return f"<details{opened}><summary>{escape(table.title)}</summary>{_table(table)}</details>"


def _bars(report: Mapping[str, object]) -> str:
    found = rows(report, "baselines")
    pictures = ((title, bars_picture(found, split)) for split, title in SPLITS.items())
    shown = "".join(
        f"<figure><figcaption>{title}</figcaption>{picture}</figure>" for title, picture in pictures if picture
    )
    return f'<div class="pictures">{shown}</div>' if shown else ""


def _curve(report: Mapping[str, object]) -> str:
    found = rows(report, "curve")
    if not found:
        return ""
    falls = any(number(after["best"]) < number(before["best"]) for before, after in pairwise(found))
    return f'<div class="wide">{curve_picture(found)}</div>{LEGEND}{_paragraph(FALLS) if falls else ""}'


def _story(report: Mapping[str, object]) -> str:
    """What `metier train show --explain` says."""
    texts = list(explanations_of(rows(report, "events")))
    if not texts:
        return ""
    opened = "" if report.get("steps") else " open"
    head = f"<summary>{count(len(texts), 'note')} on what was decided, and why</summary>"
    return f"<details{opened}>{head}<pre>{escape(chr(10).join(texts))}</pre></details>"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"
