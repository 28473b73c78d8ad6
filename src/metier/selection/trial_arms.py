"""The trials that a session takes part in, and its side of each: a keyed hash decides, before anything is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.hooks.trial import arm_of
from metier.store.tables.selection import trials
from metier.store.tables.selection.trials import MovedSessions
from metier.types.selections import Assignment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.context.context import Context
    from metier.store.engines.engine import Transaction
    from metier.store.tables.selection.trials import TrialSession
    from metier.types.proof import Trial
    from metier.types.selections import Arm


def trial_key(ctx: Context, transaction: Transaction) -> bytes:
    """The key that decides on sides: this person's own; in a store that many machines share, that of the store."""
    return trials.shared_key(transaction) if ctx.config.store else ctx.key


def assignments_of(ctx: Context, current: Mapping[str, str], agent: str, session: str) -> tuple[Assignment, ...]:
    """The trials that a session takes part in: of the skills as they are now, among the sessions of that agent."""
    if not session:
        return ()
    with ctx.store.read() as transaction:
        running = [one for one in trials.list_all(transaction) if one.status == "running"]
        key = trial_key(ctx, transaction) if running else b""
        entered = {one: trials.side_of(transaction, one, session) for one in trials.moved_sessions(transaction)}
    return tuple(
        Assignment(trial=one.id, skill=one.skill, arm=cast("Arm", entered.get(one.id) or arm_of(key, one.id, session)))
        for one in running
        if key and current.get(one.skill) == one.hash and agent in one.agents
    )


def own_sessions(
    transaction: Transaction, key: bytes, trial: Trial, entered: Sequence[TrialSession]
) -> list[TrialSession]:
    """The sessions on the side that the key gives; those that entered in another store were checked there."""
    last, wrong = trials.moved_sessions(transaction).get(trial.id, MovedSessions())
    return [
        one
        for one in entered
        if (one.session not in wrong if one.entered <= last else one.arm == arm_of(key, trial.id, one.session))
    ]
