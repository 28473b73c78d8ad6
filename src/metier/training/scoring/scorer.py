"""What scorers are made of: their settings read once, a judgement of one attempt, and the world they may need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Protocol

from metier.async_calls import LoopThread
from metier.errors import InputError
from metier.training.rollouts.rollout import BudgetSpent
from metier.types.trials import Case, Score, Scored, Unscored

if TYPE_CHECKING:
    from metier.formats.strict_json import StrictObject
    from metier.models.model import Model
    from metier.training.targets.target import Attempt, Broken

RIGHT = Scored(hard=1.0, soft=1.0)
WRONG = Scored(hard=0.0, soft=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command that came to its end."""

    code: int
    output: str = ""


class Commands(Protocol):
    """Runs the checks that cases bring along, each in a folder of its own that is gone afterwards."""

    def check(self, command: tuple[str, ...], files: Mapping[str, str], seconds: float) -> Ran | Broken:
        """The exit code; a command that is missing or hangs says nothing about the attempt."""
        ...


Function = Callable[[Case, "Attempt"], object]
"""A scorer of one's own: true or false, a number from 0 to 1, (hard, soft), or a score; may be a coroutine function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What some scorers need from outside; most need nothing."""

    model: Model | None = None
    """Judges rubrics."""
    commands: Commands | None = None
    functions: Mapping[str, Function] = field(default_factory=dict[str, Function])
    loop: LoopThread = field(default_factory=LoopThread, init=False, repr=False, compare=False)
    """Where coroutine functions are awaited."""


Judge = Callable[["Attempt", Means], Score | BudgetSpent]
"""Scores one attempt at the case it was made for."""
Maker = Callable[["StrictObject", Case], Judge]
"""A judge from settings; InputError says what is wrong with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of scorer: the settings it knows, and how a judge is made of them."""

    fields: tuple[str, ...]
    make: Maker


def score_of(hard: bool, soft: float | None = None) -> Scored:  # noqa: FBT001 - the one thing it is about
    """Done or not, and how near it came where that is known apart."""
    return Scored(hard=float(hard), soft=float(hard) if soft is None else soft)


def sane(score: Score | BudgetSpent) -> Score | BudgetSpent:
    """The score, unless it is none: numbers outside 0 to 1 say nothing."""
    if isinstance(score, Scored) and not all(isfinite(one) and 0 <= one <= 1 for one in (score.hard, score.soft)):
        return Unscored(reason=f"the scorer gave {score.hard!r} and {score.soft!r}; both must be from 0 to 1")
    return score


def share(settings: StrictObject, key: str, default: float) -> float:
    """A setting from 0 to 1."""
    value = settings.amount(key)
    if value is None:
        return default
    if value > 1:
        raise InputError(f"{settings.where}.{key}: must be from 0 to 1")
    return value
