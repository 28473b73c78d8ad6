"""The classic gate: better on the whole val split, or not; and no gate at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.training.gates.gate import MeasureAll
from metier.training.scores import HARD, Metric, worst_loss
from metier.types.trials import Decision

if TYPE_CHECKING:
    from metier.training.gates.gate import GateEvidence
    from metier.training.scores import Scores
    from metier.training.spec import Spec
    from metier.types.trials import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictGate:
    """All val cases once for every candidate, against the scores that the current skill was chosen for."""

    metric: Metric = HARD
    max_loss: float | None = None
    """No case may lose more; None: only the mean counts."""

    @classmethod
    def from_spec(cls, spec: Spec) -> StrictGate:
        """The gate with a training's settings."""
        return cls(metric=Metric.of_settings(spec.gating), max_loss=spec.gating.max_loss)

    def decide(self, evidence: GateEvidence) -> Decision | MeasureAll:
        """Accept what beats the current skill; what beats the best one too is the new best; reject ties."""
        if evidence.unchanged:
            return Decision(action="reject", reason="nothing was changed")
        scores = evidence.scores_of(evidence.candidate.package)
        if scores is None:
            return MeasureAll(skill=evidence.candidate.package)
        return self.compare(scores, evidence.current_scores, evidence.best_scores)

    def compare(self, candidate: Scores, current: Scores, best: Scores) -> Decision:
        """The decision by three skills' scores."""
        after, before = self.metric.both(candidate, current)
        deltas = self.metric.deltas(candidate, current)
        if not deltas:
            return Decision(action="uninformative", reason="no case was scored under both skills")
        action: Action = "reject"
        if after > before:
            action = "accept_new_best" if self.metric.beats(candidate, best) else "accept"
        reason = f"{after:.4f} against {before:.4f} on {len(deltas)} cases"
        if action != "reject" and (lost := worst_loss(deltas, self.max_loss)):
            return Decision(action="reject", reason=f"{lost}; {reason}", deltas=deltas)
        return Decision(action=action, reason=reason, deltas=deltas)


@dataclass(frozen=True, slots=True, kw_only=True)
class OffGate:
    """No gate: everything is accepted, and measured all the same."""

    metric: Metric = HARD

    @classmethod
    def from_spec(cls, spec: Spec) -> OffGate:
        """The gate with a training's settings."""
        return cls(metric=Metric.of_settings(spec.gating))

    def decide(self, evidence: GateEvidence) -> Decision | MeasureAll:
        """Accept."""
        answer = StrictGate(metric=self.metric).decide(evidence)
        if isinstance(answer, MeasureAll):
            return answer
        if evidence.unchanged:
            return replace(answer, action="force_accept")
        return replace(answer, action="force_accept", reason=f"the gate is off; {answer.reason}")
