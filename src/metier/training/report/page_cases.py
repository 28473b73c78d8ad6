"""Each held-out case of a training under each skill, as tables of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.training.report.page_html import Row, count, rows, table, text
from metier.training.report.pictures import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

ARMS = ("no_skill", "initial", "one_shot", "best")
FEW = 30
"""So many rows are open to begin with."""


def cases_tables(report: Mapping[str, object]) -> str:
    """The cases of every split, those that came out worse or better first."""
    found = rows(report, "cases")
    splits = dict.fromkeys(str(one["split"]) for one in found)
    return "".join(_split(split, [one for one in found if str(one["split"]) == split]) for split in splits)


def _split(split: str, found: list[Row]) -> str:
    changes = [_change(one) for one in found]
    better, worse = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
    said = f"{split}: {count(len(found), 'case')}"
    if any(isinstance(one.get("best"), int | float) for one in found):
        said += f"; trained against initial {better} better, {worse} worse, {len(found) - better - worse} alike"
    ordered = sorted(found, key=lambda one: (_change(one) == 0, _change(one)))
    body = "".join(_row(one) for one in ordered)
    heads = ("case", *(NAMES[arm] for arm in ARMS), "input")
    opened = " open" if len(found) <= FEW else ""
    return f"<details{opened}><summary>{text(said)}</summary>{table(heads, body)}</details>"


def _change(one: Row) -> float:
    before, after = one.get("initial"), one.get("best")
    if isinstance(before, int | float) and isinstance(after, int | float):
        return after - before
    return 0.0


def _row(one: Row) -> str:
    scores = "".join(_score(one.get(arm)) for arm in ARMS)
    return f'<tr><td class="id">{text(one["case"])}</td>{scores}<td class="long">{text(one.get("input"))}</td></tr>'


def _score(value: object) -> str:
    if isinstance(value, int | float):
        kind = "pass" if value >= 1 else "fail" if value <= 0 else "part"
        return f'<td class="{kind}">{value:.3g}</td>'
    return f'<td class="none" title="{text(value)}">{"unscored" if value else ""}</td>'
