"""A training's report: one template, shown as a page of the dashboard and written as a file that needs nothing else."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from metier.errors import InputError
from metier.folders import refuse_links
from metier.skills.diff import changes
from metier.skills.package import Package
from metier.training.report.explain import explanations_of
from metier.training.report.fields import rows
from metier.training.report.pictures import bars_picture, curve_picture
from metier.training.report.summary import (
    fresh_result,
    is_unfinished,
    other_figures,
    resume_command,
    summary_of,
    total_cost,
)
from metier.training.report.tables import (
    cases_tables,
    epochs_table,
    lines_table,
    scores_table,
    steps_table,
    usage_table,
)
from metier.training.service.reports import FOLDER, start_document
from metier.web.parts import diff_files
from metier.web.render import environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.context.context import Context
    from metier.web.parts import DiffFile

STYLE = Path(__file__).parent / "static" / "app.css"
DOCUMENT = "SKILL.md"


def report_values(report: Mapping[str, object], start: bytes) -> dict[str, object]:
    """What the template shows of a report; `start` is the text that the training began with."""
    points, measured = rows(report, "curve"), rows(report, "baselines")
    bars = (bars_picture(measured, split) for split in ("val", "test"))
    return {
        "report": report,
        "skill": str(report.get("skill", "")).rpartition("/")[2],
        "summary": summary_of(report),
        "result": fresh_result(report),
        "figures": other_figures(report),
        "files": _difference(report, start),
        "curve": curve_picture(points) if points else None,
        "bars": [one for one in bars if one],
        "scores": scores_table(report),
        "steps": steps_table(report),
        "more": [one for one in (lines_table(report), epochs_table(report)) if one.rows],
        "cases": cases_tables(report),
        "usage": usage_table(report),
        "cost": total_cost(report) if "rollouts" in report else "",
        "story": tuple(explanations_of(rows(report, "events"))),
        "resume": resume_command(report) if is_unfinished(report) else "",
    }


def report_file(report: Mapping[str, object], start: bytes = b"") -> str:
    """The whole file: no script, nothing to fetch."""
    style = Markup(STYLE.read_text(encoding="utf-8"))  # noqa: S704 - our own style sheet
    template = environment().get_template("training_file.html")
    return template.render(report_values(report, start), style=style, alone=True)


def check_report_file(file: str) -> None:
    """InputError if a report could not be written there, before anything is spent on what it would hold."""
    target = Path(file).expanduser()
    if target.is_dir() or not target.parent.is_dir() or not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"The page cannot be written to {target}: name a file in a folder that you may write to.")


def write_report(ctx: Context, report: Mapping[str, object], file: str = "") -> Path:
    """Write the file where it was asked for, or beside the state; only its owner can read it."""
    target = Path(file).expanduser() if file else ctx.state / FOLDER / f"{report['run']}.html"
    if file:
        check_report_file(file)
        refuse_links(ctx.root, target)
    part = target.with_name(f".{target.name}.part")
    try:
        if not file:
            target.parent.mkdir(mode=0o700, exist_ok=True)
        part.unlink(missing_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(report_file(report, start_document(ctx, str(report["run"]))))
        os.replace(part, target)  # noqa: PTH105 - in one step
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise InputError(f"The page cannot be written to {target}: {error.strerror}.") from None
    return target


def _difference(report: Mapping[str, object], start: bytes) -> tuple[DiffFile, ...]:
    """What training changed in the text; nothing while it runs."""
    trained = str(report.get("document") or "").encode()
    if not trained:
        return ()
    before = Package(files={DOCUMENT: start} if start else {})
    return diff_files(changes(before, Package(files={DOCUMENT: trained})))
