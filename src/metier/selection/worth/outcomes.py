"""What skills are worth: how runs with a skill went, compared with runs from which it was withheld."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.errors import MetierError, StoreError
from metier.events import Noted
from metier.library.profiles import name_of
from metier.library.roots import roots_in_order
from metier.selection.worth.link_runs import link_runs
from metier.selection.worth.utility import UNKNOWN, Adjustment, Counts, Lift, adjustment_of, lift, without_lift
from metier.store.tables import meta
from metier.store.tables.library import glances
from metier.store.tables.selection import outcomes, requests

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from metier.context.context import Context
    from metier.events import Event
    from metier.library.listing import Skill
    from metier.library.skills import Library
    from metier.store.engines.engine import Transaction

SPOKEN = "outcomes.spoken"
"""The fact that holds the last audit entry that was counted, one for each workspace."""
BASE = "outcomes.base"
"""The fact that holds how many of the newest runs were judged and how many succeeded, one for each workspace."""

ELSEWHERE = "worth.elsewhere"
"""The fact that holds the skills whose text was measured on another model only, one for each workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What one version of a skill is worth."""

    counts: Counts
    base: float
    """The success rate of the workspace."""
    adjustment: Adjustment

    @property
    def lift(self) -> Lift | None:
        """What it adds to the success of runs; None: unknown."""
        return lift(self.counts, self.base)


NOTHING = Worth(counts=Counts(), base=0.5, adjustment=UNKNOWN)


def update_worths(ctx: Context, *, most: int = 2**62, waits: int = 0) -> None:
    """Link new runs to their selections and count them; if the store cannot be written, the counts stay as they were.

    `most`: transactions to link in; the rest is left to the next call. `waits`: selections without a run that may
    wait, because they say nothing about a skill.
    """
    with suppress(StoreError):
        link_runs(ctx, most=most, waits=waits)
        with ctx.store.read() as transaction:
            if requests.marks(transaction) is None:
                return
            runs, last = outcomes.reported_runs(transaction, _spoken(transaction, ctx))
            if not runs and not outcomes.is_stale(transaction):
                return
        with ctx.store.write() as transaction:
            outcomes.touch(transaction, runs)
            outcomes.tally(transaction)
            meta.put(transaction, f"{SPOKEN}:{ctx.name}", str(last))


def worths(library: Library, current: Mapping[str, str] | None = None) -> Mapping[str, Worth]:
    """The worth of each skill as of the last update; skills that were never selected are left out.

    `current`: the hash of each skill, if the caller knows them. Another text of a skill is measured on its own; its
    counts stay, and count again when the text comes back.
    """
    with library.ctx.store.read() as transaction:
        found = outcomes.tallies(transaction)
        base = _rate(meta.get(transaction, f"{BASE}:{library.ctx.name}"))
        elsewhere: dict[str, str] = json.loads(meta.get(transaction, f"{ELSEWHERE}:{library.ctx.name}", "{}"))
    if not found:
        return {}
    current = _current(library) if current is None else current
    there = {name: Counts(**sums) for (name, content), sums in found.items() if current.get(name) == content}
    return {
        name: Worth(
            counts=one,
            base=base,
            adjustment=without_lift(_adjustment(one, base))
            if elsewhere.get(name) == current.get(name)
            else _adjustment(one, base),
        )
        for name, one in there.items()
    }


def adjustments(library: Library, current: Mapping[str, str] | None = None) -> Mapping[str, Adjustment]:
    """What the runs of each skill do to its score, as of the last update."""
    return {name: one.adjustment for name, one in worths(library, current).items()}


def hurting(library: Library, current: Mapping[str, str] | None = None) -> Mapping[str, Adjustment]:
    """The skills without which runs surely go better; they are no longer selected."""
    return {name: one for name, one in adjustments(library, current).items() if one.hurts}


def as_document(worth: Worth) -> dict[str, object]:
    """The worth of a skill, as commands print it in JSON."""
    made, found = worth.counts, worth.lift
    shown = found and {"mean": found.mean, "low": found.low, "high": found.high, "measured": found.measured}
    return {
        "selected": made.selected,
        "given": {"runs": made.selected, "succeeded": made.given_succeeded, "failed": made.given_failed},
        "used": made.used,
        "succeeded": made.succeeded,
        "failed": made.failed,
        "lift": shown,
        "hurts": worth.adjustment.hurts,
    }


def line(skill: str, worth: Worth) -> str:
    """The worth of a skill in one sentence."""
    made = worth.counts
    if not made.selected and not made.withheld_runs:
        return "this version was never given to a session, as of the last `metier learn`"
    if worth.adjustment.hurts:
        return advice(skill, worth.adjustment)
    compared = (
        f"; compared {made.with_runs} runs with it and {made.withheld_runs} without" if made.withheld_runs else ""
    )
    ended = _ends(made.selected, made.given_succeeded, made.given_failed, " of these runs")
    return f"given {_times(made.selected)}{ended}; {_used(made)}{compared}; {worth.adjustment.reason}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _ends(count: int, succeeded: int, failed: int, of: str = "") -> str:
    """How so many runs ended, as far as that is known."""
    if not succeeded + failed:
        which = "that run" if count == 1 else "these runs"
        return f", and how {which} went is not known yet" if count else ""
    if count == 1:
        return f": that run {'succeeded' if succeeded else 'failed'}"
    return f": {succeeded}{of} succeeded, {failed} failed"


def _used(made: Counts) -> str:
    """How often it was used, as far as the runs say so."""
    if not made.told:
        return "whether a run used it is not known"
    return f"used {_times(made.used)}{_ends(made.used, made.succeeded, made.failed)}"


def advice(skill: str, found: Adjustment) -> str:
    """What to say about a skill that hurts, and what to do about it."""
    return (
        f"{skill} makes runs worse: {found.reason}. It is no longer selected."
        f" Go back to an earlier version: metier skills rollback {skill}. Or retire it: metier skills archive {skill}"
    )


def update_after_learning(
    library: Library, skills: Iterable[Skill], judged: Iterable[str], *, save: bool
) -> Generator[Event, None, tuple[str, ...]]:
    """Count the runs that were judged, and say which skills hurt."""
    there = {one.name: one for one in skills if _is_there(one)}
    current = {name: one.hash for name, one in there.items()}
    try:
        if save:
            _note_judged(library.ctx, judged)
            update_worths(library.ctx)
        found = worths(library, current)
    except MetierError as error:
        return (f"The worth of skills was not updated: {error}",)
    notes = [advice(name, one.adjustment) for name, one in found.items() if one.adjustment.hurts]
    for text in notes:
        yield Noted(stage="learn", text=text, level="warning")
    return tuple(notes)


@lru_cache(maxsize=10_000)
def _adjustment(counted: Counts, base: float) -> Adjustment:
    return adjustment_of(counted, base)


def _current(library: Library) -> Mapping[str, str]:
    """The hashes of the skills that agents see, as of the last look at the disk."""
    found: dict[str, str] = {}
    with library.ctx.store.read() as transaction:
        for root in roots_in_order(library.roots, library.ctx.config.skill_order):
            for skill, glance in glances.list_all(transaction, str(root.real)).items():
                found.setdefault(name_of(skill), glance.hash)
    return found


def _is_there(skill: Skill) -> bool:
    return not skill.shadowed_by and skill.status not in ("archived", "deleted")


def _note_judged(ctx: Context, judged: Iterable[str]) -> None:
    """Note that runs were judged, and the success rate of the workspace."""
    with ctx.store.read() as transaction:
        begun = requests.marks(transaction) is not None
    if begun:
        with ctx.store.write() as transaction:
            outcomes.touch(transaction, judged)
            meta.put(transaction, f"{BASE}:{ctx.name}", "{} {}".format(*outcomes.base(transaction)))


def _spoken(transaction: Transaction, ctx: Context) -> int:
    return int(meta.get(transaction, f"{SPOKEN}:{ctx.name}", "0"))


def _rate(base: str) -> float:
    """The success rate of a workspace from its counts; one half without any."""
    runs, good = (int(part) for part in base.split()) if base else (0, 0)
    return (good + 1) / (runs + 2)
