"""The nouns of scored work: a case, an attempt at it, how good it was, what a gate made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from metier.types.runs import Tokens

NO_TOKENS = Tokens()
Split = Literal["train", "val", "test"]
EXACT = '{"kind":"exact"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A task whose result can be scored."""

    id: str
    input: str
    expected: str = ""
    scorer: str = EXACT
    """Canonical JSON text of `{"kind": ..., ...}`: how an attempt is scored."""
    split: Split | None = None
    """None: nobody said yet on which side it stands."""
    tags: tuple[str, ...] = ()
    origin: str = "given"
    """Where it comes from; what was made from a recorded run begins with `run`."""
    files: tuple[tuple[str, str], ...] = ()
    """Files the task begins with: path and text."""

    @property
    def is_from_run(self) -> bool:
        """Whether it holds text of a session."""
        return self.origin.startswith("run")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """How good an attempt was, each from 0 to 1."""

    hard: float
    """Whether it counts as done."""
    soft: float
    """How near it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unscored:
    """An attempt that says nothing about the skill, and why: never a score of 0."""

    reason: str


Score = Scored | Unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """One attempt at a case under one skill."""

    case: str
    """The case's id."""
    skill_hash: str
    """Empty: without a skill."""
    target: str
    """The identity of what made the attempt."""
    score: Score
    sample: int = 0
    output: str = ""
    trace: str = ""
    """What happened on the way, as text."""
    tokens: Tokens = NO_TOKENS
    cost_usd: float | None = None
    seconds: float = 0.0


Action = Literal["accept_new_best", "accept", "reject", "force_accept", "uninformative"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A gate's answer, with its reason."""

    action: Action
    reason: str
    deltas: tuple[tuple[str, float], ...] = ()
    asks: bool = False
    """Whether a person has to be asked, also about a draft that one has approved: it says what they could not see."""
