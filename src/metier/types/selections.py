"""Selections: the skills for a run, and what came of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A skill that came into question for a task, with its score."""

    skill: str
    score: float
    hash: str = ""


Arm = Literal["with", "without"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The side of a trial that a session is on."""

    trial: str
    skill: str
    arm: Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The skills chosen for a task, and those that were close."""

    id: str
    workspace: str
    query: str
    candidates: tuple[Candidate, ...] = ()
    chosen: tuple[str, ...] = ()
    chosen_hashes: tuple[str, ...] = ()
    """Of the packages that were handed over, one for each of `chosen`."""
    pinned: tuple[str, ...] = ()
    """Those of `chosen` that are in every run, whatever the task."""
    withheld: tuple[Candidate, ...] = ()
    """Would have been chosen, and were left out because a trial says that this session goes without them."""
    trials: tuple[Assignment, ...] = ()
    """The trials that the session takes part in with these skills."""
    explored: tuple[str, ...] = ()
    """Provisional skills that got a chance they had not earned yet."""
    stages: tuple[str, ...] = ()
    agent: str = ""
    session: str = ""
    run: str = ""
    """The run it served, once that is known."""
    created: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOutcome:
    """A skill in a selection: what was handed over or withheld, and of which package."""

    selection: str
    skill: str
    hash: str
    handed: bool
    lot: str = ""
    """Stands for the chance that decided about handing over or withholding; empty: none did."""


class RunOutcome(NamedTuple):
    """What a run says of itself, as far as it counts for skills."""

    run: str
    used: frozenset[str] | None = None
    """The skills it used, their names folded; None: it does not say."""
    given: frozenset[str] = frozenset()
    """The skills whose text it was given, their names folded: whether it followed them cannot be seen."""
    stated: bool | None = None
    """How it went, where nobody has to judge that."""


class GivenRun(NamedTuple):
    """A run that a skill was handed to, and how it went."""

    run: str
    went: bool
    session: str
    created: str
