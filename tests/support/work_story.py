"""How a recurring task is written down for the generator: requests, moves, and what may go wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "de"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One call of a tool; `{names}` in its texts are filled from the run's values."""

    tool: Literal["bash", "read", "edit", "web", "grep"]
    text: str
    """The command, the file or the address."""
    output: str = ""
    change: tuple[str, str] = ("", "")
    """What an edit takes out and puts in."""
    chance: float = 1.0
    """How often a run makes this move at all."""
    fails: float = 0.0
    """How often it fails the first time; then come the moves of `fix`, and it is made again."""
    error: str = ""
    fix: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """How a run of the task goes wrong: after so many moves, or by leaving some out."""

    after: int
    """Moves made before it ends."""
    extra: tuple[Move, ...] = ()
    status: str = "error"
    answer: str = ""
    correction: str = ""
    """What the person says next; the run itself then claims success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Work that comes up again and again, asked for in other words each time."""

    label: str
    language: Language
    asks: tuple[str, ...]
    """Requests; every run of a task takes another one."""
    values: dict[str, tuple[str, ...]]
    """What the names in the texts may stand for; one draw per run."""
    moves: tuple[Move, ...]
    answers: tuple[str, ...]
    failings: tuple[Failing, ...]
    must: tuple[str, ...]
    """Texts that a skill for this task has to name."""
    must_not: tuple[str, ...] = ()
    skill: tuple[str, ...] = ()
    """Skills the runs follow, if any."""
