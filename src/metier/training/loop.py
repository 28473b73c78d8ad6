"""The training loop: step until done, then say what came of it.

    for event in (run := train(skill, splits, roller, optimiser, pool, Spec())): ...

The last value of the generator (`StopIteration.value`, or what `yield from` returns) is the `Trained` result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.training.cases import batches as sampling
from metier.training.epoch import end_epoch
from metier.training.events import Stopped, TrainingBegan, TrainingEnded
from metier.training.gates.registry import gate_of
from metier.training.proposing.appendix import with_appendix
from metier.training.proposing.memory import Memory
from metier.training.proposing.one_shot import judge_one_shot
from metier.training.report.attribution import attribute_lines
from metier.training.result import Baseline, Trained
from metier.training.rollouts.rollout import Halt
from metier.training.run import TrainingRun
from metier.training.state import RunParts, RunState, StepPlan
from metier.training.step import take_step

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.training.cases.splits import Splits
    from metier.training.events import Event
    from metier.training.gates.gate import Gate
    from metier.training.proposing.memory import RejectedEdit
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
    known: tuple[RejectedEdit, ...] = (),
    gate: Gate | None = None,
) -> Generator[Event, None, Trained]:
    """Train a skill; `known` are edits that earlier runs of it saw rejected, `gate` is in place of the settings' one.

    When the budget is used up, or on an interrupt, it ends with the best so far and says so.
    """
    if start.skill_file is None:
        raise InputError("The package has no SKILL.md to train.")
    sampling.check_splits(splits)
    plans = plans_of(splits, spec)
    first = with_appendix(start) if spec.reflection.skill_aware else start
    state = RunState(current=first, best=start, memory=Memory(rejected=known))
    gate = gate or gate_of(spec)
    given = RunParts(splits=splits, spec=spec, roller=roller, optimiser=optimiser, pool=pool, gate=gate)
    run = TrainingRun(start, state, plans, given)
    baselines: tuple[Baseline, ...] = ()
    stopped = ""
    try:
        yield TrainingBegan(train=len(splits.train), val=len(splits.val), test=len(splits.test), steps=run.steps)
        yield from _search(run, plans)
        baselines = yield from run.baselines.collect(run)
    except (Halt, KeyboardInterrupt) as stop:
        stopped = stop.reason if isinstance(stop, Halt) else "it was interrupted"
        baselines = _initial_and_best(run)
        yield Stopped(reason=stopped, step=run.state.steps[-1].step if run.state.steps else 0)
    finally:
        run.rollouts.close()
    trained = _result(run, baselines, stopped)
    yield _ended_event(run, trained)
    return trained


def plans_of(splits: Splits, spec: Spec) -> tuple[StepPlan, ...]:
    """Every step of a run in advance."""
    found: list[StepPlan] = []
    for epoch in range(1, spec.epochs + 1):
        batches = sampling.batches(splits.train, spec, epoch)
        samples = tuple(range((epoch - 1) * spec.samples, epoch * spec.samples))
        for index, batch in enumerate(batches, 1):
            last = index == len(batches)
            found.append(StepPlan(step=len(found) + 1, epoch=epoch, batch=batch, samples=samples, last=last))
    return tuple(found)


def _search(run: TrainingRun, plans: tuple[StepPlan, ...]) -> Generator[Event, None, None]:
    """All steps and epoch ends; then, if the last skill never passed a gate, whether it is the best after all."""
    run.ahead.begin_run(run.start, run.state.current)
    if run.spec.editing.one_shot_first:
        yield from judge_one_shot(run, plans[0])
    previous: Package | None = None
    for plan in plans:
        yield from take_step(run, plan)
        if plan.last:
            yield from end_epoch(run, plan, previous)
            previous = run.state.current
    if not run.state.gated:
        yield from run.promote(plans[-1].step)


def _initial_and_best(run: TrainingRun) -> tuple[Baseline, ...]:
    """The baselines that cost nothing more."""
    state = run.state
    if not run.initial.cases:
        return ()
    return (
        Baseline(arm="initial", split="val", scores=run.initial),
        Baseline(arm="best", split="val", scores=state.best_scores),
    )


def _result(run: TrainingRun, baselines: tuple[Baseline, ...], stopped: str) -> Trained:
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
        attribution=attribute_lines(run.start, state),
        stopped=stopped,
        spare=run.rollouts.unused_usage(*(() if stopped else (run.start, state.best))),
    )


def _ended_event(run: TrainingRun, trained: Trained) -> TrainingEnded:
    calls = {True: 0, False: 0}
    for stage, usage in trained.usage:
        calls[stage in ROLLOUT_STAGES] += usage.calls
    one_shot = trained.baseline("one_shot", "val")
    return TrainingEnded(
        skill_hash=trained.best.hash(),
        best_step=trained.best_step,
        initial=run.score(run.initial),
        best=run.score(run.state.best_scores),
        one_shot=run.score(one_shot.scores) if one_shot and one_shot.scores else None,
        rollouts=calls[True],
        calls=calls[False],
    )
