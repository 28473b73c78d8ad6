"""A selection as a person reads it: what was chosen, what was close, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import console, table, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text

    from metier.selection.result import Selected
    from metier.selection.types import ChosenSkill, RatedSkill

CLOSE = 3
"""Candidates that are shown although they were not chosen."""
LIKELY, HALF = 0.05, 0.5
"""How likely they are at least; or else the share of the best score that they have beside one that was chosen."""
BY = {"llm_selected": "the model", "score": "score", "pinned": "pinned"}


def page(found: Selected, *, why: bool = False, width: int = 0) -> Iterator[RenderableType]:
    """The skills in the order in which the agent gets them, then those that came near, or with why all candidates."""
    from rich.text import Text

    if found.choice.chosen:
        columns = ("chosen", "version", "by", "match", "description")
        yield table(columns, [_chosen_row(one) for one in found.choice.chosen], width=width)
    near = [] if why else _near(found)
    if near and found.choice.chosen:
        yield Text()
    if near:
        columns = ("close", "version", "score", "match", "description")
        yield table(columns, [_close_row(one) for one in near], width=width)
    if why:
        yield from _why(found, width)


def closing(found: Selected) -> Iterator[str]:
    """What is said beside the data."""
    yield from found.notes
    if not found.choice.chosen:
        yield _no_skill_text(found)
    for name in found.choice.withheld:
        yield f"{name} is left out this time, to see how the run goes without it."
    for one in found.refused:
        yield f"{one.name} is blocked: {one.reason}"
    for one in found.assembled.left_out:
        yield f"{one.name} is left out: {one.reason}."


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
    return f"No skill fits (best match: {best.skill.name}, {_percent(best.probability)})."


def _near(found: Selected) -> list[RatedSkill]:
    """Candidates that were not chosen and came near: to those that were, or to being sure enough where none was."""
    chosen = {one.skill.name for one in found.choice.chosen}
    best = max((one.score for one in found.choice.candidates), default=0.0)
    left = [one for one in found.choice.candidates if one.skill.name not in chosen]
    near = [one for one in left if one.probability >= LIKELY or (chosen and one.score >= HALF * best)]
    return sorted(near, key=lambda one: (-one.probability, -one.score))[:CLOSE]


def _chosen_row(one: ChosenSkill) -> tuple[str, ...]:
    skill = one.skill
    match = "" if one.activation_reason == "pinned" else _percent(one.probability)
    return skill.name, _version(skill.version), BY[one.activation_reason], match, skill.description


def _close_row(one: RatedSkill) -> tuple[str, ...]:
    skill = one.skill
    return skill.name, _version(skill.version), f"{one.score:.2f}", _percent(one.probability), skill.description


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "<1 %"


def _version(version: str) -> str:
    return f"v{version}" if version.isdigit() else version


def _why(found: Selected, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    candidates = found.choice.candidates
    names = list(dict.fromkeys(name for one in candidates for name, _ in one.parts))
    if candidates:
        rows = [
            (one.skill.name, _percent(one.probability), f"{one.score:.2f}", *(_part(one, name) for name in names))
            for one in candidates
        ]
        yield Text()
        yield table(("candidate", "match", "score", *names), rows, grow="candidate", width=width)
    yield Text("\nstages", style="bold")
    for stage in found.choice.stages:
        yield _indented_text(stage.line(), width)
    for call in found.choice.interactions:
        yield _indented_text(
            f"asked {call.model} ({call.stage}): {call.problem or call.finish}, {call.seconds:.1f} s", width
        )
    saved = f"saved as {found.id}" if found.id else "not saved"
    yield _indented_text(f"{found.seconds:.2f} s in total, embeddings from {found.embedder}, {saved}", width)


def _part(one: RatedSkill, name: str) -> str:
    value = next((value for key, value in one.parts if key == name), None)
    return "" if value is None else f"{value:.2f}"


def _indented_text(text: str, width: int) -> Text:
    """A line that goes on further to the right."""
    from textwrap import fill

    from rich.text import Text

    wide = width or console().width
    return Text(fill(visible(text), wide, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))
