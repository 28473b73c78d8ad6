"""The words of selection: a task, the skills that come into question, what was chosen and every step on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from metier.selection.choosing.model_call import Interaction  # noqa: TC001 - choices are kept, and read back by their types
from metier.types.skills import SkillStatus  # noqa: TC001 - as above

LEGACY = "legacy"
"""The version of a skill that the store does not know."""
ActivationReason = Literal["llm_selected", "score", "pinned"]
StageName = Literal["candidates", "retrieve", "shortlist", "final", "score", "withhold", "memo"]
DecidedBy = Literal["rule", "model", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What an agent is about to do, and where."""

    text: str
    agent: str = ""
    path: str = ""
    """The file or folder it is about, relative to the workspace; empty: nobody knows."""
    workspace: str = ""
    day: str = ""
    """The date, as far as exploring depends on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectable:
    """A skill as selection sees it."""

    name: str
    description: str = ""
    body: str = ""
    """The document without its frontmatter."""
    version: str = LEGACY
    content_hash: str = ""
    status: SkillStatus = "active"
    shadowed: bool = False
    """Another skill of the same name comes before it."""
    agents: tuple[str, ...] = ()
    """Agents it is meant for; none: all. So it is with the two below."""
    paths: tuple[str, ...] = ()
    """Patterns such as `services/*/api` or `**/*.sql`."""
    workspaces: tuple[str, ...] = ()
    pinned: bool = False
    """Wanted in every run, whatever the task."""
    tool_hints: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Every file of the package but its document, relative to its folder."""
    folder: str = ""
    """Where an agent finds the files; empty: nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSkill:
    """A skill that was retrieved, with its score and what the score is made of."""

    skill: Selectable
    score: float
    """From 0, unrelated, to 1."""
    parts: tuple[tuple[str, float], ...] = ()

    def part(self, name: str) -> float | None:
        """One part of the score, if it is there."""
        return next((value for key, value in self.parts if key == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionSettings:
    """How selection works; numbers out of their range are brought into it."""

    top_k: int = 12
    max_detailed: int = 5
    """Skills whose bodies the model reads, and most that a score activates; at least 1."""
    body_limit: int = 6_000
    """Characters of a body the model reads; at least 1,000."""
    token_budget: int = 8_000
    """Estimated tokens of all that is handed to the agent."""
    one_call_below: int = 0
    """With fewer candidates than this the model reads all bodies at once; up to `max_detailed` it always does."""
    shortlist_timeout: float = 8.0
    final_timeout: float = 8.0
    max_tokens: int = 256
    thinking: bool | None = None
    """Handed to the model as it is; None: the model's own habit."""
    cold_factor: float = 0.8
    """What the score of a cold skill is multiplied with."""
    explore_rate: float = 0.0
    """How often a provisional skill among the retrieved ones gets a chance it has not earned yet."""

    def __post_init__(self) -> None:
        least = {"top_k": 1, "max_detailed": 1, "body_limit": 1_000, "token_budget": 0, "max_tokens": 1}
        for name, smallest in least.items():
            object.__setattr__(self, name, max(smallest, getattr(self, name)))
        for name in ("cold_factor", "explore_rate"):
            object.__setattr__(self, name, min(1.0, max(0.0, getattr(self, name))))


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedSkill:
    """A candidate with the probability that it is right for the task."""

    skill: Selectable
    score: float
    probability: float
    explored: bool = False
    """It is provisional, and this time it gets its chance."""
    parts: tuple[tuple[str, float], ...] = ()
    """What the score is made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSkill:
    """A skill to activate, and why."""

    skill: Selectable
    activation_reason: ActivationReason
    score: float = 0.0
    probability: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionStage:
    """One step of a selection: how many skills came in, which went on, who decided, and what is to be said about it."""

    stage: StageName
    by: DecidedBy
    considered: int
    kept: tuple[str, ...] = ()
    note: str = ""
    passed: int | None = None
    """How many went on, where they are too many to be named in `kept`."""

    def line(self) -> str:
        """The step in a line a person can read."""
        count = len(self.kept) if self.passed is None else self.passed
        kept = f" ({', '.join(self.kept)}{', …' if count > len(self.kept) else ''})" if self.kept else ""
        note = f"; {self.note}" if self.note else ""
        return f"{self.stage}: {count} of {self.considered} by {self.by}{kept}{note}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The skills chosen for a task, and how it came about."""

    chosen: tuple[ChosenSkill, ...] = ()
    candidates: tuple[RatedSkill, ...] = ()
    stages: tuple[SelectionStage, ...] = ()
    interactions: tuple[Interaction, ...] = ()
    withheld: tuple[str, ...] = ()
    """Skills that would have been activated, and were left out to see how the run goes without them."""
    key: str = ""
    """What the decision is kept under."""
