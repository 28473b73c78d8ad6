"""A skill's scores on a split, and how two skills compare by them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.errors import UsageError
from metier.training.events import Measured
from metier.types.trials import Score, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.skills.package import Package
    from metier.training.events import Arm
    from metier.training.spec import GateSettings
    from metier.types.trials import Split

Deltas = tuple[tuple[str, float], ...]
"""What each case gained, by its id."""
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


UNKNOWN = Scores(cases=())
"""Of a skill that was not measured yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """How a hard and a soft score become one number."""

    metric: str = "hard"
    weight: float = 0.5

    @classmethod
    def of_settings(cls, gating: GateSettings) -> Metric:
        """The number that the settings ask for."""
        return cls(metric=gating.metric, weight=gating.soft_weight)

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

    def deltas(self, candidate: Scores, current: Scores) -> Deltas:
        """What each case gained that has a score under both."""
        after, before = candidate.scored(), current.scored()
        return tuple((case, self.of(score) - self.of(before[case])) for case, score in after.items() if case in before)

    def gain(self, before: Score | None, after: Score | None) -> tuple[float, ...]:
        """What a case gained, as one number; none if it has no score under one of the two."""
        if not isinstance(before, Scored) or not isinstance(after, Scored):
            return ()
        return (self.of(after) - self.of(before),)


HARD = Metric()
"""The hard score alone."""


def mean(scores: Iterable[Scored]) -> Scored:
    """The plain means, added up in order; 0 for nothing."""
    all_of_them = tuple(scores)
    count = len(all_of_them) or 1
    return Scored(
        hard=sum(score.hard for score in all_of_them) / count, soft=sum(score.soft for score in all_of_them) / count
    )


def worst_loss(deltas: Sequence[tuple[str, float]], max_loss: float | None) -> str:
    """Which case lost more than it may, empty if none did."""
    if max_loss is None or not deltas:
        return ""
    case, worst = min(deltas, key=lambda one: one[1])
    return f"case {case} loses {-worst:.4f}, more than {max_loss:g}" if -worst > max_loss + ROUNDING else ""


def measured_event(arm: Arm, split: Split, skill: Package | None, scores: Scores) -> Measured:
    """The event that says how a skill did on a split."""
    mean, count = scores.mean(), len(scores.scored())
    return Measured(
        arm=arm,
        split=split,
        skill_hash="" if skill is None else skill.hash(),
        hard=mean.hard,
        soft=mean.soft,
        scored=count,
        unscored=len(scores.cases) - count,
    )
