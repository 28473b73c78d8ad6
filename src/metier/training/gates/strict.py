"""The gate: whether a candidate takes the place of the current skill, by the val cases both were scored on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from metier.errors import UsageError
from metier.types.trials import Decision, Score, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from metier.training.spec import Spec
    from metier.types.trials import Action

ROUNDING = 1e-9
"""A loss that is larger than allowed by less than this is not larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """A skill's scores on a split, in the order of its cases."""

    cases: tuple[tuple[str, Score], ...]
    _scored: dict[str, Scored] = field(default_factory=dict[str, "Scored"], init=False, repr=False, compare=False)

    def scored(self) -> Mapping[str, Scored]:
        """The cases that have a score."""
        if not self._scored:
            self._scored.update((case, score) for case, score in self.cases if isinstance(score, Scored))
        return self._scored

    def mean(self) -> Scored:
        """The mean scores of the scored cases; 0 when there are none."""
        return mean(self.scored().values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """How a hard and a soft score become one number."""

    metric: str = "hard"
    weight: float = 0.5

    def of(self, score: Scored) -> float:
        """The number that is compared."""
        match self.metric:
            case "hard":
                return score.hard
            case "soft":
                return score.soft
            case "mixed":
                weight = max(0.0, min(1.0, self.weight))
                return (1.0 - weight) * score.hard + weight * score.soft
            case _:
                raise UsageError(f"There is no metric {self.metric!r}; choose hard, soft or mixed.")

    def both(self, one: Scores, other: Scores) -> tuple[float, float]:
        """Two skills' numbers on the cases scored under both: what has no score under one counts for neither."""
        first, second = one.scored(), other.scored()
        shared = [case for case in first if case in second]
        return self.of(mean(first[case] for case in shared)), self.of(mean(second[case] for case in shared))

    def beats(self, one: Scores, other: Scores) -> bool:
        """Whether the first is better, not merely as good."""
        first, second = self.both(one, other)
        return first > second

    def deltas(self, candidate: Scores, current: Scores) -> tuple[tuple[str, float], ...]:
        """What each case gained that has a score under both."""
        after, before = candidate.scored(), current.scored()
        return tuple((case, self.of(score) - self.of(before[case])) for case, score in after.items() if case in before)


class Gate(Protocol):
    """Decides about a candidate from the scores of three skills on the same cases."""

    @property
    def measure(self) -> Measure:
        """The number it goes by."""
        ...

    def decide(self, candidate: Scores, current: Scores, best: Scores) -> Decision:
        """The decision, with its reason and what each case gained or lost against the current skill."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Strict:
    """The classic gate: better than the current skill on the whole val split, and ties are rejected."""

    measure: Measure = Measure()
    max_loss: float | None = None
    """No case may lose more; None: only the mean counts."""

    def decide(self, candidate: Scores, current: Scores, best: Scores) -> Decision:
        """Accept what beats the current skill; what beats the best one too is the new best."""
        after, before = self.measure.both(candidate, current)
        deltas = self.measure.deltas(candidate, current)
        if not deltas:
            return Decision(action="uninformative", reason="no case was scored under both skills")
        action = strict(after > before, self.measure.beats(candidate, best))
        reason = f"{after:.4f} against {before:.4f} on {len(deltas)} cases"
        worst = min(deltas, key=lambda pair: pair[1])
        if action != "reject" and self.max_loss is not None and -worst[1] > self.max_loss + ROUNDING:
            action = "reject"
            reason = f"case {worst[0]} loses {-worst[1]:.4f}, more than {self.max_loss:g}; {reason}"
        return Decision(action=action, reason=reason, deltas=deltas)


@dataclass(frozen=True, slots=True, kw_only=True)
class Off:
    """No gate: everything is accepted, and measured all the same."""

    measure: Measure = Measure()

    def decide(self, candidate: Scores, current: Scores, best: Scores) -> Decision:  # noqa: ARG002
        """Accept."""
        judged = Strict(measure=self.measure).decide(candidate, current, current)
        return Decision(action="force_accept", reason=f"the gate is off; {judged.reason}", deltas=judged.deltas)


def strict(beats_current: bool, beats_best: bool) -> Action:  # noqa: FBT001
    """The classic decision."""
    if not beats_current:
        return "reject"
    return "accept_new_best" if beats_best else "accept"


def gate_of(spec: Spec) -> Gate:
    """The gate that the settings ask for."""
    measure = Measure(metric=spec.gating.metric, weight=spec.gating.soft_weight)
    return Off(measure=measure) if spec.gating.gate == "off" else Strict(measure=measure, max_loss=spec.gating.max_loss)


def mean(scores: Iterable[Scored]) -> Scored:
    """The plain means, added up in order; 0 for nothing."""
    all_of_them = tuple(scores)
    count = len(all_of_them) or 1
    return Scored(
        hard=sum(score.hard for score in all_of_them) / count, soft=sum(score.soft for score in all_of_them) / count
    )
