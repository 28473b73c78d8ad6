"""What a pass does with each pattern: draft it, refresh its open draft, or leave it alone, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from metier.review.result import blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.types import Draft, Pattern

GROWTH = 0.5
"""New successes, as a share of those a shipped draft was made from, that call for another one."""
FAULTS = frozenset(("apply-failed", "second-opinion-failed"))
"""Rules of findings that say nothing about the draft itself."""
SHIFT = 0.15
"""A change of the success ratio that calls for another draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """Draft it now."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """Recall, normalise and review its open draft again."""

    draft: Draft
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Nothing to do."""

    reason: str


Step = Generate | Refresh | Leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What the decision depends on besides the pattern and its drafts."""

    drafter: str
    """Who would draft now: `heuristic` or a model's name."""
    min_runs: int = 2
    ratio_then: float | None = None
    """The pattern's success ratio when its last draft was made, if it is known."""


def in_order(patterns: Iterable[Pattern]) -> list[Pattern]:
    """The ready patterns, oldest first, then by id."""
    return sorted((one for one in patterns if one.status == "ready"), key=lambda one: (one.created, one.id))


def next_step(pattern: Pattern, drafts: Sequence[Draft], now: Situation) -> Step:
    """What to do with a pattern, given its drafts, oldest first."""
    if pattern.status != "ready":
        return Leave(reason=f"the pattern is {pattern.status}")
    last = _last(pattern, drafts)
    if last is None:
        return Generate(reason="no draft yet")
    match last.status:
        case "candidate":
            return Refresh(draft=last, reason="its draft is open")
        case "quarantined" if is_held_by_fault(last):
            return Refresh(draft=last, reason="a fault that may have passed kept its draft back")
        case "quarantined" | "rejected":
            return _again(pattern, last, now)
        case "accepted":
            return _more(pattern, last, now)
        case "superseded":
            return Generate(reason="its draft was superseded")
        case _:
            assert_never(last.status)


def is_held_by_fault(draft: Draft) -> bool:
    """Whether nothing but a fault that may pass keeps a draft back: the disk, a second opinion that gave no answer."""
    blocking = {one.rule for one in draft.findings if blocks(one)}
    return draft.status == "quarantined" and bool(blocking) and blocking <= FAULTS


def new_runs(pattern: Pattern, draft: Draft) -> tuple[str, ...]:
    """The successful runs of a pattern that a draft does not know."""
    known = set(draft.provenance.runs)
    return tuple(run for run in pattern.runs if run not in known)


def _last(pattern: Pattern, drafts: Sequence[Draft]) -> Draft | None:
    """The draft that decides: an open one if there is one, else the newest that was not superseded."""
    mine = [one for one in drafts if one.pattern == pattern.id]
    live = [one for one in mine if one.status != "superseded"]
    candidates = [one for one in live if one.status == "candidate"]
    return (candidates or live or mine or [None])[-1]


def _again(pattern: Pattern, last: Draft, now: Situation) -> Step:
    """A draft that was turned down comes again only with other evidence or another drafter."""
    if set(pattern.runs) != set(last.provenance.runs):
        return Generate(reason=f"its draft was {last.status}, and the evidence has changed since")
    if now.drafter not in last.provenance.model:
        return Generate(reason=f"its draft was {last.status}, and {now.drafter} has not tried yet")
    return Leave(reason=f"its draft was {last.status}; neither evidence nor model has changed")


def _more(pattern: Pattern, last: Draft, now: Situation) -> Step:
    """A skill that has shipped gets another draft once there is enough that its last one does not know."""
    fresh = len(new_runs(pattern, last))
    wanted = max(now.min_runs, round(GROWTH * len(last.provenance.runs)))
    if fresh >= wanted:
        return Generate(reason=f"{fresh} new successful runs since its skill shipped")
    if now.ratio_then is not None and abs(pattern.success_ratio - now.ratio_then) >= SHIFT:
        return Generate(reason=f"its success ratio went from {now.ratio_then:.2f} to {pattern.success_ratio:.2f}")
    return Leave(reason=f"shipped; {fresh} new successful runs of {wanted} that call for another draft")
