"""What a skill is worth, as far as runs with it and without it can tell: nothing is claimed from a few of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

STRENGTH = 4.0
"""Runs at the base rate that are added to either side, so that two lucky ones prove nothing."""
WRONG = 0.05
"""How often, at most, something is called sure that is not: once in twenty skills, however often one looks."""
SHARP = 4.0
"""The number of runs for which the interval is as narrow as it can be is about eight times this."""
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
    given_succeeded: int = 0
    """Of the runs that it was handed to."""
    given_failed: int = 0
    told: int | None = None
    """Runs it was handed over in that say which skills they used; None: all of them do."""


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

    Either side is a Beta posterior with `STRENGTH` imagined runs before the first one. The interval, a normal mixture,
    is valid at any time: it may be looked at after every run, and all looks together are wrong one time in twenty.
    """
    base = min(0.99, max(0.01, base))
    if counts.with_runs > 0 and counts.withheld_runs > 0:
        successes = counts.with_successes + counts.withheld_successes
        both = _side(successes, counts.with_runs + counts.withheld_runs, base).mean
        here = _side(counts.with_successes, counts.with_runs, both)
        there = _side(counts.withheld_successes, counts.withheld_runs, both)
        runs = 1 / (1 / here.runs + 1 / there.runs)
        return _interval(here.mean - there.mean, here.variance + there.variance, runs, measured=True)
    seen = counts.succeeded + counts.failed
    if not seen:
        return None
    side = _side(counts.succeeded, seen, base)
    return _interval(side.mean - base, side.variance, side.runs, measured=False)


def adjustment_of(counts: Counts, base: float) -> Adjustment:
    """How a skill's record changes its score: only by what is beyond doubt; one that hurts is not to be chosen.

    Only runs without the skill can show that it hurts: where it is merely used for hard tasks, its runs fail, too.
    """
    worth = _worth(lift(counts, base))
    if worth.hurts or not _is_ignored(counts):
        return worth
    reason = f"{worth.reason}; handed over {counts.selected} times and used {counts.used}"
    return Adjustment(factor=worth.factor * IGNORED, hurts=False, reason=reason)


def without_lift(found: Adjustment) -> Adjustment:
    """What was measured on another model only: it no longer lifts a score; what speaks against a skill still counts."""
    if found.factor <= 1:
        return found
    return Adjustment(factor=1.0, hurts=False, reason=f"{found.reason}, on another model: not counted now")


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
    runs = counts.selected if counts.told is None else counts.told
    side = _side(counts.used, runs, RARELY)
    return side.mean + _reach(side.variance, side.runs) < RARELY


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """What is known of a success rate after some runs, the imagined ones included."""

    mean: float
    variance: float
    runs: float


def _side(successes: int, runs: int, before: float) -> _Side:
    """A success rate after these runs; as uncertain as the rate before them, where luck makes it look more certain."""
    total = runs + STRENGTH
    mean = (max(0, min(successes, runs)) + STRENGTH * before) / total
    spread = max(mean * (1 - mean), before * (1 - before))
    return _Side(mean=mean, variance=spread / (total + 1), runs=total)


def _interval(mean: float, variance: float, runs: float, *, measured: bool) -> Lift:
    reach = _reach(variance, runs)
    return Lift(mean=mean, low=mean - reach, high=mean + reach, measured=measured)


def _reach(variance: float, runs: float) -> float:
    """How far from an estimate the truth may be: about three standard deviations, and slowly more with more looks."""
    return sqrt(variance * (1 + SHARP / runs) * log((runs + SHARP) / (SHARP * WRONG**2)))
