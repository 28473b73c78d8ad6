"""Start, stop and settle trials; a trial's verdict acts only where a person started it, and never ships new text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from secrets import token_bytes
from typing import TYPE_CHECKING
from uuid import uuid4

from metier.context.audit import note_action
from metier.errors import ConflictError, NotFoundError, RefusedError
from metier.library.changes import archive_skill, change_status
from metier.library.hand_edits import record_hand_edit
from metier.library.profiles import profile_of
from metier.proof.trials.due import due_rate, withheld_agents
from metier.proof.trials.plan import MOST_DAYS, most_runs, plan_trial
from metier.proof.trials.state import TrialState, look_at_trial, shown
from metier.proof.trials.verdict import is_kept, verdict_of
from metier.selection.worth.outcomes import update_worths
from metier.store.tables.selection import trials
from metier.types.proof import Trial

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.library.skills import Library
    from metier.proof.trials.due import DueRate
    from metier.proof.trials.plan import PlannedTrial
    from metier.types.proof import TrialStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSubject:
    """What a trial is of: a version of a skill, and the agents that can go without it."""

    skill: str
    hash: str
    agents: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOffer(TrialSubject):
    """What a trial of a skill would take, before it starts."""

    rate: DueRate
    plans: tuple[PlannedTrial, ...]


def trial_subject(library: Library, skill: str) -> TrialSubject:
    """What a trial would be of; RefusedError where the skill cannot be withheld."""
    ctx = library.ctx
    found = library.find(skill)
    record_hand_edit(ctx, found)
    last = found.last()
    if last is None or last.out:
        raise RefusedError(f"{skill} is not in use, so there is nothing to try. See: metier skills list")
    if profile_of(ctx, found).pinned:
        raise RefusedError(f"{skill} is pinned: it is in every run. Unpin it first: metier skills unpin {skill}")
    return TrialSubject(skill=found.skill, hash=last.hash, agents=withheld_agents(ctx, found))


def offer_trial(library: Library, skill: str) -> TrialOffer:
    """What a trial would take, which may need some seconds; RefusedError where the skill cannot be withheld."""
    ctx = library.ctx
    one = trial_subject(library, skill)
    rate = due_rate(ctx, one.skill, one.agents)
    plans = plan_trial(rate, ctx.now())
    return TrialOffer(skill=one.skill, hash=one.hash, agents=one.agents, rate=rate, plans=plans)


def start_trial(library: Library, offer: TrialOffer, gain: float, *, force: bool = False) -> Trial:
    """Start the trial of an offer; RefusedError where it would take too long, unless forced."""
    ctx = library.ctx
    plan = next(one for one in offer.plans if one.gain == gain)
    if not force and (plan.days is None or plan.days > MOST_DAYS):
        raise RefusedError(why_too_long(offer, plan))
    days = max(MOST_DAYS, plan.days or 0.0) * (2 if force else 1)
    until = datetime.fromisoformat(ctx.now()) + timedelta(days=min(days, 3_650))
    trial = Trial(
        id=uuid4().hex,
        workspace=ctx.name,
        skill=offer.skill,
        hash=offer.hash,
        agents=offer.agents,
        gain=gain,
        most=most_runs(plan, offer.rate),
        until=until.isoformat(timespec="seconds").replace("+00:00", "Z"),
        started=ctx.now(),
    )
    with ctx.store.write() as transaction:
        if any(one.skill == trial.skill and one.status == "running" for one in trials.list_all(transaction)):
            raise ConflictError(f"A trial of {trial.skill} runs already. See: metier trial status {trial.skill}")
        if ctx.config.store:
            trials.make_key(transaction, token_bytes(32))
        trials.put(transaction, trial)
        note_action(transaction, ctx, "start trial", trial.skill, f"{round(gain * 100)} points, {trial.most} runs")
    return trial


def why_too_long(offer: TrialOffer, plan: PlannedTrial) -> str:
    """Why a trial is not worth starting, and what to do instead."""
    points = f"{round(plan.gain * 100)} points"
    if not offer.rate.sessions:
        return (
            f"No trial was started: the hook would have given {offer.skill} in no session of {offer.rate.time}."
            " To start one all the same: --force"
        )
    why = (
        f"a gain of {points} would take about {round(plan.days or 0)} days, and {MOST_DAYS} are the limit"
        if plan.runs
        else f"a gain of {points} is not possible, or cannot be found, at {offer.rate.success:.0%} success"
    )
    shorter = [one for one in offer.plans if one.days is not None and one.days <= MOST_DAYS]
    other = f" Look for a larger gain: --gain {round(shorter[0].gain * 100)}." if shorter else ""
    return f"No trial was started: {why}.{other} To start it all the same: --force"


def list_trials(ctx: Context) -> list[Trial]:
    """All trials, the newest first."""
    with ctx.store.read() as transaction:
        return trials.list_all(transaction)


def find_trial(ctx: Context, skill: str) -> Trial:
    """The running trial of a skill, else its newest one."""
    found = [one for one in list_trials(ctx) if one.skill == skill]
    if not found:
        raise NotFoundError(f"There is no trial of '{skill}'. Start one: metier trial start {skill}")
    return next((one for one in found if one.status == "running"), found[0])


def stop_trial(library: Library, skill: str, reason: str = "") -> TrialState:
    """Stop the running trial of a skill: every session gets it again. What was seen stays."""
    ctx, trial = library.ctx, find_trial(library.ctx, skill)
    if trial.status != "running":
        raise RefusedError(f"The trial of {skill} has ended already ({trial.status}).")
    state = look_at_trial(ctx, trial)
    return _end(ctx, state, "stopped", ctx.redact(reason) or f"stopped by a person; {shown(state)}")


def settle_trials(library: Library) -> list[TrialState]:
    """Look at every running trial; end those that can tell, that have run long enough, or whose skill changed."""
    running = [one for one in list_trials(library.ctx) if one.status == "running"]
    if running:
        update_worths(library.ctx)
    return [_settle(library, one) for one in running]


def resume_trial(library: Library, trial: str) -> Trial:
    """Go on with a trial that a person stopped; refused if its skill changed or another one runs."""
    ctx = library.ctx
    found = next((one for one in list_trials(ctx) if one.id == trial), None)
    if found is None or found.status != "stopped":
        raise RefusedError("There is no stopped trial to go on with. See: metier trial list")
    last = library.find(found.skill).last()
    if last is None or last.out or last.hash != found.hash:
        raise RefusedError(f"{found.skill} changed since. A new trial: metier trial start {found.skill}")
    again = replace(found, status="running", ended="", reason="")
    with ctx.store.write() as transaction:
        if any(one.skill == found.skill and one.status == "running" for one in trials.list_all(transaction)):
            raise ConflictError(f"A trial of {found.skill} runs already. See: metier trial status {found.skill}")
        trials.put(transaction, again)
        note_action(transaction, ctx, "resume trial", found.skill, "")
    return again


def _settle(library: Library, trial: Trial) -> TrialState:
    """Act on what a trial shows, then end it: killed in between, the next look does the same again."""
    ctx = library.ctx
    state = look_at_trial(ctx, trial)
    found = library.find(trial.skill)
    last = found.last()
    verdict = verdict_of(state.result, trial.most)
    if verdict == "hurts":
        return _end(ctx, _paused(library, state), verdict, shown(state))
    if last is None or last.out or last.hash != trial.hash:
        return _end(ctx, state, "stopped", f"the skill was changed or taken away meanwhile; {shown(state)}")
    if verdict == "helps":
        return _end(ctx, _promoted(library, state), verdict, shown(state))
    if verdict == "undecided":
        state = state if is_kept(verdict, state.result) else _paused(library, state)
        return _end(ctx, state, verdict, f"too few runs to tell: {shown(state)}")
    return replace(state, note=_overdue(state)) if ctx.now() >= trial.until else state


def _overdue(state: TrialState) -> str:
    """What a person is asked when the days of a trial are over; a clock can be wrong, so that alone ends nothing."""
    trial = state.trial
    return (
        f"The trial of {trial.skill} is overdue: {state.result.runs} of at most {trial.most} runs, and it cannot tell"
        f" yet. Stop it, and the skill stays in use: metier trial stop {trial.skill}. Or let it run to its end."
    )


def _end(ctx: Context, state: TrialState, status: TrialStatus, reason: str) -> TrialState:
    ended = replace(state.trial, status=status, ended=ctx.now(), reason=reason)
    with ctx.store.write() as transaction:
        trials.end(transaction, ended)
        note_action(transaction, ctx, f"trial ends: {status}", ended.skill, reason)
    note = state.note or f"The trial of {ended.skill} has ended ({status}): {reason}."
    return replace(state, trial=ended, note=note)


def _promoted(library: Library, state: TrialState) -> TrialState:
    """A provisional skill that helps becomes active; its text stays, its history says why."""
    found = library.find(state.trial.skill)
    last = found.last()
    if last is None or last.status != "provisional":
        return replace(state, note=f"{found.skill} helps and stays in use: {shown(state)}.")
    why = f"its trial says that it helps: {shown(state)}"
    change_status(library.ctx, found, last, "wake", status="active", why=why)
    note = f"{found.skill} helps and is active now: {shown(state)}. Undo: metier skills archive {found.skill}"
    return replace(state, note=note)


def _paused(library: Library, state: TrialState) -> TrialState:
    """A skill without which runs go better is taken out of sight until a person decides."""
    skill = state.trial.skill
    last = library.find(skill).last()
    if last is not None and not last.out:
        archive_skill(library, skill, f"paused after its trial: {shown(state)}")
    note = f"Paused {skill}: runs went better without it ({shown(state)}). Undo: metier skills restore {skill}"
    return replace(state, note=note)
