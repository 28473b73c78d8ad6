"""Who proposes next: the usual way while candidates are accepted, another one when they no longer are."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from metier.training.result import Judged, Unjudged
from metier.training.state import ACCEPTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.training.result import Step
    from metier.training.spec import Spec, Update

WAYS: tuple[Update, ...] = ("patch", "rewrite", "full_rewrite")
Turn = tuple["Update", bool]
"""A step that came to a decision: by which way, and whether anything was accepted."""


def proposer(spec: Spec, steps: Sequence[Step]) -> Update:
    """The way in which the next step proposes; all of it follows from the steps so far and the seed."""
    if not spec.bandit:
        return spec.update
    past = [one for one in steps if one.step]
    usual = past[-1].proposer if past else spec.update
    if dry(usual, [turn for _, turn in turns(past)]) < spec.plateau:
        return usual
    others: list[Update] = [way for way in WAYS if way != usual]
    return max(others, key=lambda way: _drawn(spec, way, steps))


def dry(way: Update, history: Sequence[Turn]) -> int:
    """How many of its steps a way has had since it took over, or since something of it was accepted."""
    count = 0
    for who, accepted in reversed(history):
        if who != way or accepted:
            break
        count += 1
    return count


def turns(steps: Sequence[Step]) -> Iterator[tuple[int, Turn]]:
    """The steps that came to a decision, or to nothing at all; those whose edits wait to be judged are left out."""
    found: dict[int, Turn] = {}
    for one in steps:
        if isinstance(one.outcome, Unjudged) and one.outcome.waits:
            continue
        accepted = isinstance(one.outcome, Judged) and one.outcome.decision.action in ACCEPTED
        found[one.step] = (one.proposer, accepted or found.get(one.step, ("", False))[1])
    yield from found.items()


def _drawn(spec: Spec, way: Update, steps: Sequence[Step]) -> float:
    """A draw from what its decisions say about how often a way is right: one that was never tried may be anything."""
    past = [accepted for _, (who, accepted) in turns(steps) if who == way]
    random = Random(spec.seed_for(f"bandit {len(steps)} {way}"))  # noqa: S311 - no secret
    return random.betavariate(1 + sum(past), 1 + len(past) - sum(past))
