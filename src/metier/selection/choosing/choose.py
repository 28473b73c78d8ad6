"""The decision: which of the retrieved skills an agent gets for a task, by a model or by the calibrated score."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING

from metier.selection.choosing.calibration import FITTED, Calibration, confident_places
from metier.selection.choosing.decision_memo import memo_key
from metier.selection.choosing.features import features
from metier.selection.types import Choice, ChosenSkill, RatedSkill, SelectionSettings, SelectionStage
from metier.selection.worth.utility import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.selection.choosing.model_call import Adviser, Interaction
    from metier.selection.types import ActivationReason, ScoredSkill, Selectable, Task
    from metier.selection.worth.utility import Adjustment
    from metier.types.selections import Assignment

CHANCE = 0.5
"""The share of the threshold that a skill to be explored must reach: exploring is no excuse for the absurd."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What a decision rests on beside the task and the skills."""

    settings: SelectionSettings = field(default_factory=SelectionSettings)
    adviser: Adviser | None = None
    """None: the calibrated score decides by itself. Hooks have none."""
    is_local: bool = False
    """Nothing of the task leaves this machine: a remote embedder is not asked either."""
    calibration: Calibration = FITTED
    records: Mapping[str, Adjustment] = field(default_factory=lambda: NO_RECORD)
    """What the runs of each skill say about it, by name."""
    library: str = ""
    """The state of the library and of those records; another one means another decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    chosen: tuple[ChosenSkill, ...] = ()
    stages: tuple[SelectionStage, ...] = ()
    interactions: tuple[Interaction, ...] = ()


def choose(
    task: Task, retrieved: Sequence[ScoredSkill], basis: Basis, pinned: Sequence[Selectable] = (), note: str = ""
) -> Choice:
    """The skills for a task: pinned ones first, then the model's in its order, or those the score is sure of."""
    always = {skill.name: skill for skill in pinned}
    top = rank(retrieved, basis.settings, basis.records) if task.text.strip() else ()
    candidates = _rate(task, [one for one in top if one.skill.name not in always], basis)
    decided = _decide(task, candidates, basis)
    scores = {one.skill.name: one.score for one in top}
    pins = tuple(
        ChosenSkill(skill=skill, activation_reason="pinned", score=scores.get(name, 0.0))
        for name, skill in always.items()
    )
    return Choice(
        chosen=(*pins, *decided.chosen),
        candidates=candidates,
        stages=(_retrieve_stage(task, retrieved, candidates, note), *decided.stages),
        interactions=decided.interactions,
        key=decision_key(task, basis),
    )


def decision_key(task: Task, basis: Basis) -> str:
    """What the decision on a task is kept under; known before anything is retrieved."""
    decider = f"score {basis.calibration.version}{' local' if basis.is_local else ''}"
    if basis.adviser:
        from metier.selection.choosing.ask_model import prompts_hash

        decider = f"{basis.adviser.model.identity}\n{prompts_hash()}\n{decider}"
    return memo_key(task, basis.library, basis.settings, decider)


def _rate(task: Task, top: Sequence[ScoredSkill], basis: Basis) -> tuple[RatedSkill, ...]:
    """The candidates with their probabilities; at most one, the likeliest of those drawn, is explored."""
    found = [
        RatedSkill(skill=one.skill, score=one.score, probability=basis.calibration.probability(said), parts=one.parts)
        for one, said in zip(top, features(task.text, top), strict=True)
    ]
    floor = CHANCE * basis.calibration.threshold
    drawn_ones = [
        at
        for at, one in enumerate(found)
        if one.skill.status == "provisional"
        and one.probability >= floor
        and is_explored(task, one.skill, basis.settings.explore_rate)
    ]
    if drawn_ones:
        best = max(drawn_ones, key=lambda at: (found[at].probability, -at))
        found[best] = replace(found[best], explored=True)
    return tuple(found)


def _retrieve_stage(
    task: Task, retrieved: Sequence[ScoredSkill], candidates: Sequence[RatedSkill], note: str
) -> SelectionStage:
    note = "; ".join(filter(None, ("" if task.text.strip() else "the task is empty", note)))
    kept = tuple(one.skill.name for one in candidates)
    return SelectionStage(stage="retrieve", by="score", considered=len(retrieved), kept=kept, note=note)


def _decide(task: Task, candidates: tuple[RatedSkill, ...], basis: Basis) -> _Decision:
    if not candidates:
        return _Decision()
    if basis.adviser is None:
        return _by_score(candidates, basis, "no model is asked")
    return _by_model(task, candidates, basis, basis.adviser)


