"""A score that means a probability: how likely a candidate is right for the task, by a map that only ever rises."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING

from metier.selection.choosing.features import Features

if TYPE_CHECKING:
    from collections.abc import Sequence

Knots = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Weights for the features of a candidate, what their sum means, and from where on one may act on it."""

    version: str
    bias: float
    weights: Features
    """None is below 0, so that more of anything never makes a candidate less likely."""
    knots: Knots = ()
    """Points (what the weights say, how often that was right), both rising; none: the weights themselves count."""
    threshold: float = 0.6
    """Candidates at least this likely are activated without a model; below it nothing is."""

    def raw(self, features: Features) -> float:
        """What the weights say, between 0 and 1."""
        return logistic(self.bias + sum(weight * value for weight, value in zip(self.weights, features, strict=True)))

    def probability(self, features: Features) -> float:
        """How likely it is that a candidate with these features is right."""
        return interpolate(self.knots, self.raw(features)) if self.knots else self.raw(features)


# fmt: off
_KNOTS = (
    (0.0, 0.0), (0.08, 0.078), (0.102, 0.138), (0.426, 0.351), (0.492, 0.464), (0.534, 0.595),
    (0.669, 0.597), (0.675, 0.682), (0.755, 0.819), (0.896, 0.872), (0.907, 0.924), (0.999, 0.999),
)
# fmt: on
FITTED = Calibration(
    version="skills-1",
    bias=-7.82,
    weights=Features(score=4.82, gap=9.31, coverage=1.06, evidence=9.41, named=0.45, alone=0.16),
    knots=_KNOTS,
    threshold=0.5,
)
"""Fitted to requests that public skill repositories test themselves with, see docs/benchmarks.md."""


def logistic(value: float) -> float:
    """The logistic function, safe for any number."""
    if value >= 0:
        return 1.0 / (1.0 + exp(-value)) if value < 700 else 1.0
    small = exp(value) if value > -700 else 0.0
    return small / (1.0 + small)


def interpolate(knots: Knots, value: float) -> float:
    """The height of a rising line through the knots; flat before the first and behind the last."""
    at = bisect_right(knots, value, key=lambda knot: knot[0])
    if at == 0:
        return knots[0][1]
    if at == len(knots):
        return knots[-1][1]
    (left, low), (right, high) = knots[at - 1], knots[at]
    return low + (high - low) * (value - left) / (right - left)


def confident_places(probabilities: Sequence[float], needed: Sequence[float], most: int) -> tuple[int, ...]:
    """The places of the candidates that are as likely as each needs to be, the likeliest first; most often none."""
    sure = [at for at, (is_, must) in enumerate(zip(probabilities, needed, strict=True)) if is_ >= must]
    return tuple(sorted(sure, key=lambda at: (-probabilities[at], at))[:most])
