"""Rates of things that come in clusters, such as the calls of a session: ten calls of one session are not ten votes."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from metier.statistics.intervals import Interval, student, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

MANY = 10_000
"""Degrees of freedom at which Student's t is the normal distribution."""
Cluster = tuple[int, int]
"""Hits and observations of one cluster."""
USUAL, WEIGHT = 0.5, 2
"""How alike the observations of a cluster are before anything is known, and for how many clusters that counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateChange:
    """The change of a rate from one time to another, and where the truth may be."""

    before: float
    after: float
    change: float
    interval: Interval


def rate_change(before: Sequence[Cluster], after: Sequence[Cluster], level: float = 0.95) -> RateChange:
    """How a rate changed; clusters count as much as their likeness allows (Newcombe's interval of two Wilson ones)."""
    alike = likeness((before, after))
    (first, early), (second, late) = (_rate(side, alike, level) for side in (before, after))
    change = second - first
    low = change - sqrt((second - late.low) ** 2 + (early.high - first) ** 2)
    high = change + sqrt((late.high - second) ** 2 + (first - early.low) ** 2)
    interval = Interval(low=max(-1.0, low), high=min(1.0, high), level=level)
    return RateChange(before=first, after=second, change=change, interval=interval)


def likeness(sides: Sequence[Sequence[Cluster]]) -> float:
    """How alike the observations of one cluster are, from 0 to 1 (the intra-class correlation by analysis of variance).

    Few clusters say little about it, and equal observations nothing: then the usual value counts.
    """
    within = between = spread = 0.0
    degrees = groups = 0
    for side in sides:
        total, hits = sum(count for _, count in side), sum(hit for hit, _ in side)
        if len(side) < 2 or not 0 < hits < total:
            continue
        mean = hits / total
        between += sum(count * (hit / count - mean) ** 2 for hit, count in side)
        within += sum(hit * (1 - hit / count) for hit, count in side)
        spread += total - sum(count * count for _, count in side) / total
        degrees += total - len(side)
        groups += len(side) - 1
    if not groups or not degrees:
        return USUAL
    inside, outside, size = within / degrees, between / groups, spread / groups
    found = (outside - inside) / (outside + (size - 1) * inside) if outside + (size - 1) * inside > 0 else USUAL
    return (groups * min(1.0, max(0.0, found)) + WEIGHT * USUAL) / (groups + WEIGHT)


def _rate(side: Sequence[Cluster], alike: float, level: float) -> tuple[float, Interval]:
    """A rate with its interval: as many observations as the clusters are worth."""
    total, hits = sum(count for _, count in side), sum(hit for hit, _ in side)
    if not total:
        return 0.0, wilson(0, 0, level)
    size = sum(count * count for _, count in side) / total
    few = student(level, max(2, len(side) - 1)) / student(level, MANY)
    worth = total / (1 + (size - 1) * alike) / (1 + alike * (few * few - 1))
    return hits / total, wilson(hits / total * worth, worth, level)
