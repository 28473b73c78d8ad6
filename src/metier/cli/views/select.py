"""A selection as a person reads it: what was chosen, what was close, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import console, table, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text

    from metier.selection.result import Selected
    from metier.selection.types import Chosen, Considered

CLOSE = 3
"""Candidates that are shown although they were not chosen."""
LIKELY, HALF = 0.05, 0.5
"""How likely they are at least; or else the share of the best score that they have beside one that was chosen."""
BY = {"llm_selected": "the model", "score": "score", "pinned": "pinned"}


def page(found: Selected, *, why: bool = False, width: int = 0) -> Iterator[RenderableType]:
    """The skills in the order in which the agent gets them, then those that came near, or with why all candidates."""
    from rich.text import Text

    if found.choice.chosen:
        columns = ("chosen", "version", "by", "likely", "what it is for")
        yield table(columns, [_chosen(one) for one in found.choice.chosen], width=width)
    near = [] if why else _near(found)
    if near and found.choice.chosen:
        yield Text()
    if near:
        columns = ("close", "version", "score", "likely", "what it is for")
        yield table(columns, [_close(one) for one in near], width=width)
    if why:
        yield from _why(found, width)


def closing(found: Selected) -> Iterator[str]:
    """What is said beside the data."""
    yield from found.notes
    if not found.choice.chosen:
        yield _nothing(found)
    for name in found.choice.withheld:
        yield f"{name} would be chosen; it is left out this time to see how the run goes without it."
    for one in found.refused:
        yield f"{one.name} may not be handed out: {one.reason}"
    for one in found.assembled.left_out:
        yield f"{one.name} is not handed over: {one.reason}."


def _nothing(found: Selected) -> str:
    if not found.task.text.strip():
        return "The task is empty: there is nothing to choose for."
    stages = [one.stage for one in found.choice.stages if one.stage != "memo"]
    if not found.choice.candidates:
        return "No skill was chosen: the library holds none that has anything to do with this task."
    if found.choice.withheld:
        return "No skill is handed over this time."
    if stages[-1] in ("shortlist", "final"):
        return "No skill was chosen: the model finds none that fits this task."
    best = max(found.choice.candidates, key=lambda one: one.probability)
    return f"No skill was chosen: none fits well enough. Likeliest: {best.skill.name}, {best.probability:.2f}"


def _near(found: Selected) -> list[Considered]:
    """Candidates that were not chosen and came near: to those that were, or to being sure enough where none was."""
    chosen = {one.skill.name for one in found.choice.chosen}
    best = max((one.score for one in found.choice.candidates), default=0.0)
    left = [one for one in found.choice.candidates if one.skill.name not in chosen]
    near = [one for one in left if one.probability >= LIKELY or (chosen and one.score >= HALF * best)]
    return sorted(near, key=lambda one: (-one.probability, -one.score))[:CLOSE]


def _chosen(one: Chosen) -> tuple[str, ...]:
    skill = one.skill
    likely = "" if one.activation_reason == "pinned" else f"{one.probability:.2f}"
    return skill.name, _version(skill.version), BY[one.activation_reason], likely, skill.description


def _close(one: Considered) -> tuple[str, ...]:
    skill = one.skill
    return skill.name, _version(skill.version), f"{one.score:.2f}", f"{one.probability:.2f}", skill.description


def _version(version: str) -> str:
    return f"v{version}" if version.isdigit() else version


def _why(found: Selected, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    candidates = found.choice.candidates
    names = list(dict.fromkeys(name for one in candidates for name, _ in one.parts))
    if candidates:
        rows = [
            (one.skill.name, f"{one.probability:.2f}", f"{one.score:.2f}", *(_part(one, name) for name in names))
            for one in candidates
        ]
        yield Text()
        yield table(("candidate", "likely", "score", *names), rows, grow="candidate", width=width)
    yield Text("\nstages", style="bold")
    for stage in found.choice.stages:
        yield _indented(stage.line(), width)
    for call in found.choice.interactions:
        yield _indented(
            f"asked {call.model} ({call.stage}): {call.problem or call.finish}, {call.seconds:.1f} s", width
        )
    kept = f"kept as {found.id}" if found.id else "not kept"
    yield _indented(f"{found.seconds:.2f} s in all, meaning by {found.embedder}, {kept}", width)


def _part(one: Considered, name: str) -> str:
    value = next((value for key, value in one.parts if key == name), None)
    return "" if value is None else f"{value:.2f}"


def _indented(text: str, width: int) -> Text:
    """A line that goes on further to the right."""
    from textwrap import fill

    from rich.text import Text

    wide = width or console().width
    return Text(fill(visible(text), wide, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))
