"""What a training run leaves: the best skill, every step with its reasons, the baselines, the cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from metier.training.rollouts.usage import StageUsage

if TYPE_CHECKING:
    from metier.skills.editing.reports import EditReport
    from metier.skills.package import Package
    from metier.statistics.intervals import Interval
    from metier.training.events import Arm, Change
    from metier.training.proposing.memory import RejectedEdit
    from metier.training.proposing.proposals import ProposedChange
    from metier.training.scores import Scores
    from metier.training.spec import Update
    from metier.types.trials import Decision, Split

NO_USAGE = StageUsage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one edit was worth among the others it was screened with."""

    edit: ProposedChange
    seen: float
    """The plain estimate, to which the interval belongs."""
    shrunk: float
    """The estimate drawn towards zero by as much as the others say that luck makes: the figure to quote."""
    interval: Interval
    z: float
    """The estimate in standard errors."""
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedChange:
    """A candidate, and what the gate made of it."""

    change: Change
    skill_hash: str
    decision: Decision
    scores: Scores | None
    """On the val cases; None where the candidate is the current skill, or was dropped before all were scored."""
    effects: tuple[Effect, ...] = ()
    """What each edit was worth, where they were screened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnjudgedChange:
    """There was nothing to judge, and why."""

    change: Change
    reason: str
    waits: bool = False
    """Whether it brought something that will be judged later, together with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """One step from its batch to its decision."""

    step: int
    """0: the one-shot rewrite, judged before the first."""
    epoch: int
    cases: tuple[str, ...]
    failed: int
    passed: int
    unscored: int
    budget: int | None = None
    edits: tuple[ProposedChange, ...] = ()
    """The proposals that were taken up."""
    reports: tuple[EditReport, ...] = ()
    """What became of each, where they are edits."""
    outcome: JudgedChange | UnjudgedChange
    notes: tuple[str, ...] = ()
    """Reminders this step brought."""
    noted: JudgedChange | UnjudgedChange | None = None
    """What became of the reminders."""
    proposer: Update = "patch"
    """In which way the change was proposed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochRecord:
    """How an epoch ended."""

    epoch: int
    compared: tuple[tuple[str, int], ...] = ()
    guidance: str = ""
    outcome: JudgedChange | UnjudgedChange | None = None
    strategy: str = ""
    """The optimiser's notes to itself afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A skill's scores on a split, or why there are none."""

    arm: Arm
    split: Split
    scores: Scores | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineWorth:
    """What one added line of the best skill brought, as far as it is known."""

    line: str
    step: int = 0
    """That brought it; 0: the one-shot rewrite, or nobody knows."""
    op: str = ""
    """Empty: no edit holds it, so it came of a rewrite."""
    how: Literal["screened", "together", "unknown"] = "unknown"
    """Measured among other edits; as one of several edits that were judged together."""
    effect: float | None = None
    interval: Interval | None = None
    others: int = 0
    """Edits that share the effect, where it is of several together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """The result of a run; the same seed, cases and replies give an equal one."""

    best: Package
    best_step: int
    """0: the skill the run began with, or its one-shot rewrite."""
    current: Package
    """What the last step left, which may be no better than the best."""
    steps: tuple[StepRecord, ...]
    epochs: tuple[EpochRecord, ...]
    baselines: tuple[Baseline, ...]
    """No skill, the initial skill, a one-shot rewrite and the best, on val and on test."""
    rejected: tuple[RejectedEdit, ...]
    """For the next run of the same skill."""
    usage: tuple[tuple[str, StageUsage], ...]
    """Of each stage."""
    attribution: tuple[LineWorth, ...] = ()
    """What each line brought that the best skill has more than the one the run began with."""
    stopped: str = ""
    """Why it ended before its end; empty if it did not."""
    spare: StageUsage = field(default=NO_USAGE, compare=False)
    """What was rolled out ahead and never needed; depends on timing, so it is no part of the result proper."""

    def baseline(self, arm: Arm, split: Split) -> Baseline | None:
        """One of the baselines."""
        return next((one for one in self.baselines if one.arm == arm and one.split == split), None)
