"""Training a skill: search behind the gate, confirm on fresh cases, and keep all of it under one id."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.context.state_folder import exclusive_lock
from metier.errors import BusyError
from metier.statistics.error_spending import Spending
from metier.statistics.pairs import pairs_of
from metier.statistics.power import Plan, sentence
from metier.store.tables.training import cases as suites
from metier.store.tables.training import trainings
from metier.store.tables.training.trainings import Training
from metier.training.cases.splits import by_ratio
from metier.training.events import CheckingAgent, Confirmed, Confirming, Decided, Event, RolloutsAdvanced, dump
from metier.training.gates import confirm as last_gate
from metier.training.loop import train as search
from metier.training.proposing.memory import RejectedEdit
from metier.training.report.report import ReportContext, report
from metier.training.rollouts.rollout import BudgetSpent
from metier.training.rollouts.usage import rollout_usage, sum_usage
from metier.training.scores import Metric
from metier.training.service.models import identity_of
from metier.training.service.order import pack_package
from metier.training.service.resources import TrainingResources, open_resources, optimiser_of
from metier.training.targets.parse import model_of, target_name

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    from metier.context.context import Context
    from metier.models.layers.replay_failures import ReplayFailures
    from metier.skills.package import Package
    from metier.training.cases.splits import Splits
    from metier.training.gates.confirm import Confirmation
    from metier.training.result import Trained
    from metier.training.rollouts.pool import Pending
    from metier.training.service.order import Order
    from metier.types import Draft
    from metier.types.skills import Version
    from metier.types.trials import Case, Rollout

Json = dict[str, object]
FRESH = 3
"""The urgency of the last rollouts: nothing else is left to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a training came to; `report` is what the store keeps, and holds everything but the packages."""

    training: Training
    trained: Trained
    confirmation: Confirmation | None
    report: Json
    result: Version | Draft | None = None
    """What became of the best skill: it shipped, or waits; None: nothing better was found, or it is of no library."""
    package: Path | None = None
    """Where its files were written, for a skill of no library or on request."""


def train(ctx: Context, order: Order, environ: Mapping[str, str] | None = None) -> Generator[Event, None, Finished]:
    """Train a skill; the same order again takes up where it stopped, and pays for nothing twice."""
    splits = by_ratio(order.cases)
    name = order.id(target_name(ctx, order.target), identity_of(ctx, order.optimiser))
    with _alone(ctx, name):
        return (yield from _train(ctx, order, splits, name, os.environ if environ is None else environ))


def _train(
    ctx: Context, order: Order, splits: Splits, name: str, environ: Mapping[str, str]
) -> Generator[Event, None, Finished]:
    account, events = f"train:{name}", list[Json]()
    with open_resources(ctx, order, account, environ) as place:
        optimiser = optimiser_of(place, order, account, environ)
        if not _is_finished(ctx, name):  # what is finished needs no model and no agent any more
            place.models.check_payable(order.optimiser)
            if place.agent:
                yield CheckingAgent(program=place.agent.words[0])
                place.check_agent()
        training, known, done = _begin_training(ctx, order, name)
        ahead = order.spec.ahead and not order.limits.any and not done  # what is done needs nothing more
        order = replace(order, spec=replace(order.spec, ahead=ahead))
        found = search(
            order.start, splits, place.roller, optimiser, place.pool, order.spec, known=known, gate=order.gate
        )
        trained = yield from _Watch(ctx, place, training, optimiser, events).over(found)
        training = _count_look(ctx, training, splits, trained)
        told, stopped = yield from _confirm(place, splits, order, trained, look=max(1, training.look))
        events += [dump(event) for event in _last_words(told)]
        prices = place.models.price(model_of(order.target)), place.models.price(order.optimiser)
        told = replace(told, target_price=prices[0], optimiser_price=prices[1])
        if stopped:
            place.closing.stop(stopped)
        rollouts, amount = place.spent()
    training = replace(training, status="stopped" if stopped else "finished", reason=stopped, updated=ctx.now())
    body = {
        **_identity(training, place.target),
        **report(trained, told),
        "stopped": stopped,
        "rollouts": rollouts,
        "calls": amount.calls,
        "tokens": amount.tokens,
        "cost_usd": None if amount.cost_usd is None else float(amount.cost_usd),
        "events": events,
    }
    with ctx.store.write() as transaction:
        trainings.save(transaction, training, json.dumps(body))
    return Finished(training=training, trained=trained, confirmation=told.confirmation, report=body)


@contextmanager
def _alone(ctx: Context, name: str) -> Generator[None]:
    """At most one process at a training: what it may spend is counted by the one that spends it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(exclusive_lock(ctx, 0, f"train-{name}"))
        except BusyError:
            raise BusyError(f"Training {name} is already running in another process. Nothing was started.") from None
        yield


