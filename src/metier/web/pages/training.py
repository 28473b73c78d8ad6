"""Training: the list, and each training's report, live while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.errors import MetierError
from metier.training.report.summary import fresh_result, verdict
from metier.training.service.reports import report_of, start_document, whole_reports
from metier.web.answers import Page, page_route
from metier.web.training_report import report_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.training.report.summary import TrainingFigure
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard

SHOWN = 50
"""Trainings on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingLine:
    """A training as the list shows it."""

    id: str
    skill: str
    word: str
    """What the last gate decided, in a word or two."""
    reason: str
    result: TrainingFigure | None
    """On cases that nothing had looked at."""
    cost: object
    updated: str


def trainings(board: Dashboard, _: Ask) -> Page:
    """The list."""
    found = whole_reports(board.context, SHOWN)
    return Page(template="trainings.html", title="Training", values={"lines": [_line(one) for one in found]})


def training(board: Dashboard, ask: Ask) -> Page:
    """One training's report."""
    report = report_of(board.context, ask.id("training"))
    values = report_values(report, start_document(board.context, str(report["run"]))) | {"alone": False}
    values["has_skill"] = _has_skill(board, str(values["skill"]))
    return Page(template="training.html", title=f"Training of {str(values['skill'])[:60]}", values=values)


def _has_skill(board: Dashboard, skill: str) -> bool:
    """Whether a page of the skill exists: one that was trained outside of the library has none."""
    try:
        board.ws.library.find(skill)
    except MetierError:
        return False
    return True


def _line(report: Mapping[str, object]) -> TrainingLine:
    word, reason = verdict(report)
    return TrainingLine(
        id=str(report["run"]),
        skill=str(report["skill"]).rpartition("/")[2],
        word=word,
        reason=reason,
        result=fresh_result(report),
        cost=report.get("cost_usd"),
        updated=str(report.get("updated") or ""),
    )


ROUTES = (page_route("/training", trainings), page_route("/training/{training}", training))
