"""`metier trial`: does a skill help? Half of the sessions go without it, and the outcomes are compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, open_workspace, prepare_hooks
from metier.cli.output import console, emit, table, talk, visible

if TYPE_CHECKING:
    from metier.proof.trials.state import TrialState
    from metier.proof.trials.trials import TrialOffer
    from metier.types.proof import Trial

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Find out whether a skill helps: half of the sessions go without it.\n\nExample:  metier trial start deploy",
)
SkillArgument = Annotated[str, typer.Argument(metavar="SKILL", help="The skill's name.")]


@app.callback()
def trial() -> None:
    """Find out whether a skill helps: half of the sessions go without it.

    Example:  metier trial start deploy
    """


@app.command()
def start(
    ctx: typer.Context,
    skill: SkillArgument,
    gain: Annotated[int, typer.Option(metavar="POINTS", help="The gain to look for: 10, 20 or 30 points.")] = 20,
    force: Annotated[bool, typer.Option("--force", help="Start it even if it takes more than 90 days.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what it takes, and start nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Start a trial of a skill that the hook gives to agents.

    A keyed hash of the session decides who goes without it: nobody can choose. The number of runs comes from a
    simulation of the test itself, at your own rate of sessions and success.

    Example:  metier trial start deploy  ·  metier trial start deploy --gain 30
    """
    from metier.errors import UsageError
    from metier.proof.trials.plan import GAINS
    from metier.proof.trials.trials import offer_trial, start_trial

    wanted = next((one for one in GAINS if round(one * 100) == gain), None)
    if wanted is None:
        raise UsageError("--gain is 10, 20 or 30 points.")
    with open_workspace(ctx) as ws:
        prepare_hooks(ws)
        offer = offer_trial(ws.library, skill)
        if not as_json:
            _print_offer(offer)
        started = None if dry_run else start_trial(ws.library, offer, wanted, force=force)
    if as_json:
        emit(offer_row(offer) | {"trial": started and trial_row(started)})
    elif started:
        agents = ", ".join(started.agents)
        talk(f"Started: half of the sessions of {agents} go without {skill} now. Undo: metier trial stop {skill}")
        talk(_end_words(started, offer))


@app.command()
def status(ctx: typer.Context, skill: SkillArgument, as_json: AsJson = False) -> None:
    """Show what the trial of a skill shows so far. You may look as often as you like.

    Example:  metier trial status deploy
    """
    from metier.proof.trials.state import look_at_trial
    from metier.proof.trials.trials import find_trial, settle_trials

    with open_workspace(ctx) as ws:
        settled = {one.trial.skill: one for one in settle_trials(ws.library)}
        state = settled.get(skill) or look_at_trial(ws.context, find_trial(ws.context, skill))
    if as_json:
        emit(state_row(state))
    else:
        _print_state(state)


@app.command()
def stop(
    ctx: typer.Context,
    skill: SkillArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why; goes into the audit log.")] = "",
    as_json: AsJson = False,
) -> None:
    """Stop the trial of a skill: every session gets it again.

    Example:  metier trial stop deploy
    """
    from metier.proof.trials.trials import stop_trial

    with open_workspace(ctx) as ws:
        state = stop_trial(ws.library, skill, reason)
    if as_json:
        emit(state_row(state))
    else:
        _print_state(replace(state, note=""))
        talk(f"Stopped: every session gets {skill} again. A new trial: metier trial start {skill}")


@app.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List all trials, the newest first.

    Example:  metier trial list
    """
    from metier.proof.trials.trials import list_trials

    with open_workspace(ctx) as ws:
        found = list_trials(ws.context)
    if as_json:
        emit([trial_row(one) for one in found])
    elif not found:
        talk("No trials yet. Start one: metier trial start SKILL")
    else:
        rows = [(one.skill, one.status, one.started[:10], one.ended[:10] or "-", one.reason or "-") for one in found]
        console().print(table(("skill", "status", "started", "ended", "what it showed"), rows, grow="what it showed"))


def trial_row(found: Trial) -> dict[str, object]:
    """A trial as JSON."""
    return {
        "id": found.id,
        "skill": found.skill,
        "hash": found.hash,
        "agents": list(found.agents),
        "status": found.status,
        "gain": found.gain,
        "most_runs": found.most,
        "until": found.until,
        "started": found.started,
        "ended": found.ended or None,
        "reason": found.reason or None,
    }


def offer_row(offer: TrialOffer) -> dict[str, object]:
    """What a trial takes, as JSON."""
    plans = [{"gain": one.gain, "runs": one.runs, "days": one.days, "ends": one.ends or None} for one in offer.plans]
    return {
        "skill": offer.skill,
        "agents": list(offer.agents),
        "sessions_a_day": offer.rate.a_day,
        "success": offer.rate.success,
        "plans": plans,
    }


def state_row(state: TrialState) -> dict[str, object]:
    """What a trial shows, as JSON."""
    found = state.result
    return trial_row(state.trial) | {
        "with": {"runs": found.with_runs, "succeeded": found.with_successes},
        "without": {"runs": found.without_runs, "succeeded": found.without_successes},
        "difference": found.gain,
        "interval": {"low": found.interval.low, "high": found.interval.high, "level": found.interval.level},
        "evidence": {"helps": found.helps, "hurts": found.hurts},
        "sessions": state.sessions,
        "waiting": state.waiting,
        "infrastructure": state.outside,
        "unverified": state.unverified,
        "note": state.note or None,
    }


def _print_offer(offer: TrialOffer) -> None:
    rate = offer.rate
    known = f"; {rate.success:.0%} of them succeed" if rate.judged else ""
    talk(f"{offer.skill} was due in {rate.a_day:.1f} sessions a day in {rate.time}{known}.")
    rows = [
        (
            f"+{round(one.gain * 100)} points",
            "-" if one.runs is None else f"{one.runs:,}",
            "-" if one.days is None else f"{one.days:,.0f}",
            one.ends or ("not possible: above 100%" if rate.success + one.gain > 1 else "never"),
        )
        for one in offer.plans
    ]
    console().print(table(("gain", "runs needed", "days", "found by"), rows))
    talk("One run a session counts. 8 of 10 trials find the gain by then; 1 of 20 calls a useless skill helpful.")


def _end_words(trial: Trial, offer: TrialOffer) -> str:
    """When a trial ends, and what becomes of the skill if it cannot tell."""
    from metier.proof.trials.plan import latest_end

    day = latest_end(trial.most, offer.rate, trial.started)
    return (
        f"It ends by itself after {trial.most} runs at the latest{f', about {day}' if day else ''}. If it cannot tell"
        f" by then, the skill stays unless its runs went worse. See: metier trial status {trial.skill}"
    )


def _print_state(state: TrialState) -> None:
    from metier.proof.trials.state import shown

    found = state.trial
    console().print(visible(f"{found.skill}: {found.status}, since {found.started[:10]}"))
    console().print(f"  {shown(state)}")
    console().print(
        f"  {state.sessions} sessions entered: {state.result.runs} count, {state.waiting} wait for an outcome,"
        f" {state.outside} failed for a reason outside the work (in neither arm)"
    )
    if state.unverified:
        console().print(f"  {state.unverified} sessions are in no arm that your key gives: left out")
    if found.status == "running":
        helps, hurts = state.result.helps, state.result.hurts
        console().print(f"  evidence that it helps {helps:.3g}, that it hurts {hurts:.3g}; 20 is enough")
        console().print(f"  ends after {found.most} runs at the latest")
    if state.note:
        talk(state.note)
