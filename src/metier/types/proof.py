"""The nouns of proof: a trial of a skill, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TrialStatus = Literal["running", "helps", "hurts", "undecided", "stopped"]
"""`undecided`: it saw as many sessions as planned and cannot tell; `stopped`: a person or a change of the skill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A skill that half of the sessions go without, to see whether it helps."""

    id: str
    workspace: str
    skill: str
    hash: str
    """Of the package that is tried; another text is another trial."""
    agents: tuple[str, ...]
    """Whose sessions take part: the agents that have the skill from the hook alone."""
    gain: float
    """The gain in success that it was planned for."""
    most: int
    """Sessions with a known outcome after which it ends, whatever it shows."""
    until: str
    """The moment from which on a person is asked whether to end it."""
    status: TrialStatus = "running"
    started: str = ""
    ended: str = ""
    reason: str = ""
    """What it showed in words, or why it was stopped."""
