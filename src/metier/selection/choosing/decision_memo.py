"""A decision that is kept and used again: names and reasons, never the texts, which are read anew."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.selection.types import ActivationReason, Choice, ChosenSkill, RatedSkill, Selectable, SelectionStage
from metier.types import Candidate, Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from metier.selection.types import SelectionSettings, Task
    from metier.types.selections import Assignment


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSkill:
    """A chosen skill without its text."""

    name: str
    content_hash: str
    activation_reason: ActivationReason
    score: float
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCandidate:
    """A candidate without its text."""

    name: str
    version: str
    content_hash: str
    score: float
    probability: float
    explored: bool
    parts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDecision:
    """A decision as it is kept under its key."""

    chosen: tuple[KeptSkill, ...] = ()
    candidates: tuple[KeptCandidate, ...] = ()
    stages: tuple[SelectionStage, ...] = ()
    refused: tuple[str, ...] = ()
    """Skills that came into question and could not be handed out."""


def decision_to_keep(choice: Choice, refused: Iterable[str] = ()) -> KeptDecision | None:
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
    candidates = tuple(
        KeptCandidate(
            name=one.skill.name,
            version=one.skill.version,
            content_hash=one.skill.content_hash,
            score=one.score,
            probability=one.probability,
            explored=one.explored,
            parts=one.parts,
        )
        for one in choice.candidates
    )
    return KeptDecision(chosen=chosen, candidates=candidates, stages=choice.stages, refused=tuple(refused))


def recall_choice(found: KeptDecision, key: str, skills: Mapping[str, Selectable]) -> Choice | None:
    """The decision again, with the skills as they are now; None when one of them is gone or another."""
    chosen: list[ChosenSkill] = []
    for one in found.chosen:
        skill = skills.get(one.name)
        if skill is None or skill.content_hash != one.content_hash:
            return None
        reason = one.activation_reason
        chosen.append(ChosenSkill(skill=skill, activation_reason=reason, score=one.score, probability=one.probability))
    names = tuple(one.skill.name for one in chosen)
    stage = SelectionStage(stage="memo", by="rule", considered=len(names), kept=names, note="decided before")
    candidates = tuple(_recall_candidate(one, skills) for one in found.candidates)
    stages = (*found.stages, stage)
    return Choice(chosen=tuple(chosen), candidates=candidates, stages=stages, key=key)


def _recall_candidate(one: KeptCandidate, skills: Mapping[str, Selectable]) -> RatedSkill:
    """A candidate again; of one that is not handed out, nothing but its name and version is known."""
    bare = Selectable(name=one.name, version=one.version, content_hash=one.content_hash)
    return RatedSkill(
        skill=skills.get(one.name, bare),
        score=one.score,
        probability=one.probability,
        explored=one.explored,
        parts=one.parts,
    )


def selection_record(
    choice: Choice, task: Task, *, selection: str, created: str, session: str = "", trials: Iterable[Assignment] = ()
) -> Selection:
    """The selection as the store keeps it, to be linked to the run it serves."""
    candidates = tuple(
        Candidate(skill=one.skill.name, score=one.score, hash=one.skill.content_hash) for one in choice.candidates
    )
    free = {one.skill.name for one in choice.chosen if one.activation_reason != "pinned"}
    return Selection(
        id=selection,
        workspace=task.workspace,
        query=task.text,
        candidates=candidates,
        chosen=tuple(one.skill.name for one in choice.chosen),
        chosen_hashes=tuple(one.skill.content_hash for one in choice.chosen),
        pinned=tuple(one.skill.name for one in choice.chosen if one.activation_reason == "pinned"),
        withheld=tuple(one for one in candidates if one.skill in choice.withheld),
        trials=tuple(one for one in trials if one.skill in {*choice.withheld, *free}),
        explored=tuple(one.skill.name for one in choice.candidates if one.explored),
        stages=tuple(one.line() for one in choice.stages),
        agent=task.agent,
        session=session,
        created=created,
    )


FORM = 2
"""Raised when decisions are made in another way, so that earlier ones are not taken for them."""


def memo_key(task: Task, library: str, settings: SelectionSettings, decider: str) -> str:
    """The key of a decision; `decider` stands for the model and its prompts, if there is one, and the calibration.

    The day is part of it only where something is left to chance, as only chance depends on it.
    """
    fields = asdict(task)
    if not settings.explore_rate:
        del fields["day"]
    parts = [FORM, fields, library, asdict(settings), decider]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return "selection:" + sha256(text.encode()).hexdigest()
