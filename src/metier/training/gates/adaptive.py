"""The default gate: whole bundles while accepts come easily, screenings when they dry up, thorough ones after that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.training.gates.gate import INITIAL_SCORES, MeasureAll, MeasureRows, Ruling
from metier.training.gates.screen import ScreenGate, usable_edits
from metier.training.gates.staged import blocks_of, in_errors, judging_event, next_block, why_behind
from metier.training.scores import Metric, Scores
from metier.training.state import ACCEPTED, WaitingEdit
from metier.types.trials import Decision

if TYPE_CHECKING:
    from metier.training.gates.gate import GateEvidence, Measure, Postponed
    from metier.training.scores import Deltas
    from metier.training.spec import Spec
    from metier.training.state import GateMemory
    from metier.types.trials import Action, Score

CASES_AN_EDIT = 4
"""With fewer val cases for each edit of a screening, no edit could stand out."""
LEAD, WIDE = 0.7, 1.7
"""Standard errors that a candidate must be ahead to be taken, and to be taken without another measurement."""


@dataclass(frozen=True, slots=True)
class AdaptiveGate:
    """Chooses between a quick look at a bundle of edits and a screening of many, from what it has seen.

    Bundles come first: edits that only work together have no effects that add up. What is not taken, and an edit that
    comes alone, waits for a screening, which goes over the val cases once, and once more for each candidate so far that
    brought nothing. Where val cases are too few for screenings, bundles are all there is.
    """

    spec: Spec

    @classmethod
    def from_spec(cls, spec: Spec) -> AdaptiveGate:
        """The gate with a training's settings."""
        return cls(spec)

    def decide(self, evidence: GateEvidence) -> Ruling | Postponed | Measure:
        """The quick gate until too many in a row fail it, then screenings with as much effort as is asked for."""
        spec, looks, cases = self.spec, evidence.memory, len(evidence.val)
        edits = evidence.candidate.edits
        alone = len(edits) == 1 and can_screen(spec, cases)
        if edits and not alone and is_bundled(spec, looks, cases):
            return self._bundle(evidence)
        passes = 1 if looks.repeats else min(1 + looks.dry, spec.gating.screen_passes)
        return ScreenGate(spec, passes).decide(evidence)

    def _bundle(self, evidence: GateEvidence) -> Ruling | Measure:
        """Judge the edits of a candidate together; what is not taken waits."""
        ruling = QuickGate(self.spec).decide(evidence)
        if not isinstance(ruling, Ruling):
            return ruling
        accepted, looks = ruling.decision.action in ACCEPTED, ruling.memory
        if can_screen(self.spec, len(evidence.val)):
            edits = () if accepted else tuple(WaitingEdit(edit=edit) for edit in evidence.candidate.edits)
            skill = ruling.package if accepted else evidence.current
            strict = self.spec.editing.strict_edits
            looks = replace(looks, waiting=usable_edits(skill, (*evidence.memory.waiting, *edits), strict=strict))
        return replace(ruling, memory=replace(looks, slow=0 if accepted else looks.slow + 1))


