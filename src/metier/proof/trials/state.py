"""What a trial shows so far: its two arms, what waits, what counts in neither, in the order outcomes became known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.proof.infrastructure import failed_outside
from metier.selection.trial_arms import own_sessions, trial_key
from metier.statistics.two_arms import ArmsResult, compare_arms
from metier.store.tables.runs import runs
from metier.store.tables.selection import trials

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.context.context import Context
    from metier.store.tables.selection.trials import TrialSession
    from metier.types import Run
    from metier.types.proof import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialState:
    """A trial with what it shows so far."""

    trial: Trial
    result: ArmsResult
    sessions: int
    """Sessions that entered."""
    waiting: int
    """Those whose outcome is not known yet."""
    outside: int
    """Those that failed for a reason outside the work: in neither arm."""
    unverified: int = 0
    """Those whose arm is not the one that the key gives: in neither arm."""
    note: str = ""
    """What was done about it just now."""


def look_at_trial(ctx: Context, trial: Trial) -> TrialState:
    """What a trial shows so far; outcomes that have become known get their places."""
    entered, records = _entered(ctx, trial)
    return _state_of(ctx, trial, _placed(ctx, trial, entered, records), records)


def peek_at_trial(ctx: Context, trial: Trial) -> TrialState:
    """The same without a trace: what has no place yet counts behind the others. Writes nothing."""
    entered, records = _entered(ctx, trial)
    last = max((one.position or 0 for one in entered), default=0)
    known = (
        {one.session for one in _countable(ctx, trial, entered, records)} if trial.status == "running" else set[str]()
    )
    placed = [
        one._replace(position=last + at) if one.position is None and one.session in known else one
        for at, one in enumerate(entered, 1)
    ]
    return _state_of(ctx, trial, placed, records)


def trial_by_model(ctx: Context, trial: Trial) -> dict[str, TrialState]:
    """What a trial shows on each model alone; runs that do not name theirs are left out."""
    entered, records = _entered(ctx, trial)
    models = {one.run: records[one.run].model for one in entered if one.run in records and records[one.run].model}
    entered = _placed(ctx, trial, entered, records)
    parts = {model: [one for one in entered if models.get(one.run) == model] for model in sorted({*models.values()})}
    return {model: _state_of(ctx, trial, part, records) for model, part in parts.items()}


def _entered(ctx: Context, trial: Trial) -> tuple[list[TrialSession], dict[str, Run]]:
    """The sessions of a trial, and the runs that count."""
    with ctx.store.read() as transaction:
        entered = trials.sessions(transaction, trial)
        found = runs.get_many(transaction, [one.run for one in entered if one.run])
    return entered, {one.id: one.run for one in found}


def _own(ctx: Context, trial: Trial, entered: Sequence[TrialSession]) -> list[TrialSession]:
    """The sessions on the side that the key gives."""
    with ctx.store.read() as transaction:
        return own_sessions(transaction, trial_key(ctx, transaction), trial, entered)


def _is_outside(one: TrialSession, records: Mapping[str, Run]) -> bool:
    return one.run in records and bool(failed_outside(records[one.run]))


def _countable(
    ctx: Context, trial: Trial, entered: Sequence[TrialSession], records: Mapping[str, Run]
) -> list[TrialSession]:
    """The sessions that count: on their own side, with an outcome that the work decided."""
    own = _own(ctx, trial, entered)
    return [one for one in own if one.went is not None and not _is_outside(one, records)]


def _state_of(ctx: Context, trial: Trial, entered: Sequence[TrialSession], records: Mapping[str, Run]) -> TrialState:
    own = _own(ctx, trial, entered)
    outside = sum(_is_outside(one, records) for one in own)
    known = [one for one in own if one.went is not None and not _is_outside(one, records)]
    ordered = sorted((one for one in known if one.position is not None), key=lambda one: one.position or 0)
    return TrialState(
        trial=trial,
        result=compare_arms([(one.arm == "with", bool(one.went)) for one in ordered]),
        sessions=len(entered),
        waiting=len(own) - outside - len(ordered),
        outside=outside,
        unverified=len(entered) - len(own),
    )


def shown(state: TrialState) -> str:
    """What a trial shows, in one line."""
    found = state.result
    if not found.runs:
        return "no outcome is known yet"
    arms = (
        f"{found.with_successes} of {found.with_runs} runs succeeded with it,"
        f" {found.without_successes} of {found.without_runs} without"
    )
    low, high = 100 * found.interval.low, 100 * found.interval.high
    return f"{arms}; gain {100 * found.gain:+.0f} points ({low:+.0f} to {high:+.0f}, {found.interval.level:.0%})"


def _placed(ctx: Context, trial: Trial, entered: list[TrialSession], records: Mapping[str, Run]) -> list[TrialSession]:
    """The sessions with places for outcomes that became known; their order stays, whatever arrives later."""
    if trial.status != "running":
        return entered
    new = [one.session for one in _countable(ctx, trial, entered, records) if one.position is None]
    if not new:
        return entered
    with ctx.store.write() as transaction:
        trials.place(transaction, trial.id, new)
    with ctx.store.read() as transaction:
        places = {one.session: one.position for one in trials.sessions(transaction, trial)}
    return [one._replace(position=places[one.session]) for one in entered]
