"""What skills are worth here: how the runs went that got them, against those that had them withheld."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.errors import MetierError, StoreError
from metier.events import Noted
from metier.library.changes import turn
from metier.library.profiles import name_of
from metier.library.roots import ordered
from metier.selection.worth.link_runs import PAGE, link
from metier.selection.worth.utility import UNKNOWN, Adjustment, Counts, Lift, adjusted, lift
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
"""The fact that holds the last entry of the audit log that was followed; one for each workspace, as is the next."""
BASE = "outcomes.base"
"""The fact that holds how many of the newest runs were judged, and how many of them went well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What is known of one version of a skill."""

    counts: Counts
    base: float
    """The success rate of the workspace."""
    adjustment: Adjustment

    @property
    def lift(self) -> Lift | None:
        """What it adds to the success of runs; None: nothing is known."""
        return lift(self.counts, self.base)

    @property
    def is_proven(self) -> bool:
        """Whether runs with it surely go better than runs that had it withheld."""
        found = self.lift if self.counts.withheld_runs else None
        return found is not None and found.measured and found.low > 0


NOTHING = Worth(counts=Counts(), base=0.5, adjustment=UNKNOWN)


def counts(library: Library, current: Mapping[str, str] | None = None) -> Mapping[str, Counts]:
    """How runs went with each skill as it is now; `current`: the hash of each skill, if the caller knows them.

    Another text of a skill is another skill to measure: what was counted for it stays, and comes back with it.
    """
    return {name: one.counts for name, one in worths(library, current).items()}


def records(library: Library, current: Mapping[str, str] | None = None) -> Mapping[str, Adjustment]:
    """What the runs of each skill do to its score; of a great many new rows some are left to the next one who looks.

    Selections that no run came after say nothing about a score: up to some of them nobody writes anything for that.
    """
    _sum_up(library.ctx, most=1, waits=PAGE)
    return {name: one.adjustment for name, one in known_worths(library, current).items()}


def worths(library: Library, current: Mapping[str, str] | None = None) -> Mapping[str, Worth]:
    """All that is known of each skill as it is now; skills that were never selected are left out."""
    _sum_up(library.ctx)
    return known_worths(library, current)


def hurting(library: Library, current: Mapping[str, str] | None = None) -> Mapping[str, Adjustment]:
    """The skills without which runs surely go better; they are not chosen any more."""
    return {name: one.adjustment for name, one in known_worths(library, current).items() if one.adjustment.hurts}


def as_document(worth: Worth) -> dict[str, object]:
    """What is known of a skill, as commands print it."""
    made, found = worth.counts, worth.lift
    shown = found and {"mean": found.mean, "low": found.low, "high": found.high, "measured": found.measured}
    return {
        "selected": made.selected,
        "used": made.used,
        "succeeded": made.succeeded,
        "failed": made.failed,
        "lift": shown,
        "hurts": worth.adjustment.hurts,
    }


def line(skill: str, worth: Worth) -> str:
    """What is known of a skill, as a person reads it."""
    made = worth.counts
    if not made.selected and not made.withheld_runs:
        return "never selected as it is"
    if worth.adjustment.hurts:
        return advice(skill, worth.adjustment)
    compared = f"; compared: {made.with_runs} runs with it, {made.withheld_runs} without" if made.withheld_runs else ""
    went = f"selected {made.selected} times, used {made.used}, {made.succeeded} with success, {made.failed} without"
    return f"{went}{compared}; {worth.adjustment.reason}"


def advice(skill: str, found: Adjustment) -> str:
    """What to say of a skill that hurts, and what to do about it."""
    return (
        f"{skill} hurts: {found.reason}. It is not selected any more."
        f" An earlier version: metier skills rollback {skill}; out of sight: metier skills archive {skill}"
    )


def settle(
    library: Library, skills: Iterable[Skill], judged: Iterable[str], *, save: bool
) -> Generator[Event, None, tuple[str, ...]]:
    """The end of a pass that judged some runs: sum up, make proven skills active, and say which skills hurt."""
    there = {one.name: one for one in skills if _is_there(one)}
    current = {name: one.hash for name, one in there.items()}
    try:
        if save:
            _follow(library.ctx, judged)
        found = worths(library, current) if save else known_worths(library, current)
    except MetierError as error:
        return (f"What skills are worth was not summed up: {error}",)
    proven = [name for name, one in found.items() if one.is_proven and there[name].status == "provisional"]
    notes = [_promoted(library, name, found[name], save=save) for name in proven]
    notes += [advice(name, one.adjustment) for name, one in found.items() if one.adjustment.hurts]
    for text in notes:
        yield Noted(stage="learn", text=text, level="warning")
    return tuple(notes)


def _promoted(library: Library, skill: str, worth: Worth, *, save: bool) -> str:
    """Make a provisional skill active: its bytes stay, its history says why."""
    why = f"proven against runs that had it withheld: {worth.adjustment.reason}"
    if not save:
        return f"{skill} would be active: {why}."
    try:
        found = library.find(skill)
        last = found.last()
        if last is not None and last.status == "provisional":
            turn(library.ctx, found, last, "wake", status="active", why=why)
    except MetierError as error:
        return f"{skill} stays provisional, though it is {why}. {error}"
    return f"{skill} is active: {why}."


def known_worths(library: Library, current: Mapping[str, str] | None) -> Mapping[str, Worth]:
    """The same as of the last pass or selection; reads only."""
    with library.ctx.store.read() as transaction:
        found = outcomes.tallies(transaction)
        base = _rate(meta.get(transaction, f"{BASE}:{library.ctx.name}"))
    if not found:
        return {}
    current = _current(library) if current is None else current
    there = {name: Counts(**sums) for (name, content), sums in found.items() if current.get(name) == content}
    return {name: Worth(counts=one, base=base, adjustment=_adjusted(one, base)) for name, one in there.items()}


@lru_cache(maxsize=10_000)
def _adjusted(counted: Counts, base: float) -> Adjustment:
    return adjusted(counted, base)


def _current(library: Library) -> Mapping[str, str]:
    """The hashes of the skills that agents see, as of the last look at them."""
    found: dict[str, str] = {}
    with library.ctx.store.read() as transaction:
        for root in ordered(library.roots, library.ctx.config.skill_order):
            for skill, glance in glances.list_all(transaction, str(root.real)).items():
                found.setdefault(name_of(skill), glance.hash)
    return found


def _is_there(skill: Skill) -> bool:
    return not skill.shadowed_by and skill.status not in ("archived", "deleted")


def _follow(ctx: Context, judged: Iterable[str]) -> None:
    """Note that runs were judged, and how often runs go well here by now."""
    with ctx.store.read() as transaction:
        begun = requests.marks(transaction) is not None
    if begun:
        with ctx.store.write() as transaction:
            outcomes.touch(transaction, judged)
            meta.put(transaction, f"{BASE}:{ctx.name}", "{} {}".format(*outcomes.base(transaction)))


def _sum_up(ctx: Context, *, most: int = 2**62, waits: int = 0) -> None:
    """Bring links and sums up to date, if anything is new; where the store cannot be written they stay as they were."""
    with suppress(StoreError):
        link(ctx, most=most, waits=waits)
        with ctx.store.read() as transaction:
            if requests.marks(transaction) is None:
                return
            runs, last = outcomes.reported(transaction, _spoken(transaction, ctx))
            if not runs and not outcomes.is_stale(transaction):
                return
        with ctx.store.write() as transaction:
            outcomes.touch(transaction, runs)
            outcomes.tally(transaction)
            meta.put(transaction, f"{SPOKEN}:{ctx.name}", str(last))


def _spoken(transaction: Transaction, ctx: Context) -> int:
    return int(meta.get(transaction, f"{SPOKEN}:{ctx.name}", "0"))


def _rate(base: str) -> float:
    """The success rate of a workspace, from what was counted; one half where nothing was."""
    runs, good = (int(part) for part in base.split()) if base else (0, 0)
    return (good + 1) / (runs + 2)
