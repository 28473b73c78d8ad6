"""Shorter is better at equal score: what makes a skill smaller need not be better, only hardly worse."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

from metier.statistics.intervals import paired

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.skills.package import Package
    from metier.training.gates.effects import Estimate

LEVEL = 0.8
"""Of the interval whose lower end must not be further below zero than a smaller skill may lose."""
HALF = NormalDist().inv_cdf(0.5 + LEVEL / 2)


def size(skill: Package) -> int:
    """The bytes of all its files."""
    return sum(map(len, skill.files.values()))


def is_smaller(one: Package, other: Package) -> bool:
    """Whether a skill has fewer bytes than another."""
    return size(one) < size(other)


def as_good(deltas: Iterable[tuple[str, float]], may_lose: float) -> bool:
    """Whether cases that were tried with both skills let expect no greater loss."""
    return paired([delta for _, delta in deltas], LEVEL).low > -may_lose


def harmless(known: Estimate, may_lose: float) -> bool:
    """Whether an effect that was estimated lets expect no greater loss."""
    return known.effect - HALF * known.error > -may_lose
