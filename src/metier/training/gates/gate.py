"""The seam of all gates: a gate looks at evidence and decides, or says what must be measured first.

A gate is a function of values: it rolls nothing out and keeps nothing. The run measures what a gate asks for and asks
it again with the new scores, until it decides. The simplest gate of all:

    class Better:
        def decide(self, evidence: GateEvidence) -> Decision | Measure:
            scores = evidence.scores_of(evidence.candidate.package)
            if scores is None:
                return MeasureAll(skill=evidence.candidate.package)
            gain = scores.mean().hard - evidence.current_scores.mean().hard
            return Decision(action="accept" if gain > 0 else "reject", reason=f"{gain:+.2f}")
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from metier.training.scores import UNKNOWN
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.skills.package import Package
    from metier.training.events import Event
    from metier.training.result import Effect
    from metier.training.scores import Scores
    from metier.training.state import GateMemory, SkillCandidate
    from metier.types.trials import Case, Score

Trial = tuple["Case", "Package", int]
"""A case, the skill to try it under, and the number of the attempt."""
Row = tuple[Trial, ...]
"""Trials that are compared with each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateEvidence:
    """What is known when a gate is asked about a candidate."""

    candidate: SkillCandidate
    val: tuple[Case, ...]
    """The cases to judge by."""
    current: Package
    current_scores: Scores = UNKNOWN
    """On the val cases; unknown until something was measured."""
    best: Package
    best_scores: Scores = UNKNOWN
    gated: bool = True
    """Whether the current scores are those of the very bytes that are current."""
    memory: GateMemory
    """What gates left for the next candidate."""
    last: bool = False
    """Whether no step follows: nothing can wait any longer."""
    wholes: Mapping[tuple[str, int], Scores] = field(default_factory=dict[tuple[str, int], "Scores"])
    """What `MeasureAll` brought for this candidate, by skill and attempt."""
    trials: Mapping[tuple[str, str, int], Score] = field(default_factory=dict[tuple[str, str, int], "Score"])
    """What `MeasureRows` brought for this candidate, by case, skill and attempt."""
    plan: object = None
    """The plan that came with what the gate asked for last."""

    @property
    def settled(self) -> bool:
        """Whether the initial skill's scores are known, which the first candidate is compared with."""
        return self.current_scores is not UNKNOWN

    @property
    def unchanged(self) -> bool:
        """Whether the candidate is the current skill, byte for byte."""
        return self.candidate.package.hash() == self.current.hash()

    @property
    def current_is_best(self) -> bool:
        """Whether the current skill's scores are the best skill's: who beats the one beats the other."""
        return self.current_scores is self.best_scores

    def scores_of(self, skill: Package, sample: int = 0) -> Scores | None:
        """What `MeasureAll` brought; None: it was not asked for yet."""
        return self.wholes.get((skill.hash(), sample))

    def score(self, trial: Trial) -> Score | None:
        """What one trial of `MeasureRows` brought."""
        case, skill, sample = trial
        return self.trials.get((case.id, skill.hash(), sample))

    def has_measured(self, rows: tuple[Row, ...]) -> bool:
        """Whether all of these trials were measured."""
        return all(self.score(trial) is not None for row in rows for trial in row)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureAll:
    """Asks for a skill's scores on all val cases."""

    skill: Package
    sample: int = 0
    """The number of the attempt; 0 is what skills are reported by."""
    events: tuple[Event, ...] = ()
    """What is said before that."""
    plan: object = None
    """Anything the gate wants back with the scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRows:
    """Asks for single trials."""

    rows: tuple[Row, ...]
    ahead: tuple[Row, ...] = ()
    """What it will probably ask for next: the run may begin it already."""
    done: int = 0
    """Rows before these that belong to them, for the progress that people see."""
    total: int = 0
    events: tuple[Event, ...] = ()
    plan: object = None


Measure = MeasureAll | MeasureRows
INITIAL_SCORES = MeasureRows(rows=())
"""Asks for nothing but the initial skill's scores, which the run measures before anything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A decision with what follows from it; a gate that has nothing to add gives the decision alone."""

    decision: Decision
    package: Package
    """What was judged: the candidate, or what a screening chose of its edits."""
    memory: GateMemory
    """What the gate leaves for the next candidate."""
    scores: Scores | None = None
    """On all val cases; needed for what is accepted."""
    effects: tuple[Effect, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Postponed:
    """Nothing is decided yet: the candidate's edits wait for those of the next step."""

    reason: str
    memory: GateMemory
    waits: bool
    """Whether the candidate brought an edit that waits now."""


Answer = Decision | Ruling | Postponed | Measure


class Gate(Protocol):
    """Decides whether a candidate takes the place of the current skill."""

    def decide(self, evidence: GateEvidence) -> Answer:
        """A decision with its reason, or what must be measured first."""
        ...