def _by_model(task: Task, candidates: tuple[RatedSkill, ...], basis: Basis, adviser: Adviser) -> _Decision:
    """The model's choice; as soon as one of its answers is of no use, the score's."""
    from metier.selection.choosing.ask_model import (
        ask_shortlist,
        ask_stage,
        final_question,
        needs_shortlist,
        with_explored,
    )

    settings, shown, before = basis.settings, candidates, _Decision()
    if needs_shortlist(len(candidates), settings):
        first = ask_shortlist(task, candidates, settings, adviser)
        if first.names is None:
            return _join(
                _Decision(stages=(first.stage,), interactions=(first.interaction,)),
                _by_score(candidates, basis, first.stage.note),
            )
        names = with_explored(first.names, candidates, settings)
        before = _Decision(stages=(replace(first.stage, kept=names),), interactions=(first.interaction,))
        shown = _named(names, candidates)
        if not shown:
            return before
    last = ask_stage("final", final_question(task.text, [one.skill for one in shown], settings), shown, adviser)
    here = _Decision(stages=(last.stage,), interactions=(last.interaction,))
    if last.names is None:
        return _join(_join(before, here), _by_score(candidates, basis, last.stage.note))
    chosen = tuple(_chosen(one, "llm_selected") for one in _named(last.names, shown))
    return _join(before, replace(here, chosen=chosen))


def _by_score(candidates: tuple[RatedSkill, ...], basis: Basis, why: str) -> _Decision:
    """Those the calibrated score is sure of; one to be explored has to be less sure."""
    usual = basis.calibration.threshold
    needed = [CHANCE * usual if one.explored else usual for one in candidates]
    sure = confident_places([one.probability for one in candidates], needed, basis.settings.max_detailed)
    chosen = tuple(_chosen(candidates[at], "score") for at in sure)
    best = max(one.probability for one in candidates)
    note = f"{why}; likeliest {best:.2f}, needed {usual:.2f} ({basis.calibration.version})"
    names = tuple(one.skill.name for one in chosen)
    stage = SelectionStage(stage="score", by="score", considered=len(candidates), kept=names, note=note)
    return _Decision(chosen=chosen, stages=(stage,))


def _join(first: _Decision, second: _Decision) -> _Decision:
    return _Decision(
        chosen=(*first.chosen, *second.chosen),
        stages=(*first.stages, *second.stages),
        interactions=(*first.interactions, *second.interactions),
    )


def _named(names: Sequence[str], candidates: Sequence[RatedSkill]) -> tuple[RatedSkill, ...]:
    by_name = {one.skill.name: one for one in candidates}
    return tuple(by_name[name] for name in names)


def _chosen(one: RatedSkill, reason: ActivationReason) -> ChosenSkill:
    return ChosenSkill(skill=one.skill, activation_reason=reason, score=one.score, probability=one.probability)


def without_withheld(choice: Choice, trials: Iterable[Assignment]) -> Choice:
    """The choice without the skills that trials keep from this session; a pinned one stays."""
    out = {one.skill for one in trials if one.arm == "without"}
    held = [one for one in choice.chosen if one.skill.name in out and one.activation_reason != "pinned"]
    if not held:
        return choice
    kept = tuple(one for one in choice.chosen if one not in held)
    names = ", ".join(one.skill.name for one in held)
    stage = SelectionStage(
        stage="withhold",
        by="rule",
        considered=len(choice.chosen),
        kept=tuple(one.skill.name for one in kept),
        note=f"a trial keeps {names} from this session",
    )
    withheld = tuple(one.skill.name for one in held)
    return replace(choice, chosen=kept, stages=(*choice.stages, stage), withheld=withheld)


def is_explored(task: Task, skill: Selectable, rate: float) -> bool:
    """Whether this skill's lot is drawn for this task today; true of `rate` of all lots."""
    return _lot(task, skill) < rate


def _lot(task: Task, skill: Selectable) -> float:
    """A number from 0 up to 1, evenly spread; of the skill's text, so that a new version draws a new lot."""
    said = "\0".join(("explore", task.text, skill.name, skill.content_hash, task.day))
    digest = sha256(said.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


NO_RECORD: Mapping[str, Adjustment] = {}


def rank(
    candidates: Iterable[ScoredSkill], settings: SelectionSettings, records: Mapping[str, Adjustment] = NO_RECORD
) -> tuple[ScoredSkill, ...]:
    """The top k by adjusted score; a name counts once, and of equal scores the names decide."""
    best: dict[str, ScoredSkill] = {}
    for candidate in candidates:
        record = records.get(candidate.skill.name, UNKNOWN)
        if record.hurts:
            continue
        one = _adjust(candidate, settings, record)
        if one.skill.name not in best or one.score > best[one.skill.name].score:
            best[one.skill.name] = one
    return tuple(sorted(best.values(), key=lambda one: (-one.score, one.skill.name))[: settings.top_k])


def _adjust(candidate: ScoredSkill, settings: SelectionSettings, record: Adjustment) -> ScoredSkill:
    """The candidate with the factors in its score, and among its parts."""
    score = candidate.score if isfinite(candidate.score) else 0.0
    cold = settings.cold_factor if candidate.skill.status == "cold" else 1.0
    changed = [(name, factor) for name, factor in (("cold", cold), ("utility", record.factor)) if factor != 1.0]
    return replace(candidate, score=max(0.0, score) * cold * record.factor, parts=(*candidate.parts, *changed))
