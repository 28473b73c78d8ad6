"""What a trial says, from its figures alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from metier.statistics.two_arms import ALPHA

if TYPE_CHECKING:
    from metier.statistics.two_arms import ArmsResult

TrialVerdict = Literal["helps", "hurts", "undecided"]


def verdict_of(result: ArmsResult, most: int) -> TrialVerdict | None:
    """The verdict on a trial that ends after `most` outcomes at the latest; None: it goes on."""
    if result.hurts * ALPHA >= 1:
        return "hurts"
    if result.helps * ALPHA >= 1:
        return "helps"
    return "undecided" if result.runs >= most else None


def is_kept(verdict: TrialVerdict, result: ArmsResult) -> bool:
    """Whether a skill stays in use: one that cannot be told stays unless its runs went worse."""
    return verdict == "helps" or (verdict == "undecided" and result.gain >= 0)
