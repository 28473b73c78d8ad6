"""The decision: which of the retrieved skills an agent gets for a task, by a model or by the calibrated score."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.selection.candidates.ranking import NO_RECORD, ranked
from metier.selection.choosing.calibration import FITTED, Calibration, confident
from metier.selection.choosing.chance import drawn
from metier.selection.choosing.features import features
from metier.selection.choosing.keys import memo_key
from metier.selection.types import Choice, Chosen, Considered, Settings, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.selection.choosing.model_call import Adviser, Interaction
    from metier.selection.types import ActivationReason, Scored, Selectable, Task
    from metier.selection.worth.utility import Adjustment

CHANCE = 0.5
"""The share of the threshold that a skill to be explored must reach: exploring is no excuse for the absurd."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What a decision rests on beside the task and the skills."""

    settings: Settings = field(default_factory=Settings)
    adviser: Adviser | None = None
    """None: the calibrated score decides by itself. Hooks have none."""
    calibration: Calibration = FITTED
    records: Mapping[str, Adjustment] = field(default_factory=lambda: NO_RECORD)
    """What the runs of each skill say about it, by name."""
    library: str = ""
    """The state of the library and of those records; another one means another decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decided:
    chosen: tuple[Chosen, ...] = ()
    stages: tuple[Stage, ...] = ()
    interactions: tuple[Interaction, ...] = ()


def choose(task: Task, retrieved: Sequence[Scored], basis: Basis, pinned: Sequence[Selectable] = ()) -> Choice:
    """The skills for a task: pinned ones first, then the model's in its order, or those the score is sure of."""
    always = {skill.name: skill for skill in pinned}
    top = ranked(retrieved, basis.settings, basis.records) if task.text.strip() else ()
    candidates = _considered(task, [one for one in top if one.skill.name not in always], basis)
    decided = _decided(task, candidates, basis)
    scores = {one.skill.name: one.score for one in top}
    pins = tuple(
        Chosen(skill=skill, activation_reason="pinned", score=scores.get(name, 0.0)) for name, skill in always.items()
    )
    choice = Choice(
        chosen=(*pins, *decided.chosen),
        candidates=candidates,
        stages=(_retrieved(task, retrieved, candidates), *decided.stages),
        interactions=decided.interactions,
        key=key_of(task, basis),
    )
    return _withheld(task, choice, basis.settings)


def key_of(task: Task, basis: Basis) -> str:
    """What the decision on a task is kept under; known before anything is retrieved."""
    decider = f"score {basis.calibration.version}"
    if basis.adviser:
        from metier.selection.choosing.questions import prompts_hash

        decider = f"{basis.adviser.model.identity}\n{prompts_hash()}\n{decider}"
    return memo_key(task, basis.library, basis.settings, decider)


def _considered(task: Task, top: Sequence[Scored], basis: Basis) -> tuple[Considered, ...]:
    """The candidates with their probabilities; at most one, the likeliest of those drawn, is explored."""
    found = [
        Considered(skill=one.skill, score=one.score, probability=basis.calibration.probability(said), parts=one.parts)
        for one, said in zip(top, features(task.text, top), strict=True)
    ]
    floor = CHANCE * basis.calibration.threshold
    drawn_ones = [
        at
        for at, one in enumerate(found)
        if one.skill.status == "provisional"
        and one.probability >= floor
        and drawn("explore", task, one.skill, basis.settings.explore_rate)
    ]
    if drawn_ones:
        best = max(drawn_ones, key=lambda at: (found[at].probability, -at))
        found[best] = replace(found[best], explored=True)
    return tuple(found)


def _retrieved(task: Task, retrieved: Sequence[Scored], candidates: Sequence[Considered]) -> Stage:
    note = "" if task.text.strip() else "the task is empty"
    kept = tuple(one.skill.name for one in candidates)
    return Stage(stage="retrieve", by="score", considered=len(retrieved), kept=kept, note=note)


def _decided(task: Task, candidates: tuple[Considered, ...], basis: Basis) -> _Decided:
    if not candidates:
        return _Decided()
    if basis.adviser is None:
        return _by_score(candidates, basis, "no model is asked")
    return _by_model(task, candidates, basis, basis.adviser)


def _by_model(task: Task, candidates: tuple[Considered, ...], basis: Basis, adviser: Adviser) -> _Decided:
    """The model's choice; as soon as one of its answers is of no use, the score's."""
    from metier.selection.choosing.questions import final_question
    from metier.selection.choosing.shortlist import heard, is_needed, joined, shortlisted

    settings, shown, before = basis.settings, candidates, _Decided()
    if is_needed(len(candidates), settings):
        first = shortlisted(task, candidates, settings, adviser)
        if first.names is None:
            return _joined(
                _Decided(stages=(first.stage,), interactions=(first.interaction,)),
                _by_score(candidates, basis, first.stage.note),
            )
        names = joined(first.names, candidates, settings)
        before = _Decided(stages=(replace(first.stage, kept=names),), interactions=(first.interaction,))
        shown = _named(names, candidates)
        if not shown:
            return before
    last = heard("final", final_question(task.text, [one.skill for one in shown], settings), shown, adviser)
    here = _Decided(stages=(last.stage,), interactions=(last.interaction,))
    if last.names is None:
        return _joined(_joined(before, here), _by_score(candidates, basis, last.stage.note))
    chosen = tuple(_chosen(one, "llm_selected") for one in _named(last.names, shown))
    return _joined(before, replace(here, chosen=chosen))


def _by_score(candidates: tuple[Considered, ...], basis: Basis, why: str) -> _Decided:
    """Those the calibrated score is sure of; one to be explored has to be less sure."""
    usual = basis.calibration.threshold
    needed = [CHANCE * usual if one.explored else usual for one in candidates]
    sure = confident([one.probability for one in candidates], needed, basis.settings.max_detailed)
    chosen = tuple(_chosen(candidates[at], "score") for at in sure)
    best = max(one.probability for one in candidates)
    note = f"{why}; likeliest {best:.2f}, needed {usual:.2f} ({basis.calibration.version})"
    names = tuple(one.skill.name for one in chosen)
    stage = Stage(stage="score", by="score", considered=len(candidates), kept=names, note=note)
    return _Decided(chosen=chosen, stages=(stage,))


def _joined(first: _Decided, second: _Decided) -> _Decided:
    return _Decided(
        chosen=(*first.chosen, *second.chosen),
        stages=(*first.stages, *second.stages),
        interactions=(*first.interactions, *second.interactions),
    )


def _named(names: Sequence[str], candidates: Sequence[Considered]) -> tuple[Considered, ...]:
    by_name = {one.skill.name: one for one in candidates}
    return tuple(by_name[name] for name in names)


def _chosen(one: Considered, reason: ActivationReason) -> Chosen:
    return Chosen(skill=one.skill, activation_reason=reason, score=one.score, probability=one.probability)


def _withheld(task: Task, choice: Choice, settings: Settings) -> Choice:
    """The choice without the one skill whose lot says that this run goes without it; a pinned one never does."""
    for one in choice.chosen:
        if one.activation_reason != "pinned" and drawn("withhold", task, one.skill, settings.withhold_rate):
            kept = tuple(other for other in choice.chosen if other is not one)
            names = tuple(other.skill.name for other in kept)
            note = f"{one.skill.name} is left out to see how the run goes without it"
            stage = Stage(stage="withhold", by="rule", considered=len(choice.chosen), kept=names, note=note)
            return replace(choice, chosen=kept, stages=(*choice.stages, stage), withheld=(one.skill.name,))
    return choice
