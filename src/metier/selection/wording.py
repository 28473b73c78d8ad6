"""A selection in plain words, the same in the terminal and in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.text.counts import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.selection.result import Selected
    from metier.selection.types import RatedSkill

CLOSE = 3
"""Candidates that are shown although they were not chosen."""
LIKELY, HALF = 0.05, 0.5
"""How likely they are at least; or else the share of the best score that they have beside one that was chosen."""
CHOSEN_BY = {"llm_selected": "the model", "score": "score", "pinned": "pinned"}


def near_skills(found: Selected) -> list[RatedSkill]:
    """Candidates that were not chosen and came near: to those that were, or to being sure enough where none was."""
    chosen = {one.skill.name for one in found.choice.chosen}
    best = max((one.score for one in found.choice.candidates), default=0.0)
    left = [one for one in found.choice.candidates if one.skill.name not in chosen]
    near = [one for one in left if one.probability >= LIKELY or (chosen and one.score >= HALF * best)]
    return sorted(near, key=lambda one: (-one.probability, -one.score))[:CLOSE]


def closing_lines(found: Selected) -> Iterator[str]:
    """What is said beside the data: why there is no skill, what was left out and why."""
    yield from found.notes
    if not found.choice.chosen and not found.is_paused:
        yield _no_skill_text(found)
    for name in found.choice.withheld:
        yield f"{name} is left out this time, to see how the run goes without it."
    for one in found.refused:
        yield f"{one.name} is blocked: {one.reason}"
    if found.waiting:
        yield waiting_text(len(found.waiting))
    for one in found.assembled.left_out:
        yield f"{one.name} is left out: {one.reason}."


def waiting_text(count: int) -> str:
    """How many skills of the project wait, and the command that answers."""
    waits = "waits" if count == 1 else "wait"
    return f"{plural(count, 'skill')} of this project {waits} for your yes: metier skills trust"


def percent(share: float) -> str:
    """How likely a skill fits."""
    return f"{100 * share:.0f} %" if share >= 0.005 else "<1 %"


def part_names(found: Selected) -> tuple[str, ...]:
    """What the scores of a selection are made of."""
    return tuple(dict.fromkeys(name for one in found.choice.candidates for name, _ in one.parts))


def _no_skill_text(found: Selected) -> str:
    if not found.task.text.strip():
        return "The task is empty. Write what the agent should do."
    stages = [one.stage for one in found.choice.stages if one.stage != "memo"]
    if not found.choice.candidates:
        return "No skill fits: none is related to this task."
    if found.choice.withheld:
        return "No skill is used this time."
    if stages[-1] in ("shortlist", "final"):
        return "No skill fits, according to the model."
    best = max(found.choice.candidates, key=lambda one: one.probability)
    return f"No skill fits (best match: {best.skill.name}, {percent(best.probability)})."
