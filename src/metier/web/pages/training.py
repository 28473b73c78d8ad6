"""Training: the list, and each training's report with the gate's decision first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from metier.training.report.fields import part
from metier.training.report.summary import is_unfinished, resume_command, summary_of, total_cost, verdict
from metier.training.report.tables import (
    cases_tables,
    epochs_table,
    lines_table,
    scores_table,
    steps_table,
    usage_table,
)
from metier.training.service.reports import report_of, whole_reports
from metier.web.answers import Page, page_route

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard

SHOWN = 50
"""Trainings on the page."""
ROWS = 200
"""Rows of a table of the report that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingLine:
    """A training as the list shows it."""

    id: str
    skill: str
    word: str
    """What the last gate decided, in a word or two."""
    reason: str
    gain: float | None
    """On cases that nothing had looked at."""
    cost: float | None
    updated: str


def trainings(board: Dashboard, _: Ask) -> Page:
    """The list."""
    found = whole_reports(board.context, SHOWN)
    return Page(template="trainings.html", title="Training", values={"lines": [_line(one) for one in found]})


def training(board: Dashboard, ask: Ask) -> Page:
    """One training's report."""
    report = report_of(board.context, ask.id("training"))
    tables = (
        *(scores_table(report), steps_table(report), lines_table(report), epochs_table(report)),
        *cases_tables(report),
        usage_table(report),
    )
    values: dict[str, object] = {
        "line": _line(report),
        "summary": summary_of(report),
        "tables": [one for one in tables if one.rows],
        "rows": ROWS,
        "resume": resume_command(report) if is_unfinished(report) else "",
        "cost": total_cost(report) if "rollouts" in report else "",
        "document": str(report.get("document") or ""),
    }
    name = str(report["skill"]).rpartition("/")[2]
    return Page(template="training.html", title=f"Training of {name[:60]}", values=values)


def _line(report: Mapping[str, object]) -> TrainingLine:
    word, reason = verdict(report)
    return TrainingLine(
        id=str(report["run"]),
        skill=str(report["skill"]).rpartition("/")[2],
        word=word,
        reason=reason,
        gain=cast("float | None", part(report, "scores").get("confirm")),
        cost=cast("float | None", report.get("cost_usd")),
        updated=str(report.get("updated") or ""),
    )


ROUTES = (page_route("/training", trainings), page_route("/training/{training}", training))
