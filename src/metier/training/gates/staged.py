"""The staged gate: candidate and incumbent side by side, block by block, and out with what cannot win."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from typing import TYPE_CHECKING, Literal

from metier.training.events import Judging
from metier.training.gates.gate import INITIAL_SCORES, MeasureAll, MeasureRows, Ruling
from metier.training.scores import Metric, worst_loss
from metier.training.state import ACCEPTED
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.skills.package import Package
    from metier.training.gates.gate import GateEvidence, Measure, Row
    from metier.training.scores import Deltas, Scores
    from metier.training.spec import GateSettings, Spec
    from metier.training.state import SkillCandidate
    from metier.types.trials import Action, Case

CLEARLY = -2.0
"""So many standard errors below zero fresh attempts must be to undo a choice: were it fewer, what is reported would be
what was lucky there."""


@dataclass(frozen=True, slots=True)
class StagedGate:
    """A candidate is compared on a few val cases at a time, for as long as it is ahead."""

    spec: Spec

    @classmethod
    def from_spec(cls, spec: Spec) -> StagedGate:
        """The gate with a training's settings."""
        return cls(spec)

    def decide(self, evidence: GateEvidence) -> Ruling | Measure:
        """Compare; what is ahead after the last block meets attempts that nothing was chosen by, and is taken."""
        if not evidence.settled:
            return INITIAL_SCORES
        if evidence.unchanged:
            return rule(evidence, Decision(action="reject", reason="nothing was changed"))
        found = race(evidence, self.spec, evidence.current)
        if isinstance(found, MeasureRows):
            return found
        return check(evidence, self.spec, found) if found.action in ACCEPTED else rule(evidence, found)


def race(evidence: GateEvidence, spec: Spec, rival: Package) -> Decision | MeasureRows:
    """Whether a candidate stays ahead of another skill, block by block."""
    gating, metric, skill = spec.gating, Metric.of_settings(spec.gating), evidence.candidate.package
    sample = evidence.memory.fresh if gating.remeasure else 0
    deltas: list[tuple[str, float]] = []
    blocks = blocks_of(evidence, spec, (rival, skill), sample)
    for number, rows in enumerate(blocks):
        if not evidence.has_measured(rows):
            rivals: Literal["current", "best"] = "current" if rival is evidence.current else "best"
            event = replace(judging_event(evidence, "race", attempt=sample), rival=rivals)
            return next_block(blocks, number, (event,), len(evidence.val))
        for one, other in rows:
            gains = metric.gain(evidence.score(one), evidence.score(other))
            deltas += [(one[0].id, gain) for gain in gains]
        if lost := why_behind(deltas, gating, last=number + 1 == len(blocks)):
            return Decision(action="reject", reason=lost, deltas=tuple(deltas))
    if not deltas:
        return Decision(action="uninformative", reason="no case was scored under both skills")
    gain = sum(delta for _, delta in deltas) / len(deltas)
    return Decision(action="accept", reason=f"{gain:+.4f} on {len(deltas)} cases", deltas=tuple(deltas))


def blocks_of(evidence: GateEvidence, spec: Spec, arms: tuple[Package, ...], sample: int) -> list[tuple[Row, ...]]:
    """The val cases block by block, each case under every arm."""
    cases, size = shuffle_cases(evidence.val, spec, evidence.candidate), spec.gating.block
    rows = tuple(tuple((case, arm, sample) for arm in arms) for case in cases)
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def next_block(blocks: Sequence[tuple[Row, ...]], number: int, events: tuple[Judging, ...], total: int) -> MeasureRows:
    """Ask for a block; the first one is announced, and the one after it may begin already."""
    done = sum(len(block) for block in blocks[:number])
    ahead = blocks[number + 1] if number + 1 < len(blocks) else ()
    return MeasureRows(rows=blocks[number], ahead=ahead, done=done, total=total, events=() if number else events)


