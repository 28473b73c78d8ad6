"""A calibration from labelled examples: weights by logistic regression, their meaning by isotonic regression."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from metier.selection.choosing.calibration import Calibration, Knots, interpolate
from metier.selection.choosing.features import Features

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FOLDS = 5
PASSES = 200
RIDGE = 1.0
"""Examples' worth of pull towards no weight, so that few examples make no bold claims."""
LEAST = 20
"""Examples below which nothing is fitted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The features of one candidate, and whether it was right."""

    features: Features
    right: bool
    query: str = ""
    """The task it was a candidate for; those of one task stay together when examples are set apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TooFew:
    """There is nothing to fit to, and why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How far probabilities can be taken at their word, on examples that were not fitted to."""

    brier: float
    """Mean squared error; 0 is perfect, the base rate alone gives `base * (1 - base)`."""
    error: float
    """Expected calibration error over ten bins."""
    base: float


def fit(examples: Sequence[Example], version: str, precision: float = 0.8) -> Calibration | TooFew:
    """A calibration for these examples; the isotonic part and the threshold see only predictions out of fold."""
    rights = sum(one.right for one in examples)
    if len(examples) < LEAST or not 0 < rights < len(examples):
        return TooFew(reason=f"{len(examples)} examples, {rights} right: at least {LEAST} of both kinds are needed")
    folds = _folds(examples)
    held: list[tuple[float, bool]] = []
    for fold in range(FOLDS):
        part = weighted([one for one, its in zip(examples, folds, strict=True) if its != fold], version)
        held += [(part.raw(one.features), one.right) for one, its in zip(examples, folds, strict=True) if its == fold]
    knots = isotonic(held)
    said = [(interpolate(knots, raw), right) for raw, right in held]
    return replace(weighted(examples, version), knots=knots, threshold=_threshold(said, precision))


def _folds(examples: Sequence[Example]) -> list[int]:
    """The fold of each example: tasks take turns, and an example without one counts as a task of its own."""
    turns: dict[str | int, int] = {}
    return [turns.setdefault(one.query or at, len(turns)) % FOLDS for at, one in enumerate(examples)]


def weighted(examples: Sequence[Example], version: str) -> Calibration:
    """Logistic regression with weights that are never below 0, by Newton steps one weight at a time."""
    values = np.array([one.features for one in examples])
    spread = values.std(axis=0)
    scales = np.concatenate([[1.0], np.where(spread > 0, spread, 1.0)])
    rows = np.column_stack([np.ones(len(values)), values]) / scales
    labels = np.array([one.right for one in examples], dtype=float)
    betas = np.zeros(len(scales))
    for _ in range(PASSES):
        moved = max(_step(at, betas, rows, labels) for at in range(len(betas)))
        if moved < 1e-4:
            break
    bias, *weights = (betas / scales).tolist()
    return Calibration(version=version, bias=bias, weights=Features(*weights))


def _step(at: int, betas: Numbers, rows: Numbers, labels: Numbers) -> float:
    """Move one weight to where a Newton step leads, at least to 0 and not too far at once; how far it went."""
    ridge = 0.0 if at == 0 else RIDGE
    said = 1.0 / (1.0 + np.exp(-np.clip(rows @ betas, -500, 500)))
    slope = ridge * betas[at] + (said - labels) @ rows[:, at]
    curve = ridge + np.maximum(said * (1 - said), 1e-3) @ rows[:, at] ** 2
    wanted = float(betas[at] - np.clip(slope / (curve or 1.0), -2.0, 2.0))
    wanted = wanted if at == 0 else max(0.0, wanted)
    moved, betas[at] = abs(wanted - float(betas[at])), wanted
    return moved


def isotonic(pairs: Sequence[tuple[float, bool]]) -> Knots:
    """The rising step function nearest to the labels (pool adjacent violators), as points with a line through them."""
    tied: dict[float, tuple[float, float]] = {}
    for value, right in sorted(pairs):
        rights, size = tied.get(value, (0.0, 0.0))
        tied[value] = (rights + right, size + 1.0)
    blocks: list[tuple[float, float, float]] = []
    for value, (rights, size) in tied.items():
        block = (value, rights, size)
        while blocks and blocks[-1][1] / blocks[-1][2] >= block[1] / block[2]:
            block = _joined(blocks.pop(), block)
        blocks.append(block)
    heights = ((centre, (rights + 0.5) / (size + 1.0)) for centre, rights, size in blocks)  # no block is certain
    return _rising(heights)


def _joined(left: tuple[float, float, float], right: tuple[float, float, float]) -> tuple[float, float, float]:
    size = left[2] + right[2]
    return (left[0] * left[2] + right[0] * right[2]) / size, left[1] + right[1], size


def _rising(points: Iterable[tuple[float, float]]) -> Knots:
    """The points, none lower than the one before: the correction for small blocks can put one there."""
    kept: list[tuple[float, float]] = []
    for centre, height in points:
        kept.append((centre, max(height, kept[-1][1] if kept else 0.0)))
    return tuple(kept)


def _threshold(pairs: Sequence[tuple[float, bool]], precision: float) -> float:
    """The lowest probability from which on at least the wanted share is right; 0.5 or more."""
    said = sorted(pairs, reverse=True)
    best, rights = 1.0, 0
    for count, (probability, right) in enumerate(said, start=1):
        rights += right
        last = count == len(said) or said[count][0] < probability
        if last and rights / count >= precision:
            best = probability
    return max(0.5, best)


def reliability(calibration: Calibration, examples: Sequence[Example]) -> Reliability:
    """How good the probabilities are on these examples."""
    said = [(calibration.probability(one.features), float(one.right)) for one in examples]
    bins: dict[int, list[tuple[float, float]]] = {}
    for pair in said:
        bins.setdefault(min(9, int(pair[0] * 10)), []).append(pair)
    error = sum(abs(sum(p - right for p, right in found)) for found in bins.values()) / len(said)
    return Reliability(
        brier=fmean((p - right) ** 2 for p, right in said), error=error, base=fmean(right for _, right in said)
    )
