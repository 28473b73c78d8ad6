"""What a training will take at most, said before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.training.cases.batches import steps_in
from metier.training.gates.effects import least_passes

if TYPE_CHECKING:
    from metier.training.cases.splits import Splits
    from metier.training.spec import Spec

CHARS = 4
"""Characters that stand for a token, roughly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingEstimate:
    """Upper bounds where nothing fails, and a rough number of tokens."""

    steps: int
    rollouts: int
    ahead: int
    """Further rollouts that may be begun early and never needed."""
    calls: int
    """Of the model that proposes edits."""
    tokens: int
    """Read by the target: skill and case, in every rollout."""

    def line(self) -> str:
        """For people."""
        early = f" (plus up to {self.ahead:,} started early)" if self.ahead else ""
        return (
            f"at most {self.rollouts:,} rollouts{early} and about {self.calls:,} optimiser calls "
            f"in {self.steps} steps; about {self.tokens:,} tokens for the target to read"
        )


def estimate(splits: Splits, spec: Spec, skill: str) -> TrainingEstimate:
    """The most a run of these settings takes."""
    per_epoch = steps_in(len(splits.train), spec)
    steps = per_epoch * spec.epochs
    compared = (spec.epochs - 1) * spec.epoch_end.compares
    tried = len(splits.train) * spec.samples * spec.epochs
    val = len(splits.val)
    whole = val if spec.gating.gate in ("strict", "off") else 3 * val  # both skills anew, and what is taken once more
    passes = max(spec.gating.screen_passes, least_passes(spec.gating.screen_edits, val))
    screening = (2 * passes + 1) * val  # every time with both halves of the edits, and what is taken
    screened = max(whole, screening) if spec.gating.gate in ("screen", "adaptive") else whole
    noted = steps * spec.reflection.skill_aware
    gated = val + steps * screened + whole * (compared * spec.epoch_end.slow + noted + spec.editing.one_shot_first)
    held_out = (len(splits.val) + len(splits.test)) * (2 * spec.baselines) + 2 * len(splits.test)
    looked = len(splits.train) if spec.epoch_end.pairs == "changed" else spec.epoch_end.slow_cases
    slow = compared * 2 * min(looked, len(splits.train))
    first = spec.editing.one_shot_first
    twice = min(spec.batch, len(splits.train)) * spec.samples * first  # the first batch, if it is taken
    rollouts = tried + twice + gated + held_out + slow + 2 * len(splits.confirm)
    once = compared * (spec.epoch_end.slow + spec.epoch_end.meta) + (spec.baselines or first)
    calls = steps * _calls_of_a_step(len(splits.train), spec) + once
    cases = (*splits.train, *splits.val, *splits.test, *splits.confirm)
    length = sum(len(case.input) for case in cases) / max(1, len(cases)) + len(skill)
    ahead = tried if spec.ahead else 0
    return TrainingEstimate(
        steps=steps, rollouts=rollouts, ahead=ahead, calls=calls, tokens=round(rollouts * length / CHARS)
    )


def _calls_of_a_step(train: int, spec: Spec) -> int:
    """Analysts of failures and of successes, merging, and one call each for what the settings ask for."""
    analysts = -(-min(spec.batch, train) // spec.reflection.minibatch) + 1
    sides = ((n, analysts - n) for n in range(analysts + 1))
    merging = max(sum(_merges(n, spec.editing.merge_group) for n in both) for both in sides) + 1
    autonomous, rewriting = spec.editing.schedule == "autonomous", spec.editing.update == "rewrite"
    consolidating = spec.reflection.skill_aware and spec.reflection.consolidate_above > 0
    return analysts + merging + 1 + autonomous + rewriting + consolidating


def _merges(patches: int, size: int) -> int:
    """Calls that make one patch of so many, level by level."""
    if patches < 2:
        return 0
    groups = -(-patches // size)
    return groups + _merges(groups, size)
