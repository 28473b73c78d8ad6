"""What a run is given, plans and has reached, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.training.gates.effects import NOTHING_KNOWN
from metier.training.scores import UNKNOWN, Scores

if TYPE_CHECKING:
    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.training.cases.batches import Batch
    from metier.training.cases.splits import Splits
    from metier.training.events import Change
    from metier.training.gates.effects import EffectEstimate
    from metier.training.gates.gate import Gate
    from metier.training.proposing.memory import Memory
    from metier.training.proposing.proposals import ProposedChange
    from metier.training.result import EpochRecord, StepRecord
    from metier.training.rollouts.pool import Pool
    from metier.training.rollouts.rollout import Roller
    from metier.training.spec import Spec
    from metier.types.trials import Action

ACCEPTED: tuple[Action, ...] = ("accept_new_best", "accept", "force_accept")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPlan:
    """A step before it is taken: known for the whole run in advance."""

    step: int
    epoch: int
    batch: Batch
    samples: tuple[int, ...]
    """The sample numbers of its rollouts: another epoch asks for other attempts."""
    last: bool
    """Whether its epoch ends with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillCandidate:
    """What may become the current skill."""

    change: Change
    package: Package
    step: int
    edits: tuple[ProposedChange, ...] = ()
    """What it is made of, where each of them could be made alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingEdit:
    """An edit about which nothing is decided yet, and what screenings said of it."""

    edit: ProposedChange
    known: EffectEstimate = NOTHING_KNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class GateMemory:
    """How far the gates have looked at the val cases."""

    fresh: int = 1
    """The first attempt at a val case that nothing was chosen by; attempt 0 is what scores are reported by."""
    known: int = 0
    """The attempt at the val cases that the current scores are of."""
    repeats: bool = False
    """Whether other attempts at the same cases came out all the same: then another measurement says nothing new."""
    slow: int = 0
    """Candidates in a row that the quick gate did not take."""
    dry: int = 0
    """Candidates that were no better than the current skill on fresh attempts."""
    waiting: tuple[WaitingEdit, ...] = ()
    """Edits that wait to be screened with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """What a run has reached; each change makes a new one."""

    current: Package
    best: Package
    memory: Memory
    current_scores: Scores = UNKNOWN
    best_scores: Scores = UNKNOWN
    best_step: int = 0
    gated: bool = True
    """Whether the current scores are those of the very bytes that are current."""
    gate_memory: GateMemory = GateMemory()
    strategy: str = ""
    """The optimiser's notes to itself."""
    steps: tuple[StepRecord, ...] = ()
    epochs: tuple[EpochRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """What a run works with."""

    splits: Splits
    spec: Spec
    roller: Roller
    optimiser: Model
    pool: Pool
    gate: Gate
