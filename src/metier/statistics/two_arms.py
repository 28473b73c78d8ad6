"""Two arms that a coin decides between: does one succeed more often? It may be looked at after every outcome.

With a fair coin, (success − a guess made before) × (+1 with, −1 without) is half the gain on average, whatever the
guess and however the work changes meanwhile. So each outcome is a bet as in `sequential.py`: the evidence holds at any
time (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting"), and it rests on the coin
alone (Ham, Bojinov, Lindon and Tingley 2023, "Design-based confidence sequences").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING

from metier.statistics.intervals import Interval
from metier.statistics.sequential import e_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

ALPHA = 0.05
"""How often, at most, a skill that does nothing is ever called helpful; the same for harmful."""
POWER = 0.8
"""How often a gain is found within the runs that a plan names."""
PATHS, PART = 2_000, 500
"""Trials that a plan simulates, and how many of them at a time."""
SURE = 3.1
"""Standard errors by which these have to reach more than the stated power: a plan falls short of it by chance in one of
a thousand, so the stated power is a lower bound.
"""
LENGTHS = (250, 1_000, 2_500, 6_000)
"""Outcomes after which a simulated trial is given up, the short ones tried first."""
FINEST = 0.02
"""Steps in which gains are tried for the interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmsResult:
    """What the outcomes of two arms show so far."""

    with_runs: int
    with_successes: int
    without_runs: int
    without_successes: int
    gain: float
    """The difference of the two success rates; 0 as long as an arm is empty."""
    interval: Interval
    helps: float
    """How much speaks for "it helps": 1 is nothing, 1 / `ALPHA` is enough."""
    hurts: float

    @property
    def runs(self) -> int:
        """All that count."""
        return self.with_runs + self.without_runs


def compare_arms(outcomes: Sequence[tuple[bool, bool]], alpha: float = ALPHA) -> ArmsResult:
    """What outcomes show, each whether it was with the skill and whether it succeeded, in the order they came."""
    import numpy as np

    arms = np.array([[one for one, _ in outcomes]], dtype=bool)
    good = np.array([[one for _, one in outcomes]], dtype=bool)
    with_runs, with_successes = int(arms.sum()), int((arms & good).sum())
    without_runs, without_successes = int((~arms).sum()), int((~arms & good).sum())
    signed = _signed(arms, good)
    return ArmsResult(
        with_runs=with_runs,
        with_successes=with_successes,
        without_runs=without_runs,
        without_successes=without_successes,
        gain=with_successes / with_runs - without_successes / without_runs if with_runs and without_runs else 0.0,
        interval=_interval(signed, alpha),
        helps=_most(signed),
        hurts=_most(-signed),
    )


def _signed(arms: NDArray[np.bool_], good: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Each outcome, less the success rate before it, with the sign of its arm: half the gain on average."""
    import numpy as np

    before = np.cumsum(good, axis=1) - good
    guess = (before + 1) / (np.arange(good.shape[1]) + 2)
    return (good - guess) * np.where(arms, 1.0, -1.0)


def _most(signed: NDArray[np.float64]) -> float:
    return float(e_values(signed).max()) if signed.size else 1.0


def _interval(signed: NDArray[np.float64], alpha: float) -> Interval:
    """Every gain that the outcomes have not ruled out: it holds the truth at all times together, 1 − 2 alpha often."""
    low, high, level = -1.0, 1.0, 1 - 2 * alpha
    if not signed.size:
        return Interval(low=low, high=high, level=level)
    steps = round(1 / FINEST)
    for step in range(-steps, steps):
        if not _rules_out(signed, step * FINEST, alpha):
            break
        low = step * FINEST
    for step in range(steps, -steps, -1):
        if not _rules_out(-signed, -step * FINEST, alpha):
            break
        high = step * FINEST
    return Interval(low=low, high=max(low, high), level=level)


def _rules_out(signed: NDArray[np.float64], gain: float, alpha: float) -> bool:
    """Whether the outcomes show that the gain is larger than this."""
    return _most((signed - gain / 2) / (1 + abs(gain) / 2)) * alpha >= 1


def first_found(arms: NDArray[np.bool_], good: NDArray[np.bool_], alpha: float = ALPHA) -> NDArray[np.int64]:
    """After how many outcomes each of many trials, a row each, says "it helps"; one more than it has: never."""
    import numpy as np

    found = e_values(_signed(arms, good)) * alpha >= 1
    first = found.argmax(axis=1).astype(np.int64) + 1
    first[~found.any(axis=1)] = arms.shape[1] + 1
    return first


@lru_cache(maxsize=64)
def runs_needed(base: float, gain: float, alpha: float = ALPHA, power: float = POWER, seed: int = 0) -> int | None:
    """Runs of both arms within which the test itself finds a gain in the stated share of simulated trials.

    None: more than the last of `LENGTHS`. `base` is the success rate without the skill; the gain ends at 1.
    """
    import numpy as np

    dice = np.random.default_rng(seed)
    share = min(1.0, power + SURE * (power * (1 - power) / PATHS) ** 0.5)
    for length in LENGTHS:
        found = np.concatenate([_simulated(base, gain, (PART, length), alpha, dice) for _ in range(PATHS // PART)])
        needed = int(np.sort(found)[ceil(share * PATHS) - 1])
        if needed <= length:
            return needed
    return None


def _simulated(
    base: float, gain: float, shape: tuple[int, int], alpha: float, dice: np.random.Generator
) -> NDArray[np.int64]:
    """After how many outcomes each of some simulated trials says "it helps"."""
    import numpy as np

    arms = dice.random(shape) < 0.5
    good = dice.random(shape) < np.where(arms, min(1.0, base + gain), base)
    return first_found(arms, good, alpha)