def _is_finished(ctx: Context, name: str) -> bool:
    with ctx.store.read() as transaction:
        there = trainings.find(transaction, name)
    return there is not None and there.status == "finished"


def _begin_training(ctx: Context, order: Order, name: str) -> tuple[Training, tuple[RejectedEdit, ...], bool]:
    """The training's row, what earlier ones of this skill saw rejected when it first began, whether it was done."""
    target, optimiser = target_name(ctx, order.target), identity_of(ctx, order.optimiser)
    with ctx.store.write() as transaction:
        there = trainings.find(transaction, name)
        known = there.known if there else _rejected_before(trainings.reports(transaction, order.skill))
        training = Training(
            id=name,
            workspace=ctx.name,
            skill=order.skill,
            base_hash=order.start.hash(),
            spec=order.spec.canonical(),
            target=order.target if isinstance(order.target, str) else target,
            optimiser=order.optimiser if isinstance(order.optimiser, str) else optimiser,
            limits=order.limits.canonical(),
            workers=order.workers,
            seconds=order.seconds,
            commands=order.commands,
            source=order.source,
            order=json.dumps([case.id for case in order.cases]),
            known=known,
            fresh=there.fresh if there else "[]",
            look=there.look if there else 0,
            created=there.created if there else ctx.now(),
            updated=ctx.now(),
        )
        trainings.put(transaction, training, pack_package(order.start))
        suites.put(transaction, f"train:{name}", order.cases)
    done = there is not None and there.status == "finished"
    return training, tuple(RejectedEdit(**one) for one in json.loads(known)), done


def _count_look(ctx: Context, training: Training, splits: Splits, trained: Trained) -> Training:
    """The training with the number of its look at the fresh cases, counted before anything of them is seen."""
    if trained.stopped or trained.best.hash() == training.base_hash or not splits.confirm:
        return training
    fresh = [sha256(f"{case.id}\0{case.input}".encode("utf-8", "replace")).hexdigest()[:12] for case in splits.confirm]
    with ctx.store.write() as transaction:
        return trainings.count_look(transaction, training, fresh)


def _rejected_before(reports: Sequence[str]) -> str:
    """What earlier trainings of a skill saw rejected, the oldest first, each once; as JSON."""
    found: dict[str, object] = {}
    for text in reports:
        for one in json.loads(text).get("rejected", []):
            found[json.dumps([one["op"], one["target"], one["content"], one["file"]])] = one
    return json.dumps(list(found.values()))


@dataclass(frozen=True, slots=True)
class _Watch:
    """Writes a search's events down as they come: what a kill leaves can be looked at."""

    ctx: Context
    place: TrainingResources
    training: Training
    optimiser: ReplayFailures
    events: list[Json]

    def over(self, found: Generator[Event, None, Trained]) -> Generator[Event, None, Trained]:
        """The events, handed on; an interrupt that comes in between goes to the search, which ends with the best."""
        interrupt: KeyboardInterrupt | None = None
        while True:
            try:
                event = found.throw(interrupt) if interrupt else next(found)
            except StopIteration as end:
                return end.value
            interrupt = None
            self._note(event)
            try:
                yield event
            except KeyboardInterrupt as stop:
                interrupt = stop

    def _note(self, event: Event) -> None:
        if not isinstance(event, RolloutsAdvanced):  # of no interest afterwards
            self.events.append(dump(event))
        if isinstance(event, Decided):
            self.optimiser.keep()
            now = replace(self.training, updated=self.ctx.now())
            body = {**_identity(now, self.place.target), "events": list(self.events)}
            self.place.grouped.later(lambda transaction: trainings.save(transaction, now, json.dumps(body)))


