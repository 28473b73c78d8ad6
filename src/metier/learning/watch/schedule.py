"""When a pass of learning is due: decided from values alone, without a clock, a thread or a file."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, assert_never

from metier.store.tables import meta
from metier.store.tables.runs import arrivals
from metier.store.tables.runs.arrivals import MANY
from metier.types.runs import NO_ARRIVALS, Arrivals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    from metier.config import Config, Settings
    from metier.context.context import Context

DAY = timedelta(days=1)
FACT = "learn.passed"
"""Holds when the last completed pass began, and what had arrived by then; one for each workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often is looked, and how long is waited; all in seconds."""

    poll: float = 1.0
    """Between two looks at the store and the spool."""
    quiet: float = 2.0
    """No run arrives for so long: a burst is over."""
    longest: float = 30.0
    """A burst that does not end is learned from after this."""
    retry: float = 5.0
    """Before the first new try after a failure; doubled with each further one."""
    slowest: float = 900.0
    """Between two tries, at most."""
    grace: float = 5.0
    """For passes to stop when the watch is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Now: by the clock, which may jump, and in seconds that only ever go on."""

    wall: datetime
    ticks: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The last pass that was completed: when it began, and what had arrived by then."""

    at: datetime
    seen: Arrivals = NO_ARRIVALS


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How often something failed in a row, and until when it is left alone."""

    failures: int = 0
    until: float = 0.0

    def failed(self, ticks: float, pace: Pace) -> Backoff:
        """After one more failure."""
        wait = min(pace.slowest, pace.retry * 2.0 ** min(self.failures, 30))
        return Backoff(failures=self.failures + 1, until=ticks + wait)

    def postponed(self, ticks: float, pace: Pace) -> Backoff:
        """After somebody else was at it: nothing failed."""
        return replace(self, until=ticks + pace.retry)


FINE = Backoff()
"""Nothing failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is known of one workspace."""

    passed: Passed | None = None
    """None: there was no pass yet."""
    arrived: Arrivals = NO_ARRIVALS
    fresh: int = 0
    """Runs that arrived since the last pass."""
    first: float = 0.0
    """When something was first noticed that the last pass has not seen."""
    latest: float = 0.0
    """When something arrived last."""
    backoff: Backoff = FINE

    @property
    def pending(self) -> bool:
        """Whether something has arrived that no pass has seen."""
        return self.arrived.beyond(self.passed.seen if self.passed else NO_ARRIVALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A pass is to begin now."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """A pass comes in so many seconds; None: when the next run has arrived."""

    why: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """Nothing is learned here unasked; `hint` says how to change that."""

    why: str
    hint: str


def state_after_look(state: State, now: Moment, arrived: Arrivals, passed: Passed | None, fresh: int) -> State:
    """The state after a look at the store."""
    changed = arrived != state.arrived
    goes_on = state.pending and passed == state.passed
    state = replace(state, arrived=arrived, passed=passed, fresh=fresh)
    return replace(
        state,
        first=state.first if goes_on and state.pending else now.ticks,
        latest=now.ticks if changed else state.latest,
    )


def watched_config(settings: Settings) -> Config:
    """The settings as a watch takes them: a person started it, so it learns unless they set mode to observe."""
    if settings.sources["mode"] != "default":
        return settings.config
    return replace(settings.config, mode="draft")


def due(
    state: State, now: Moment, config: Config, pace: Pace | None = None, zone: tzinfo | None = None
) -> Due | Later | Never:
    """Whether a pass is to begin, and why; without a zone, times are those of this machine."""
    if not config.enabled:
        return Never(why="enabled is false: nothing is recorded or learned", hint="set enabled = true")
    if config.mode == "observe":
        why = "mode is observe: runs are recorded, nothing learns by itself"
        return Never(why=why, hint='set mode = "draft" or "apply", or run `metier learn`')
    pace = pace or Pace()
    match config.learning.trigger:
        case "manual":
            why = "trigger is manual: runs are recorded, nothing learns by itself"
            return Never(why=why, hint='run `metier learn`, or set trigger = "after_run"')
        case "after_run":
            found = _after_run(state, now, pace)
        case "scheduled":
            found = _scheduled(state, now, config.learning.times, zone)
        case _:
            assert_never(config.learning.trigger)
    return _held_back(found, state.backoff, now)


def _after_run(state: State, now: Moment, pace: Pace) -> Due | Later:
    if not state.pending:
        return Later(why="waits for the next run")
    what = _counted(state.fresh)
    left = min(state.latest + pace.quiet, state.first + pace.longest) - now.ticks
    return Due(why=what) if left <= 0 else Later(why=what, seconds=left)


def _counted(fresh: int) -> str:
    if fresh >= MANY:
        return f"{MANY:,} or more new runs"
    return f"{fresh:,} new run{'' if fresh == 1 else 's'}" if fresh else "changed runs"


def _scheduled(state: State, now: Moment, times: Sequence[str], zone: tzinfo | None) -> Due | Later | Never:
    if not times:
        return Never(why="trigger is scheduled, but times is empty", hint='set times = ["03:05"]')
    slots = list(_slots(now.wall, times, zone))
    past = max(slot for slot in slots if slot[0] <= now.wall)
    coming = min(slot for slot in slots if slot[0] > now.wall)
    if state.passed is not None and _since(state.passed.at, now.wall) < past[0]:
        late = now.wall - past[0] > timedelta(minutes=1)
        return Due(why=f"{past[1]} was missed" if late else past[1])
    return Later(why=coming[1], seconds=(coming[0] - now.wall).total_seconds())


def _since(at: datetime, now: datetime) -> datetime:
    """When the last pass was; one that is days ahead of now was made by a clock that was wrong, and counts as long ago.

    A little ahead means that the clock was set back meanwhile: what ran already does not run again.
    """
    return at if at - now <= DAY else now - 2 * DAY


def _slots(now: datetime, times: Sequence[str], zone: tzinfo | None) -> Iterator[tuple[datetime, str]]:
    """The moments around now at which a pass is to begin, each with the time it stands for.

    A local time that does not exist on a day (clocks go forward) is the moment as many minutes later; of one that
    comes twice (clocks go back) it is the first.
    """
    today = now.astimezone(zone).date()
    for day in (today + days * DAY for days in (-2, -1, 0, 1, 2)):
        for text in times:
            local = datetime.combine(day, time.fromisoformat(text), tzinfo=zone)
            yield datetime.fromtimestamp(local.timestamp(), UTC), text  # astimezone() errs where clocks go forward


def _held_back(found: Due | Later | Never, backoff: Backoff, now: Moment) -> Due | Later | Never:
    if isinstance(found, Due) and now.ticks < backoff.until:
        why = (
            f"{found.why}, but the last try failed" if backoff.failures else f"{found.why}, but somebody else is at it"
        )
        return Later(why=why, seconds=backoff.until - now.ticks)
    return found


def look_at_passes(ctx: Context) -> tuple[Arrivals, Passed | None, int]:
    """What has arrived, the last pass, and how many runs arrived after it."""
    with ctx.store.read() as transaction:
        arrived = arrivals.read_arrivals(transaction)
        passed = _parsed(meta.get(transaction, f"{FACT}:{ctx.name}"))
        seen = passed.seen if passed else NO_ARRIVALS
        fresh = arrivals.count(transaction, seen.newest) if arrived.newest > seen.newest else 0
    return arrived, passed, fresh


def begin_pass(ctx: Context) -> Passed:
    """A pass that begins now; hand it to `complete_pass` when it has gone through."""
    with ctx.store.read() as transaction:
        return Passed(at=ctx.clock().astimezone(UTC), seen=arrivals.read_arrivals(transaction))


def complete_pass(ctx: Context, passed: Passed) -> None:
    """Remember a pass that has gone through, unless a later one is known; what arrived meanwhile is the next one's."""
    text = json.dumps({"at": passed.at.isoformat(), "newest": passed.seen.newest, "revisions": passed.seen.revisions})
    with ctx.store.write() as transaction:
        known = _parsed(meta.get(transaction, f"{FACT}:{ctx.name}"))
        if known is None or not passed.at < known.at <= ctx.clock():
            meta.put(transaction, f"{FACT}:{ctx.name}", text)


def _parsed(text: str) -> Passed | None:
    try:
        found = json.loads(text)
        seen = Arrivals(newest=int(found["newest"]), revisions=int(found["revisions"]))
        return Passed(at=datetime.fromisoformat(found["at"]).astimezone(UTC), seen=seen)
    except (ValueError, KeyError, TypeError):
        return None
