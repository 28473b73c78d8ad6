"""The training loop: step until done, then say what came of it.

    for event in (run := train(skill, splits, roller, optimiser, pool, Spec())): ...

The last value of the generator (`StopIteration.value`, or what `yield from` returns) is the `Trained` result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.training.cases import batches as sampling
from metier.training.epoch import end_epoch
from metier.training.events import Began, Ended, Stopped
from metier.training.gates.baselines import Baselines
from metier.training.proposing.appendix import with_appendix
from metier.training.proposing.memory import Memory
from metier.training.proposing.one_shot import judge_one_shot
from metier.training.report.attribution import attributed
from metier.training.result import Baseline, Judged, Step, Trained
from metier.training.rollouts.halt import Halt
from metier.training.rollouts.scheduler import AHEAD, NEEDED
from metier.training.run import Run
from metier.training.state import ACCEPTED, Given, Plan, State
from metier.training.step import take_step

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.training.cases.splits import Splits
    from metier.training.events import Event
    from metier.training.proposing.memory import Rejected
    from metier.training.proposing.propose import Looked
    from metier.training.rollouts.pool import Pool
    from metier.training.rollouts.rollout import Roller
    from metier.training.spec import Spec

ROLLOUT_STAGES = ("rollout", "gate", "compare", "baseline")
"""The stages whose calls are rollouts; all others are answers of the optimiser."""


def train(
    start: Package,
    splits: Splits,
    roller: Roller,
    optimiser: Model,
    pool: Pool,
    spec: Spec,
    *,
    known: tuple[Rejected, ...] = (),
) -> Generator[Event, None, Trained]:
    """Train a skill; `known` are edits that earlier runs of it saw rejected.

    When the budget is used up, or on an interrupt, it ends with the best so far and says so.
    """
    if start.skill_file is None:
        raise InputError("The package has no SKILL.md to train.")
    sampling.check(splits)
    plans = plans_of(splits, spec)
    first = with_appendix(start) if spec.reflection.skill_aware else start
    state = State(current=first, best=start, memory=Memory(rejected=known))
    given = Given(splits=splits, spec=spec, roller=roller, optimiser=optimiser, pool=pool)
    run = Run(start, state, plans, given)
    baselines: tuple[Baseline, ...] = ()
    stopped = ""
    try:
        yield Began(train=len(splits.train), val=len(splits.val), test=len(splits.test), steps=run.steps)
        held = Baselines(run)
        yield from _search(run, plans, held)
        baselines = yield from held.collect()
    except (Halt, KeyboardInterrupt) as stop:
        stopped = stop.reason if isinstance(stop, Halt) else "it was interrupted"
        baselines = _known(run)
        yield Stopped(reason=stopped, step=run.state.steps[-1].step if run.state.steps else 0)
    finally:
        run.attempts.close()
    trained = _trained(run, baselines, stopped)
    yield _ended(run, trained)
    return trained


def plans_of(splits: Splits, spec: Spec) -> tuple[Plan, ...]:
    """Every step of a run in advance."""
    found: list[Plan] = []
    for epoch in range(1, spec.epochs + 1):
        batches = sampling.batches(splits.train, spec, epoch)
        samples = tuple(range((epoch - 1) * spec.samples, epoch * spec.samples))
        for index, batch in enumerate(batches, 1):
            last = index == len(batches)
            found.append(Plan(step=len(found) + 1, epoch=epoch, batch=batch, samples=samples, last=last))
    return tuple(found)


def _search(run: Run, plans: tuple[Plan, ...], baselines: Baselines) -> Generator[Event, None, None]:
    """All steps and epoch ends; then, if the last skill never passed a gate, whether it is the best after all."""
    run.attempts.begin(plans[0].batch, run.state.current, samples=plans[0].samples, urgency=NEEDED)
    run.attempts.later(run.splits.val, run.start)
    baselines.begin()
    if run.spec.editing.one_shot_first:
        run.following = plans[0]
        yield from judge_one_shot(run, plans[0], baselines)
    previous: Package | None = None
    for plan, run.following in zip(plans, (*plans[1:], None), strict=True):
        yield from take_step(run, plan, lambda looked: _meanwhile(run, plan, looked, baselines))  # noqa: B023
        if plan.last:
            run.look_ahead(run.state.current)
            yield from end_epoch(run, plan, previous)
            previous = run.state.current
            if run.spec.ahead and run.following and run.spec.epoch_end.compares:
                cases = sampling.compared(run.splits.train, run.spec, run.following.epoch)
                run.attempts.later(cases, previous, samples=run.following.samples[:1])
    if not run.state.gated:
        yield from run.promote(plans[-1].step)


def _meanwhile(run: Run, plan: Plan, looked: Looked, baselines: Baselines) -> None:
    """While a step's analysts are under way, begin what the run will need next if the skill stays as it is."""
    if run.spec.ahead and plan.last and plan.epoch > 1 and run.spec.epoch_end.compares:
        cases = sampling.compared(run.splits.train, run.spec, plan.epoch)
        run.attempts.begin(cases, run.state.current, samples=plan.samples[:1], urgency=AHEAD)
    if not _accepted(run.state.steps[-1:]):
        run.look_ahead(run.state.current)
    baselines.shown(looked.seen)
    if run.following is None and run.spec.ahead:
        run.attempts.later(run.splits.test, run.state.best)
        if run.state.best is not run.start:
            run.attempts.afterwards(run.splits.confirm, run.state.best)
    run.attempts.fill()


def _accepted(steps: tuple[Step, ...]) -> bool:
    """Whether the last step changed the skill: then the next one may well do so too."""
    return any(isinstance(one.outcome, Judged) and one.outcome.decision.action in ACCEPTED for one in steps)


def _known(run: Run) -> tuple[Baseline, ...]:
    """The baselines that cost nothing more."""
    state = run.state
    if not run.initial.cases:
        return ()
    return (
        Baseline(arm="initial", split="val", scores=run.initial),
        Baseline(arm="best", split="val", scores=state.best_scores),
    )


def _trained(run: Run, baselines: tuple[Baseline, ...], stopped: str) -> Trained:
    state = run.state
    return Trained(
        best=state.best,
        best_step=state.best_step,
        current=state.current,
        steps=state.steps,
        epochs=state.epochs,
        baselines=baselines,
        rejected=state.memory.rejected,
        usage=run.bill.stages(),
        attribution=attributed(run.start, state),
        stopped=stopped,
        spare=run.attempts.spare(*(() if stopped else (run.start, state.best))),
    )


def _ended(run: Run, trained: Trained) -> Ended:
    calls = {True: 0, False: 0}
    for stage, usage in trained.usage:
        calls[stage in ROLLOUT_STAGES] += usage.calls
    one_shot = trained.baseline("one_shot", "val")
    return Ended(
        skill_hash=trained.best.hash(),
        best_step=trained.best_step,
        initial=run.score(run.initial),
        best=run.score(run.state.best_scores),
        one_shot=run.score(one_shot.scores) if one_shot and one_shot.scores else None,
        rollouts=calls[True],
        calls=calls[False],
    )
