"""What a number of cases can tell, said before they are spent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb, sqrt
from statistics import NormalDist

EXACT = 240
"""Up to so many cases power is summed exactly; beyond it the normal approximation is good enough."""
NEVER = 1e-9
"""Numbers of differing cases that are less likely than this are left out of the sum."""
MOST_CASES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked of a paired comparison, and what is assumed about the cases."""

    alpha: float = 0.05
    """How often a change that does nothing may pass."""
    power: float = 0.8
    """How often a change of the gain in question shall pass."""
    differing: float = 0.2
    """The share of cases that come out differently under two skills; a gain cannot be larger than it."""


DEFAULT = Plan()


def power(cases: int, gain: float, plan: Plan = DEFAULT) -> float:
    """How often a true gain passes the exact paired test on so many cases."""
    share = min(1.0, max(plan.differing, gain))
    if gain <= 0 or share <= 0 or plan.alpha <= 0:
        return 0.0
    if cases > EXACT:
        normal = NormalDist()
        scale = sqrt(max(share - gain * gain, 1e-12))
        return normal.cdf((gain * sqrt(cases) + normal.inv_cdf(plan.alpha) * sqrt(share)) / scale)
    better = (share + gain) / (2 * share)
    return sum(
        likely * _at_least(count, needed, better)
        for count in range(cases + 1)
        if (likely := _binomial(cases, count, share)) > NEVER and (needed := _bar(count, plan.alpha)) <= count
    )


@lru_cache(maxsize=1024)
def detectable_gain(cases: int, plan: Plan = DEFAULT) -> float | None:
    """The smallest gain that so many cases show with the stated power; None when not even a gain everywhere would."""
    if power(cases, 1.0, plan) < plan.power:
        return None
    low, high = 0.0, 1.0
    while high - low > 0.0005:
        middle = (low + high) / 2
        low, high = (low, middle) if power(cases, middle, plan) >= plan.power else (middle, high)
    return high


@lru_cache(maxsize=1024)
def cases_needed(gain: float, plan: Plan = DEFAULT) -> int | None:
    """How many cases show a gain with the stated power; None when no reasonable number does."""
    high = 1
    while power(high, gain, plan) < plan.power:
        high *= 2
        if high > MOST_CASES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle, gain, plan) >= plan.power else (middle, high)
    return high


def sentence(cases: int, plan: Plan = DEFAULT) -> str:
    """What so many cases can tell, in words."""
    gain = detectable_gain(cases, plan)
    what = f"With {cases} case{'' if cases == 1 else 's'}"
    terms = f"{plan.alpha:.1%} error, found {plan.power:.0%} of the time"
    terms = terms.replace(".0%", "%")
    if gain is None:
        return f"{what} no gain at all can be told from luck ({terms})."
    assumed = max(plan.differing, gain)
    points = f"{gain * 100:.0f} point{'' if round(gain * 100) == 1 else 's'}"
    return f"{what} a gain under {points} cannot be told from luck ({terms}, if {assumed:.0%} of cases differ)."


@lru_cache(maxsize=4096)
def _bar(count: int, alpha: float) -> int:
    """How many of the cases that differ must be better; one more than there are: never enough."""
    allowed, tail, needed = alpha * 2**count, 0, count + 1
    while needed and (tail := tail + comb(count, needed - 1)) <= allowed:
        needed -= 1
    return needed


def _binomial(trials: int, successes: int, rate: float) -> float:
    return comb(trials, successes) * rate**successes * (1 - rate) ** (trials - successes)


def _at_least(trials: int, successes: int, rate: float) -> float:
    return sum(_binomial(trials, one, rate) for one in range(successes, trials + 1))
