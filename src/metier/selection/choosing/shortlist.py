"""The first question: which of many skills are worth reading, by name and description."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.selection.choosing.model_call import asked
from metier.selection.choosing.parse_answer import Named, read_names
from metier.selection.choosing.questions import shortlist_question
from metier.selection.types import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.models.model import Request
    from metier.selection.choosing.model_call import Adviser, Interaction
    from metier.selection.types import Considered, Settings, StageName, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came of one question: the names, or None when the score has to decide, and the records."""

    names: tuple[str, ...] | None
    stage: Stage
    interaction: Interaction


def shortlisted(task: Task, candidates: Sequence[Considered], settings: Settings, adviser: Adviser) -> Heard:
    """At most `max_detailed` names by the model's choice, and the one to be explored among them."""
    question = shortlist_question(task.text, [one.skill for one in candidates], settings)
    return heard("shortlist", question, candidates, adviser)


def is_needed(count: int, settings: Settings) -> bool:
    """Whether there are too many candidates to read all their bodies at once."""
    return count > settings.max_detailed and count >= settings.one_call_below


def joined(names: tuple[str, ...], candidates: Sequence[Considered], settings: Settings) -> tuple[str, ...]:
    """The first names of a shortlist, and in the last place the one to be explored if it is not there yet."""
    explored = next((one.skill.name for one in candidates if one.explored), "")
    kept = names[: settings.max_detailed]
    if not kept or not explored or explored in kept or settings.max_detailed == 1:
        return kept
    return (*kept[: settings.max_detailed - 1], explored)


def heard(stage: StageName, question: Request, candidates: Sequence[Considered], adviser: Adviser) -> Heard:
    """The known names in the model's answer to one question, or why the score has to decide."""
    outcome = asked(adviser, question)
    known = {one.skill.name for one in candidates}
    answer = None if outcome.text is None else read_names(outcome.text, known)
    if isinstance(answer, Named):
        note = f"dropped: {', '.join(answer.dropped)}" if answer.dropped else ""
        record = Stage(stage=stage, by="model", considered=len(known), kept=answer.names, note=note)
        return Heard(names=answer.names, stage=record, interaction=outcome.interaction)
    why = answer.reason if answer else outcome.interaction.problem
    record = Stage(stage=stage, by="model", considered=len(known), note=f"no usable answer: {why}; the score decides")
    return Heard(names=None, stage=record, interaction=replace(outcome.interaction, problem=why))