def why_behind(deltas: Sequence[tuple[str, float]], gating: GateSettings, *, last: bool) -> str:
    """Why a candidate is out, empty while it is not: a case lost too much, or it is behind; at last it must lead."""
    if not deltas:
        return ""
    if lost := worst_loss(deltas, gating.max_loss):
        return lost
    gain = sum(delta for _, delta in deltas) / len(deltas)
    out = gain <= 0 if last or not gating.behind else in_errors(delta for _, delta in deltas) < -gating.behind
    return f"{gain:+.4f} after {len(deltas)} cases: not ahead" if out else ""


def check(evidence: GateEvidence, spec: Spec, chosen: Decision) -> Ruling | Measure:
    """Accept what was chosen, unless attempts that nothing was chosen by are clearly against it."""
    skill, looks, metric = evidence.candidate.package, evidence.memory, Metric.of_settings(spec.gating)
    scores = evidence.scores_of(skill, looks.known)
    if scores is None:
        return MeasureAll(skill=skill, sample=looks.known)
    deltas = metric.deltas(scores, evidence.current_scores)
    chosen = replace(chosen, deltas=deltas)
    if against := _against(deltas, spec.gating):
        rejected = replace(chosen, action="reject", reason=f"{chosen.reason}; but {against}")
        return rule(evidence, rejected, scores)
    action: Action = "accept_new_best"
    if not (evidence.gated and evidence.current_is_best) and evidence.current is not evidence.best:
        evidence = replace(evidence, memory=replace(looks, fresh=looks.fresh + 1))
        beaten = race(evidence, spec, evidence.best)
        if isinstance(beaten, MeasureRows):
            return beaten
        action = "accept_new_best" if beaten.action in ACCEPTED else "accept"
    ahead = metric.beats(scores, evidence.current_scores)
    return rule(evidence, replace(chosen, action=action), scores, ahead=ahead)


def _against(deltas: Deltas, gating: GateSettings) -> str:
    """What fresh attempts say against a choice; empty: nothing clear."""
    if lost := worst_loss(deltas, gating.max_loss):
        return lost
    level = in_errors(delta for _, delta in deltas)
    clear = gating.check and level < CLEARLY
    return f"{level:+.1f} standard errors on {len(deltas)} fresh attempts" if clear else ""


def rule(evidence: GateEvidence, decision: Decision, scores: Scores | None = None, *, ahead: bool = False) -> Ruling:
    """The ruling: after an accept the next comparison asks for attempts of its own.

    `ahead`: fresh attempts were better than those under the skill before.
    """
    looks, accepted = evidence.memory, decision.action in ACCEPTED
    looks = replace(looks, fresh=looks.fresh + accepted, dry=looks.dry + (not accepted or not ahead))
    return Ruling(decision=decision, package=evidence.candidate.package, memory=looks, scores=scores)


def judging_event(
    evidence: GateEvidence, how: Literal["race", "screen"], *, edits: int | None = None, passes: int = 1, attempt: int
) -> Judging:
    """The event that says which gate a candidate meets."""
    candidate = evidence.candidate
    return Judging(
        step=candidate.step,
        change=candidate.change,
        how=how,
        edits=len(candidate.edits) if edits is None else edits,
        cases=len(evidence.val),
        passes=passes,
        dry=evidence.memory.dry,
        attempt=attempt,
    )


def in_errors(differences: Iterable[float]) -> float:
    """A mean difference in its standard errors; one case either way is added, so that few prove nothing."""
    values = tuple(differences)
    count = len(values) + 2
    mean = sum(values) / count
    spread = (sum(one * one for one in values) + 2 - count * mean * mean) / (count - 1)
    return mean / sqrt(spread / count)


def shuffle_cases(cases: tuple[Case, ...], spec: Spec, candidate: SkillCandidate) -> tuple[Case, ...]:
    """The val cases in an order of each candidate's own: the first ones shall not decide about all of them."""
    seed = spec.seed_for(f"stages {candidate.step} {candidate.change}")
    return tuple(Random(seed).sample(cases, len(cases)))  # noqa: S311 - no secret
