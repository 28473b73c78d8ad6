"""A selection as a person reads it: what was chosen, what was close, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import console, table, visible
from metier.selection.wording import CHOSEN_BY, near_skills, part_names, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text

    from metier.selection.result import Selected
    from metier.selection.types import ChosenSkill, RatedSkill


def page(found: Selected, *, why: bool = False, width: int = 0) -> Iterator[RenderableType]:
    """The skills in the order in which the agent gets them, then those that came near, or with why all candidates."""
    from rich.text import Text

    if found.choice.chosen:
        columns = ("chosen", "version", "by", "match", "description")
        yield table(columns, [_chosen_row(one) for one in found.choice.chosen], width=width)
    near = [] if why else near_skills(found)
    if near and found.choice.chosen:
        yield Text()
    if near:
        columns = ("close", "version", "score", "match", "description")
        yield table(columns, [_close_row(one) for one in near], width=width)
    if why:
        yield from _why(found, width)


def _chosen_row(one: ChosenSkill) -> tuple[str, ...]:
    skill = one.skill
    match = "" if one.activation_reason == "pinned" else percent(one.probability)
    return skill.name, _version(skill.version), CHOSEN_BY[one.activation_reason], match, skill.description


def _close_row(one: RatedSkill) -> tuple[str, ...]:
    skill = one.skill
    return skill.name, _version(skill.version), f"{one.score:.2f}", percent(one.probability), skill.description


def _version(version: str) -> str:
    return f"v{version}" if version.isdigit() else version


def _why(found: Selected, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    candidates = found.choice.candidates
    names = part_names(found)
    if candidates:
        rows = [
            (one.skill.name, percent(one.probability), f"{one.score:.2f}", *(_part(one, name) for name in names))
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
