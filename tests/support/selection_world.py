"""A small library of skills, and the shortest way to a decision, for the tests of selection."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.selection.choosing.calibration import Calibration
from metier.selection.choosing.choose import Basis, choose
from metier.selection.choosing.features import Features
from metier.selection.choosing.model_call import Adviser
from metier.selection.types import ScoredSkill, Selectable, SelectionSettings, Task

if TYPE_CHECKING:
    from metier.models.model import Model
    from metier.selection.types import Choice

BY_HAND = Calibration(
    version="by-hand",
    bias=-8.5,
    weights=Features(score=4.0, gap=3.0, coverage=4.0, evidence=0.0, named=2.0, alone=4.0),
    threshold=0.6,
)
"""Simple enough to say what comes of a score; the shipped one is fitted, and changes with every fit."""
NO_CHANCE = SelectionSettings(explore_rate=0.0)


def skill(name: str = "release", **more: object) -> Selectable:
    """A skill that ships releases, unless told otherwise."""
    plain = Selectable(
        name=name,
        description=f"How to {name} the shop.",
        body=f"# {name}\n\nRun the {name} script and look at its log.",
        version="3",
        content_hash="ab" * 32,
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def scored(*scores: float, **more: object) -> tuple[ScoredSkill, ...]:
    """Skills `s0`, `s1` … with the given scores."""
    return tuple(ScoredSkill(skill=skill(f"s{at}", **more), score=score) for at, score in enumerate(scores))


def falling(count: int) -> tuple[ScoredSkill, ...]:
    """So many skills, each with a lower score than the one before."""
    return scored(*(0.9 - 0.05 * at for at in range(count)))


def decide(
    model: Model | None,
    candidates: tuple[ScoredSkill, ...],
    task: str = "ship the shop",
    settings: SelectionSettings = NO_CHANCE,
    pinned: tuple[Selectable, ...] = (),
) -> Choice:
    """The choice for a task, with a model or without one."""
    adviser = Adviser(model=model, clock=time.monotonic, provider="test") if model else None
    return choose(Task(text=task), candidates, Basis(settings=settings, adviser=adviser, calibration=BY_HAND), pinned)


def names(choice: Choice) -> list[str]:
    """The chosen skills, in order."""
    return [one.skill.name for one in choice.chosen]
