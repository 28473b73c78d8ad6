"""Select: try a task and see which skills an agent would get, and why. Nothing is recorded, no model is asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.selection.select import SelectOptions
from metier.selection.select import select as select_skills
from metier.selection.wording import CHOSEN_BY, closing_lines, near_skills, part_names, percent
from metier.text.words import stem, stems_of, terms_of
from metier.web.answers import Page, page_route

if TYPE_CHECKING:
    from metier.selection.result import Selected
    from metier.selection.types import ChosenSkill
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard

MEANINGS = {
    "words": "words of the task that stand in the skill, rare ones more",
    "pairs": "words that stand side by side in both",
    "name": "words of the skill's name in the task",
    "meaning": "how near the two texts are in meaning",
    "nearest": "the same for the nearest part of the skill",
    "coverage": "how much of the task the skill's words cover",
    "evidence": "how much these words tell in a library of this size",
}
"""What a score is made of, each part in a line."""
NEEDED = re.compile(r"needed (\d\.\d+)")
"""How sure the choice must be, as its last step notes it."""


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
        "whys": [_why(found, one) for one in found.choice.chosen] if found is not None else (),
        "meanings": MEANINGS,
        "percent": percent,
        "text": found.render() if found is not None else "",
        "has_model": bool(board.context.config.models.model),
    }
    return Page(template="select.html", title="Try a task", values=values)


def _why(found: Selected, one: ChosenSkill) -> str:
    """Why a skill was chosen, in a sentence or two."""
    if one.activation_reason == "pinned":
        return f"{one.skill.name} is pinned: every session gets it."
    noted = NEEDED.search(" ".join(stage.note for stage in found.choice.stages))
    needed = f" (needed {percent(float(noted[1]))})" if noted else ""
    known = stems_of(f"{one.skill.name} {one.skill.description}")
    shared = dict.fromkeys(word for word in terms_of(found.task.text) if stem(word) in known)
    words = f" Your request shares with it: {', '.join(shared)}." if shared else ""
    return f"{one.skill.name} is chosen: match {percent(one.probability)}{needed}.{words}"


ROUTES = (page_route("/select", select),)
