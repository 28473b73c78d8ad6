"""Figures with their uncertainty: shares, means, differences of pairs, and how well a number tells two kinds apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from metier.statistics.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SURE = 1.959964
"""Standard deviations on either side of an estimate: 95 of 100 intervals hold the truth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure, the interval that holds its true value in 95 of 100 cases, and how many observations it rests on."""

    value: float
    low: float
    high: float
    count: int


def share(hits: Iterable[bool]) -> Figure | None:
    """The share of hits with its Wilson interval; None when there is nothing to count."""
    found = list(hits)
    count = len(found)
    if not count:
        return None
    successes = sum(found)
    interval = wilson(successes, count)
    return Figure(value=successes / count, low=interval.low, high=interval.high, count=count)


def mean(values: Sequence[float]) -> Figure | None:
    """The mean of values between 0 and 1 with its normal interval; None when there are none."""
    count = len(values)
    if not count:
        return None
    value = sum(values) / count
    spread = sum((one - value) ** 2 for one in values) / max(1, count - 1)
    reach = SURE * sqrt(spread / count)
    return Figure(value=value, low=max(0.0, value - reach), high=min(1.0, value + reach), count=count)


def paired_mean(differences: Sequence[float]) -> Figure | None:
    """The mean of differences between -1 and 1, measured on the same things twice.

    The interval is Agresti and Min's: as if one half of a query more had spoken for either side, so that ten queries
    without any difference do not claim to know that there is none.
    """
    count = len(differences)
    if not count:
        return None
    total = sum(differences)
    squares = sum(one * one for one in differences) + 1.0
    size = count + 2.0
    reach = SURE * sqrt(max(0.0, squares - total * total / size)) / size
    value, centre = total / count, total / size
    return Figure(
        value=value, low=min(value, max(-1.0, centre - reach)), high=max(value, min(1.0, centre + reach)), count=count
    )


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """How often a positive's number is above a negative's, equal ones counting half; None when one kind is missing."""
    if not positives or not negatives:
        return None
    marked = sorted([(value, True) for value in positives] + [(value, False) for value in negatives])
    ranks = 0.0
    at = 0
    while at < len(marked):
        end = at
        while end < len(marked) and marked[end][0] == marked[at][0]:
            end += 1
        middle = (at + end + 1) / 2  # ranks count from 1; those of equal numbers share their mean
        ranks += middle * sum(positive for _, positive in marked[at:end])
        at = end
    ours = len(positives)
    return (ranks - ours * (ours + 1) / 2) / (ours * len(negatives))


def percentile(values: Sequence[float], part: float) -> float | None:
    """The value that a part of all values does not exceed; None when there are none."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(part * (len(ordered) - 1))))]
