"""Obeyed: how often calls violated a rule before a person approved it and since. Before and after, not causal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.statistics.clustered import rate_change

if TYPE_CHECKING:
    from metier.learning.lessons.tally import Tally
    from metier.statistics.clustered import RateChange

LEAST = 5
"""Calls on either side from which on a change is named."""
NOT_CAUSAL = "before and after, not causal"


def obeyed_change(tally: Tally) -> RateChange | None:
    """The change in the share of violations; None: too few calls on one side to name one."""
    if min(tally.before.applies, tally.after.applies) < LEAST:
        return None
    return rate_change(tally.sessions_before, tally.sessions_after)


def change_words(tally: Tally) -> str:
    """The change in words, or how many calls are missing."""
    found = obeyed_change(tally)
    if found is None:
        return f"too few calls to name one: {LEAST} before and {LEAST} since are needed"
    low, high = 100 * found.interval.low, 100 * found.interval.high
    return f"{100 * found.change:+.0f} points ({low:+.0f} to {high:+.0f}; {NOT_CAUSAL})"


def change_row(tally: Tally) -> dict[str, object] | None:
    """The change as JSON; null: too few calls."""
    found = obeyed_change(tally)
    if found is None:
        return None
    interval = {"low": found.interval.low, "high": found.interval.high, "level": found.interval.level}
    return {"points": 100 * found.change, "interval": interval, "meaning": NOT_CAUSAL}
