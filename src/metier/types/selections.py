"""Selections: the skills for a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A skill that came into question for a task, with its score."""

    skill: str
    score: float
    hash: str = ""


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
    """Would have been chosen, and were left out to see how the run goes without them."""
    withhold_rate: float = 0.0
    """How often a chosen skill was left out at that time; 0: none could be, so the run compares with nothing."""
    explored: tuple[str, ...] = ()
    """Provisional skills that got a chance they had not earned yet."""
    stages: tuple[str, ...] = ()
    agent: str = ""
    session: str = ""
    run: str = ""
    """The run it served, once that is known."""
    created: str = ""