@dataclass(frozen=True, slots=True)
class QuickGate:
    """A candidate against attempts that the current skill has made already; only a clear lead is taken.

    It costs half of a race, and less than the classic gate where a candidate is behind from the start. What is taken
    without a wide lead is measured again, as the attempts that chose it flatter it.
    """

    spec: Spec

    def decide(self, evidence: GateEvidence) -> Ruling | Measure:
        """Compare block by block, and take what leads."""
        if not evidence.settled:
            return INITIAL_SCORES
        if evidence.unchanged:
            return self._rule(evidence, Decision(action="reject", reason="nothing was changed"))
        found = self._race(evidence)
        if isinstance(found, MeasureRows):
            return found
        scores, deltas, lost = found
        level = in_errors(delta for _, delta in deltas)
        if not lost and level < LEAD:
            lost = f"{level:+.1f} standard errors on {len(deltas)} cases: no clear lead"
        if lost:
            action: Action = "reject" if deltas else "uninformative"
            return self._rule(evidence, Decision(action=action, reason=lost, deltas=deltas))
        if level < WIDE and not evidence.memory.repeats:
            return self._measure_again(evidence, scores, deltas)
        return self._accept(evidence, scores, deltas)

    def _race(self, evidence: GateEvidence) -> MeasureRows | tuple[Scores, Deltas, str]:
        """Scores and differences as far as they were looked at, and why the candidate is out."""
        known, metric = evidence.current_scores.scored(), Metric.of_settings(self.spec.gating)
        sample = evidence.memory.known
        blocks = blocks_of(evidence, self.spec, (evidence.candidate.package,), sample)
        deltas: list[tuple[str, float]] = []
        found: dict[str, Score] = {}
        for number, rows in enumerate(blocks):
            if not evidence.has_measured(rows):
                event = replace(judging_event(evidence, "race", attempt=sample), known=True)
                return next_block(blocks, number, (event,), len(evidence.val))
            for ((case, skill, _),) in rows:
                score = evidence.trials[case.id, skill.hash(), sample]
                found[case.id] = score
                deltas += [(case.id, gain) for gain in metric.gain(known.get(case.id), score)]
            if lost := why_behind(deltas, self.spec.gating, last=number + 1 == len(blocks)):
                return Scores(cases=()), tuple(deltas), lost
        scores = Scores(cases=tuple((case.id, found[case.id]) for case in evidence.val))
        return scores, tuple(deltas), "" if deltas else "no case was scored under both skills"

    def _measure_again(self, evidence: GateEvidence, seen: Scores, deltas: Deltas) -> Ruling | MeasureAll:
        """What leads by little meets fresh attempts, and is reported by these."""
        skill, fresh = evidence.candidate.package, evidence.memory.fresh
        scores = evidence.scores_of(skill, fresh)
        if scores is None:
            return MeasureAll(skill=skill, sample=fresh)
        repeats = len(scores.cases) >= self.spec.gating.block and scores.cases == seen.cases
        evidence = replace(evidence, memory=replace(evidence.memory, repeats=repeats))
        more = Metric.of_settings(self.spec.gating).deltas(scores, evidence.current_scores)
        again = in_errors([delta for _, delta in (*deltas, *more)])
        if again < 0:
            level = in_errors(delta for _, delta in deltas)
            reason = f"{level:+.1f} standard errors; but {again:+.1f} with fresh attempts"
            return self._rule(evidence, Decision(action="reject", reason=reason, deltas=deltas), scores)
        evidence = replace(evidence, memory=replace(evidence.memory, known=fresh))
        return self._accept(evidence, scores, deltas)

    def _accept(self, evidence: GateEvidence, scores: Scores, deltas: Deltas) -> Ruling:
        """What beats the current skill is the best one if that was the best, or if it beats the best too."""
        metric = Metric.of_settings(self.spec.gating)
        best = evidence.current_is_best or metric.beats(scores, evidence.best_scores)
        reason = f"{in_errors(delta for _, delta in deltas):+.1f} standard errors on {len(deltas)} cases"
        action: Action = "accept_new_best" if best else "accept"
        return self._rule(evidence, Decision(action=action, reason=reason, deltas=deltas), scores)

    def _rule(self, evidence: GateEvidence, decision: Decision, scores: Scores | None = None) -> Ruling:
        """After an accept the next comparison asks for fresh attempts."""
        looks = replace(evidence.memory, fresh=evidence.memory.fresh + (decision.action in ACCEPTED))
        return Ruling(decision=decision, package=evidence.candidate.package, memory=looks, scores=scores)


def is_bundled(spec: Spec, looks: GateMemory, cases: int) -> bool:
    """Whether the edits of a step are judged together; if not, each has its own effect in a screening."""
    match spec.gating.gate:
        case "screen":
            return False
        case "adaptive" if spec.gating.quick:
            return looks.slow < spec.gating.quick or not can_screen(spec, cases)
        case "adaptive":
            return False
        case _:
            return True


def can_screen(spec: Spec, cases: int) -> bool:
    """Whether there are cases enough to tell edits apart."""
    return cases >= CASES_AN_EDIT * spec.gating.screen_edits
