"""A decision that is kept and used again: names and reasons, never the texts, which are read anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.selection.values import ActivationReason, Choice, Chosen, Stage
from tacit.types import Candidate, Selection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.selection.values import Selectable, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSkill:
    """A chosen skill without its text."""

    name: str
    content_hash: str
    activation_reason: ActivationReason
    score: float
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A decision as it is kept under its key."""

    chosen: tuple[KeptSkill, ...] = ()
    withheld: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()


def kept(choice: Choice) -> Kept | None:
    """What to keep of a decision; nothing of one that was made only because the model was of no use."""
    steps = {one.stage for one in choice.stages}
    if "score" in steps and steps & {"shortlist", "final"}:
        return None
    chosen = tuple(
        KeptSkill(
            name=one.skill.name,
            content_hash=one.skill.content_hash,
            activation_reason=one.activation_reason,
            score=one.score,
            probability=one.probability,
        )
        for one in choice.chosen
    )
    return Kept(chosen=chosen, withheld=choice.withheld, stages=choice.stages)


def recalled(found: Kept, key: str, skills: Mapping[str, Selectable]) -> Choice | None:
    """The decision again, with the skills as they are now; None when one of them is gone or another."""
    chosen: list[Chosen] = []
    for one in found.chosen:
        skill = skills.get(one.name)
        if skill is None or skill.content_hash != one.content_hash:
            return None
        reason = one.activation_reason
        chosen.append(Chosen(skill=skill, activation_reason=reason, score=one.score, probability=one.probability))
    names = tuple(one.skill.name for one in chosen)
    stage = Stage(stage="memo", by="rule", considered=len(names), kept=names, note="decided before")
    return Choice(chosen=tuple(chosen), stages=(*found.stages, stage), withheld=found.withheld, key=key)


def recorded(choice: Choice, task: Task, *, selection: str, created: str) -> Selection:
    """The selection as the store keeps it, to be linked to the run it serves."""
    return Selection(
        id=selection,
        workspace=task.workspace,
        query=task.text,
        candidates=tuple(
            Candidate(skill=one.skill.name, score=one.score, hash=one.skill.content_hash) for one in choice.candidates
        ),
        chosen=tuple(one.skill.name for one in choice.chosen),
        stages=tuple(one.line() for one in choice.stages),
        created=created,
    )
