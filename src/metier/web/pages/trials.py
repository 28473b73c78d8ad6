"""Proof, trials: all of them, one with its two arms and interval, what a new one takes; start, stop, and their undo."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from metier.errors import InputError, NotFoundError
from metier.library.listing import list_skills
from metier.proof.replay.cases import list_cases
from metier.proof.trials.plan import GAINS, MOST_DAYS, latest_end, most_runs
from metier.proof.trials.state import peek_at_trial
from metier.proof.trials.trials import (
    find_trial,
    list_trials,
    offer_trial,
    resume_trial,
    start_trial,
    stop_trial,
    trial_subject,
)
from metier.web.answers import Done, Page, action_route, page_route
from metier.web.pages.decisions import prepare_agents

if TYPE_CHECKING:
    from metier.proof.trials.plan import PlannedTrial
    from metier.proof.trials.state import TrialState
    from metier.proof.trials.trials import TrialOffer
    from metier.types.proof import Trial
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard

SHOWN = 100
"""Trials on the page."""
STATES = {
    "running": "running",
    "helps": "✓ helps",
    "hurts": "✗ hurts",
    "undecided": "? undecided",
    "stopped": "stopped",
}
"""How a trial stands, in words."""
WIDTH, LEFT, RIGHT = 360, 30, 330
"""Of the picture of an interval, and where its axis begins and ends."""
LEAST = 0.3
"""Gain up to which the axis reaches at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalPicture:
    """An interval on an axis of gains: places from the left."""

    low: int
    high: int
    gain: int
    zero: int
    ticks: tuple[tuple[int, str], ...]
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """What a trial for one gain takes here."""

    plan: PlannedTrial
    points: int
    refused: bool
    """Whether it takes too long to start it unasked."""
    impossible: bool
    """Whether more would have to succeed than all."""
    most: int
    latest: str


def trials(board: Dashboard, _: Ask) -> Page:
    """The list."""
    found = list_trials(board.context)[:SHOWN]
    states = [peek_at_trial(board.context, one) for one in found]
    waiting = len(list_cases(board.context, "proposed"))
    values: dict[str, object] = {"states": states, "words": STATES, "waiting": waiting}
    return Page(template="trials.html", title="Proof", values=values)


def trial(board: Dashboard, ask: Ask) -> Page:
    """One trial."""
    found = _trial(board, ask.values["trial"])
    state = peek_at_trial(board.context, found)
    values: dict[str, object] = {"state": state, "words": STATES, "picture": interval_picture(state)}
    return Page(template="trial.html", title=f"Trial of {found.skill}", values=values)


def new_trial(board: Dashboard, ask: Ask) -> Page:
    """What a trial of a skill takes, before it starts."""
    one = trial_subject(board.ws.library, _skill(board, ask))
    stamp = (board.live.stamps()["runs"], one.hash, board.context.now()[:10])
    offer = board.figures.get(f"trial {one.skill}", stamp, lambda: offer_trial(board.ws.library, one.skill), slow=True)
    plans = [_plan(offer, plan, board.context.now()) for plan in offer.plans] if offer else []
    running = next((trial for trial in list_trials(board.context) if _runs(trial, one.skill)), None)
    values: dict[str, object] = {"subject": one, "offer": offer, "plans": plans, "limit": MOST_DAYS, "running": running}
    return Page(template="trial_new.html", title=f"A trial of {one.skill}", values=values)


def start(board: Dashboard, ask: Ask) -> Done:
    """Start a trial of a skill for a gain; what takes too long is refused, as in the command."""
    library = board.ws.library
    gain = next((one for one in GAINS if str(round(one * 100)) == ask.sent("points")), None)
    if gain is None:
        raise InputError("A trial looks for a gain of 10, 20 or 30 points.")
    made = start_trial(library, offer_trial(library, _skill(board, ask)), gain)
    prepare_agents(board)

    def undo() -> str:
        stop_trial(library, made.skill, "taken back")
        return f"The trial of {made.skill} is stopped: every session gets it again."

    said = f"Started: half of the sessions of {', '.join(made.agents)} go without {made.skill} now."
    return Done(said=said, undo=undo, command=f"metier trial stop {made.skill}", go=f"/proof/trials/{made.id}")


def stop(board: Dashboard, ask: Ask) -> Done:
    """Stop a running trial: every session gets the skill again."""
    library, found = board.ws.library, _trial(board, ask.values["trial"])
    if find_trial(board.context, found.skill).id != found.id:
        raise InputError(f"This trial of {found.skill} has ended already ({found.status}).")
    stop_trial(library, found.skill, ask.sent("reason"))

    def undo() -> str:
        resume_trial(library, found.id)
        return f"The trial of {found.skill} goes on."

    said = f"Stopped: every session gets {found.skill} again. What was seen stays."
    return Done(said=said, undo=undo, command=f"metier trial start {found.skill}")


def interval_picture(state: TrialState) -> IntervalPicture | None:
    """The interval of the gain as a picture; None: nothing is known yet."""
    found = state.result
    if not found.runs:
        return None
    low, high = found.interval.low, found.interval.high
    reach = max(LEAST, ceil(10 * max(abs(low), abs(high), abs(found.gain))) / 10)

    def place(gain: float) -> int:
        return round(LEFT + (gain + reach) / (2 * reach) * (RIGHT - LEFT))

    ticks = tuple(
        (place(one), f"{100 * one:+.0f}" if one else "0") for one in (-reach, -reach / 2, 0, reach / 2, reach)
    )
    words = (
        f"gain {100 * found.gain:+.0f} points, {100 * low:+.0f} to {100 * high:+.0f} with {found.interval.level:.0%}"
    )
    return IntervalPicture(
        low=place(low), high=place(high), gain=place(found.gain), zero=place(0.0), ticks=ticks, words=words
    )


def _plan(offer: TrialOffer, plan: PlannedTrial, now: str) -> TrialPlan:
    most = most_runs(plan, offer.rate)
    return TrialPlan(
        plan=plan,
        points=round(plan.gain * 100),
        refused=plan.days is None or plan.days > MOST_DAYS,
        impossible=round(offer.rate.success, 2) + plan.gain > 1,
        most=most,
        latest=latest_end(most, offer.rate, now),
    )


def _runs(trial: Trial, skill: str) -> bool:
    return trial.skill == skill and trial.status == "running"


def _skill(board: Dashboard, ask: Ask) -> str:
    """The skill of the address, by its exact name; a path is none."""
    name = ask.values["skill"]
    if name not in {one.name for one in list_skills(board.ws.library)}:
        raise NotFoundError(f"There is no skill '{name[:40]}' here.")
    return name


def _trial(board: Dashboard, name: str) -> Trial:
    """A trial by its id, or the start of it."""
    found = [one for one in list_trials(board.context) if len(name) >= 4 and one.id.startswith(name)]
    if len(found) != 1:
        raise NotFoundError(f"There is no trial '{name[:40]}' here.")
    return found[0]


ROUTES = (
    page_route("/proof", trials),
    page_route("/proof/trials/{trial}", trial),
    page_route("/proof/new/{skill}", new_trial),
    action_route("/proof/new/{skill}/start", start),
    action_route("/proof/trials/{trial}/stop", stop),
)
