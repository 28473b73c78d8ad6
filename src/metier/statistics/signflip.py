"""The paired sign-flip test: how often luck alone would give differences as good as those seen.

If a change does nothing, each case's difference might as well have had the other sign. The share of all ways to flip
signs whose sum is at least the one seen is the p-value; no shape of the noise is assumed. Cases that did not differ say
nothing and drop out; of 0/1 scores what remains is the exact sign test.
"""

from __future__ import annotations

from math import exp, fsum, gcd, lcm, lgamma, log
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAWS = 9_999
"""Random flips where there are too many to count; with the one that was seen they are 10,000."""
FEW = 14
"""Pairs whose flips are all tried, whatever their sizes."""
FINEST = 120
"""Differences that are whole numbers of 1/q for a q up to this are counted exactly."""
LARGEST = 4_000_000
"""Bits of the counting table; beyond it flips are drawn, unless all differences are of one size."""
AT_ONCE = 8_000_000
"""Signs that are held in memory at a time."""
SAME = 1e-9
"""Sums closer than this are equal: they differ by rounding only."""


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """The one-sided p-value of "the mean is above zero": exact where that is cheap, else from seeded draws."""
    moved = [one for one in differences if abs(one) > SAME]
    if not moved:
        return 1.0
    steps = _steps(moved)
    if steps and sum(map(abs, steps)) * (len(steps) + 1) <= LARGEST:
        return _counted(steps)
    if set(map(abs, steps)) == {1}:
        return _tail(len(steps), steps.count(1))
    return _tried(moved) if len(moved) <= FEW else _drawn(moved, seed)


def smallest_p(cases: int) -> float:
    """The best p-value so many cases can give: all of them better."""
    return 0.5**cases


def _steps(differences: Sequence[float]) -> list[int]:
    """The differences as whole numbers of their largest common part; empty when they have none."""
    unit = 1
    for one in differences:
        parts = next((q for q in range(1, FINEST + 1) if abs(one * q - round(one * q)) < SAME * q), 0)
        unit = lcm(unit, parts)
        if not 0 < unit <= FINEST:
            return []
    whole = [round(one * unit) for one in differences]
    shared = gcd(*whole)
    return [one // shared for one in whole]


def _counted(steps: Sequence[int]) -> float:
    """All flips counted at once: a polynomial in one long number, a slot for each possible sum."""
    slot = len(steps) + 1  # no count can pass 2 ** len(steps)
    table = 1
    for step in steps:
        table += table << (abs(step) * slot)
    gained = sum(step for step in steps if step > 0)
    at_least = (table >> (gained * slot)) % ((1 << slot) - 1)  # the sum of the slots that are left
    return at_least / (1 << len(steps))


def _tried(differences: Sequence[float]) -> float:
    sums = [0.0]
    for one in differences:
        sums = [total + sign * one for total in sums for sign in (1, -1)]
    seen = sum(differences) - SAME
    return sum(total >= seen for total in sums) / len(sums)


def _tail(flips: int, ups: int) -> float:
    """How often so many fair coins show at least so many heads."""
    logs = (lgamma(flips + 1) - lgamma(one + 1) - lgamma(flips - one + 1) for one in range(ups, flips + 1))
    return min(1.0, fsum(exp(one - flips * log(2)) for one in logs))


def _drawn(differences: Sequence[float], seed: int) -> float:
    """The share among random flips, the one that was seen counted among them: so it is never too small."""
    import numpy as np

    values, width, random = np.array(differences), (len(differences) + 7) // 8, Random(seed)  # noqa: S311 - no secret
    rows = 4 * max(1, AT_ONCE // (4 * len(differences)))  # whole words: the same signs, however many at a time
    at_least = 1
    for start in range(0, DRAWS, rows):
        count = min(rows, DRAWS - start)
        raw = np.frombuffer(random.randbytes(width * count), dtype=np.uint8).reshape(count, width)
        kept = np.unpackbits(raw, axis=1, count=len(differences)).astype(np.float64)
        sums = 2 * (kept @ values) - values.sum()
        at_least += int((sums >= values.sum() - SAME).sum())
    return at_least / (DRAWS + 1)
