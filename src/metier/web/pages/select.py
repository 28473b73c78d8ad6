"""Select: try a task and see which skills an agent would get, and why. Nothing is recorded, no model is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.selection.select import SelectOptions
from metier.selection.select import select as select_skills
from metier.selection.wording import CHOSEN_BY, closing_lines, near_skills, part_names, percent
from metier.web.answers import Page, page_route

if TYPE_CHECKING:
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard


def select(board: Dashboard, ask: Ask) -> Page:
    """The page."""
    task = ask.text("task")
    options = SelectOptions(text=task, agent=ask.text("agent"), path=ask.text("path"), model=False, keep=False)
    found = select_skills(board.ws.pool, options) if task else None
    values: dict[str, object] = {
        "task": task,
        "found": found,
        "near": near_skills(found) if found is not None else (),
        "notes": tuple(closing_lines(found)) if found is not None else (),
        "parts_of": part_names(found) if found is not None else (),
        "by": CHOSEN_BY,
        "percent": percent,
        "text": found.render() if found is not None else "",
        "has_model": bool(board.context.config.models.model),
    }
    return Page(template="select.html", title="Try a task", values=values)


ROUTES = (page_route("/select", select),)
