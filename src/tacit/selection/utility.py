"""What a skill is worth, as far as runs with it and without it can tell: nothing is claimed from a few of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

STRENGTH = 4.0
"""Runs at the base rate that are added to either side, so that two lucky ones prove nothing."""
SURE = 1.96
"""Standard deviations on either side of an estimate: 95 in 100 intervals hold the truth."""
MOST = 0.5
"""How far a measured lift can move a score, as a share of it."""
RARELY, IGNORED = 0.2, 0.8
"""A skill that agents surely use less often than this, when they have it, keeps this share of its score."""
UNPROVEN = 0.5
"""How much of that a success rate alone can do, where no run went without the skill on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How runs went with a skill; counted for one version of its text, as another is another skill to measure."""

    selected: int = 0
    used: int = 0
    succeeded: int = 0
    """Of the runs that used it."""
    failed: int = 0
    with_runs: int = 0
    """Runs in which it was chosen and handed over, in the time in which others had it withheld."""
    with_successes: int = 0
    withheld_runs: int = 0
    """Runs in which it was chosen and left out on purpose."""
    withheld_successes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """A difference in success rates, and how far it can be trusted."""

    mean: float
    low: float
    high: float
    measured: bool
    """Against runs that had it withheld; otherwise against the base rate, which other things explain, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """What the record of a skill does to its score."""

    factor: float
    hurts: bool
    reason: str


UNKNOWN = Adjustment(factor=1.0, hurts=False, reason="nothing is known yet")


def lift(counts: Counts, base: float) -> Lift | None:
    """The lift of a skill over runs without it, or over the base rate; None when it was in no run.

    Either side is a Beta posterior with `STRENGTH` runs at the base rate before the first one; the interval is that of
    their difference, taken as normal.
    """
    base = min(0.99, max(0.01, base))
    if counts.with_runs > 0 and counts.withheld_runs > 0:
        mean, variance = _posterior(counts.with_successes, counts.with_runs, base)
        other, spread = _posterior(counts.withheld_successes, counts.withheld_runs, base)
        return _interval(mean - other, variance + spread, measured=True)
    seen = counts.succeeded + counts.failed
    if not seen:
        return None
    mean, variance = _posterior(counts.succeeded, seen, base)
    return _interval(mean - base, variance, measured=False)


def adjusted(counts: Counts, base: float) -> Adjustment:
    """How a skill's record changes its score: only by what is beyond doubt; one that hurts is not to be chosen.

    Only runs without the skill can show that it hurts: where it is merely used for hard tasks, its runs fail, too.
    """
    worth = _worth(lift(counts, base))
    if worth.hurts or not _is_ignored(counts):
        return worth
    reason = f"{worth.reason}; handed over {counts.selected} times and used {counts.used}"
    return Adjustment(factor=worth.factor * IGNORED, hurts=False, reason=reason)


def _worth(found: Lift | None) -> Adjustment:
    if found is None:
        return UNKNOWN
    shown = f"lift {found.mean:+.2f} ({found.low:+.2f} to {found.high:+.2f})"
    if found.measured and found.high < 0:
        return Adjustment(factor=0.0, hurts=True, reason=f"{shown}: runs without it go better")
    beyond_doubt = max(found.low, 0.0) + min(found.high, 0.0)
    share = 1.0 if found.measured else UNPROVEN
    factor = 1.0 + share * max(-MOST, min(MOST, beyond_doubt))
    return Adjustment(factor=factor, hurts=False, reason=shown if beyond_doubt else f"{shown}: not sure yet")


def _is_ignored(counts: Counts) -> bool:
    """Whether agents surely leave the skill aside when they have it."""
    mean, variance = _posterior(counts.used, counts.selected, 0.5)
    return mean + SURE * sqrt(variance) < RARELY


def _posterior(successes: int, runs: int, base: float) -> tuple[float, float]:
    """Mean and variance of a success rate after these runs."""
    good = max(0, min(successes, runs)) + STRENGTH * base
    total = runs + STRENGTH
    mean = good / total
    return mean, mean * (1 - mean) / (total + 1)


def _interval(mean: float, variance: float, *, measured: bool) -> Lift:
    reach = SURE * sqrt(variance)
    return Lift(mean=mean, low=mean - reach, high=mean + reach, measured=measured)
