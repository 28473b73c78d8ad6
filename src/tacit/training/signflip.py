"""The paired sign-flip test: how often luck alone would give differences as good as those seen.

If a change does nothing, each case's difference might as well have had the other sign. The share of all ways to flip
signs whose sum is at least the one seen is the p-value; no shape of the noise is assumed. Cases that did not differ say
nothing and drop out; of 0/1 scores what remains is the exact sign test.
"""

from __future__ import annotations

from math import gcd, lcm
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
"""Bits of the counting table; beyond it flips are drawn."""
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


def _drawn(differences: Sequence[float], seed: int) -> float:
    """The share among random flips, the one that was seen counted among them: so it is never too small."""
    import numpy as np

    width = (len(differences) + 7) // 8
    raw = np.frombuffer(Random(seed).randbytes(width * DRAWS), dtype=np.uint8).reshape(DRAWS, width)  # noqa: S311
    kept = np.unpackbits(raw, axis=1, count=len(differences)).astype(np.float64)
    values = np.array(differences)
    sums = 2 * (kept @ values) - values.sum()
    return (1 + int((sums >= values.sum() - SAME).sum())) / (DRAWS + 1)
