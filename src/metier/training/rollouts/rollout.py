"""From a case and a skill to a scored rollout: tried, tried again after failures of the world, scored."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from metier.formats.strict_json import clean
from metier.models.memo_keys import compact
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import Case, Rollout, Score, Scored, Unscored

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.skills.package import Package
    from metier.training.targets.target import Target

VERSION = 1
"""Of scoring: a change of what scorers mean makes kept rollouts those of another world."""
PAUSE = 1.0
"""Seconds before the second try; doubled for each after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSpent:
    """The budget is used up; whoever asked stops cleanly with what there is."""

    reason: str
    made: bool = False
    """Whether the attempt itself was made, and only its score could not be paid for."""


class Halt(Exception):  # noqa: N818 - no error: the run ends with the best so far
    """Nothing more may be spent: the run ends here. Raised where that is found out, caught where the run is driven."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Roller(Protocol):
    """Makes rollouts; safe for many threads."""

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        """One rollout, or that nothing more may be spent."""
        ...


class Scorer(Protocol):
    """Says how good an attempt is."""

    def identity(self, case: Case) -> str:
        """What determines the score beside case and attempt, such as the model that judges; mostly nothing."""
        ...

    def score(self, case: Case, attempt: Attempt) -> Score | BudgetSpent:
        """A score, or why there is none; never an exception."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringRoller:
    """A roller that runs the target, tries again what may work the next time, and scores the attempt."""

    target: Target
    scorers: Scorer
    tries: int = 3
    sleep: Callable[[float], object] = time.sleep
    redact: Callable[[str], str] | None = None
    """What makes text safe to keep; an attempt is scored as it is, and kept as this leaves it."""

    def key(self, case: Case, skill: Package | None, sample: int) -> str:
        """What a rollout is kept under: the hash of all that determines it, target and judge included."""
        judge = self.scorers.identity(case)
        identity = f"{self.target.identity} | {judge}" if judge else self.target.identity
        return rollout_key(case, hash_of(skill), identity, sample)

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        """The rollout; after the last failed try it is unscored, with the last reason."""
        attempt = self._tried(case, skill, sample)
        if isinstance(attempt, Broken) and attempt.spent:
            return BudgetSpent(reason=attempt.reason)
        score = self._scored(case, attempt)
        if isinstance(score, BudgetSpent):
            return replace(score, made=True)
        made = attempt if isinstance(attempt, Attempt) else Attempt(output="")
        return Rollout(
            case=case.id,
            skill_hash=hash_of(skill),
            target=self.target.identity,
            score=score,
            sample=sample,
            output=self._kept(made.output),
            trace=self._kept(made.trace),
            tokens=made.tokens,
            cost_usd=made.cost_usd,
            seconds=made.seconds,
        )

    def _tried(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        result = self._once(case, skill, sample)
        for number in range(1, self.tries):
            if isinstance(result, Attempt) or not result.again or result.spent:
                break
            self.sleep(PAUSE * 2 ** (number - 1))
            result = self._once(case, skill, sample)
        return result

    def _once(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        try:
            result = self.target.run(case, skill, sample)
        except Exception as error:  # noqa: BLE001 - a target is somebody else's code
            return Broken(reason=f"the target raised {type(error).__name__}: {str(error)[:300]}", again=False)
        if isinstance(result, Broken):
            return result
        output, trace = clean(result.output), clean(result.trace)
        same = output == result.output and trace == result.trace
        return result if same else replace(result, output=output, trace=trace)

    def _kept(self, text: str) -> str:
        try:
            return self.redact(text) if self.redact else text
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the text must not be kept
            return f"(left out: the redactor failed with {type(error).__name__})"

    def _scored(self, case: Case, attempt: Attempt | Broken) -> Score | BudgetSpent:
        if isinstance(attempt, Broken):
            return Unscored(reason=self._kept(attempt.reason))
        return self.scorers.score(case, attempt)


def hash_of(skill: Package | None) -> str:
    """A skill's hash, empty for none."""
    return "" if skill is None else skill.hash()


def rollout_key(case: Case, skill_hash: str, target_identity: str, sample: int) -> str:
    """The hash of all that determines a rollout; on which side a case stands, and its tags, play no part."""
    about = [case.id, case.input, case.expected, case.scorer, case.files]
    parts = compact([VERSION, about, skill_hash, target_identity, sample])
    return "rollout:" + sha256(parts.encode()).hexdigest()


def is_scored(rollout: Rollout) -> bool:
    """Whether a rollout says something about its skill."""
    return isinstance(rollout.score, Scored)