def _confirm(
    place: TrainingResources, splits: Splits, order: Order, trained: Trained, *, look: int
) -> Generator[Event, None, tuple[ReportContext, str]]:
    """The last gate, or why it was not reached; and why the training stops before its end, if it does."""
    measure = Metric.of_settings(order.spec.gating)
    power = sentence(len(splits.confirm), Plan(alpha=Spending().share(look)))
    told = ReportContext(splits=splits, measure=measure, confirmation=None, power=power)
    if trained.stopped:
        return replace(told, reason=f"it stopped before it was confirmed: {trained.stopped}"), trained.stopped
    if trained.best.hash() == order.start.hash():
        return replace(told, reason="no candidate beat the initial skill"), ""
    if not splits.confirm:
        return replace(told, reason="no cases were left to confirm it with"), ""
    try:
        found = yield from _last_gate(place, splits.confirm, order, trained.best, told, look)
    except KeyboardInterrupt:
        found = BudgetSpent(reason="it was interrupted")
    if isinstance(found, BudgetSpent):
        return replace(told, reason=f"it stopped before it was confirmed: {found.reason}"), found.reason
    return found, ""


def _last_words(told: ReportContext) -> tuple[Event, ...]:
    """What the last gate said, as it is kept."""
    if told.confirmation is None:
        return ()
    decision = told.confirmation.decision
    return (
        Confirming(cases=len(told.splits.confirm), power=told.power),
        Confirmed(action=decision.action, reason=decision.reason),
    )


def _last_gate(
    place: TrainingResources, cases: Sequence[Case], order: Order, best: Package, told: ReportContext, look: int
) -> Generator[Event, None, ReportContext | BudgetSpent]:
    """The best skill against the one it began with, on cases that nothing has looked at."""
    yield Confirming(cases=len(cases), power=told.power)
    begun = [_begin(place, cases, skill) for skill in (order.start, best)]
    before, after = (_read_rollouts(pending) for pending in begun)
    if isinstance(before, BudgetSpent):
        return before
    if isinstance(after, BudgetSpent):
        return after
    rule = last_gate.ConfirmRule(worst_loss=order.spec.gating.max_loss, looks=None)
    found = last_gate.confirm(pairs_of(before, after, told.measure.of), rule, look=look, seed=order.spec.seed)
    yield Confirmed(action=found.decision.action, reason=found.decision.reason)
    return replace(told, confirmation=found, fresh=sum_usage([rollout_usage(one) for one in (*before, *after)]))


def _begin(place: TrainingResources, cases: Sequence[Case], skill: Package) -> list[Pending[Rollout | BudgetSpent]]:
    return [place.pool.submit(lambda case=case: place.roller.roll(case, skill, 0), urgency=FRESH) for case in cases]


def _read_rollouts(pending: Sequence[Pending[Rollout | BudgetSpent]]) -> tuple[Rollout, ...] | BudgetSpent:
    made: list[Rollout] = []
    for one in pending:
        result = one.result()
        if isinstance(result, BudgetSpent):
            return result
        made.append(result)
    return tuple(made)


def _identity(training: Training, target: str) -> Json:
    """What identifies a training, for people and for programs."""
    return {
        "run": training.id,
        "skill": training.skill,
        "base_hash": training.base_hash,
        "target": target,
        "optimiser": training.optimiser,
        "spec": json.loads(training.spec),
        "limits": json.loads(training.limits or "{}"),
        "status": training.status,
        "created": training.created,
        "updated": training.updated,
    }
