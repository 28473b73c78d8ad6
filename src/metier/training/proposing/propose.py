"""The first stages of a step, from a batch to the proposals that are taken up: rollout, reflect, aggregate, rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.training.events import FellBack, Reflected, RolledOut, progress_events
from metier.training.gates.adaptive import is_bundled
from metier.training.proposing.aggregate import Aggregator, MergedBundle
from metier.training.proposing.edit_budget import planned_budget
from metier.training.proposing.prompt import ShownCase
from metier.training.proposing.rank import decide_budget, rank
from metier.training.proposing.reflect import (
    Analysed,
    Minibatch,
    MinibatchSorter,
    Reflection,
    Setting,
    analyst_question,
    read_reflection,
)
from metier.training.rollouts.scheduler import NEEDED
from metier.training.scores import mean
from metier.types.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.training.events import Event
    from metier.training.proposing.optimiser import OptimiserReply
    from metier.training.proposing.proposals import Bundle
    from metier.training.rollouts.pool import Pending
    from metier.training.run import TrainingRun
    from metier.training.state import StepPlan
    from metier.types.trials import Case

Analyst = tuple[Minibatch, "Pending[OptimiserReply[Analysed]]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBatch:
    """The batch as it went, and the analysts who look at it."""

    seen: tuple[ShownCase, ...]
    analysts: tuple[Analyst, ...]
    """Failures first."""

    @property
    def failed(self) -> int:
        """Cases that failed."""
        return sum(one.failed for one in self.seen)

    @property
    def passed(self) -> int:
        """Cases that were scored and did not fail."""
        return sum(bool(one.rollouts) and not one.failed for one in self.seen)


def roll_out(run: TrainingRun, plan: StepPlan, setting: Setting) -> Generator[Event, None, RolledBatch]:
    """The batch under the current skill; an analyst begins as soon as the cases for it are there."""

    def asked(minibatch: Minibatch) -> Analyst:
        return minibatch, run.optimiser.ask(analyst_question(minibatch, setting, run.spec))

    run.rollouts.begin(plan.batch, run.state.current, samples=plan.samples, urgency=NEEDED)
    sorting = MinibatchSorter(run.spec.reflection.minibatch, failures_only=run.spec.reflection.failures_only)
    seen: list[ShownCase] = []
    analysts: list[Analyst] = []
    for case in plan.batch:
        seen.append(case_rollouts(run, plan, case))
        yield from progress_events(plan.step, "rollout", len(seen), len(plan.batch))
        if filled := sorting.add(seen[-1]):
            analysts.append(asked(filled))
    analysts += map(asked, sorting.rest())
    analysts.sort(key=lambda analyst: analyst[0].source)  # stable: failures first, each side in order
    looked = RolledBatch(seen=tuple(seen), analysts=tuple(analysts))
    unscored = len(seen) - looked.failed - looked.passed
    yield RolledOut(step=plan.step, failed=looked.failed, passed=looked.passed, unscored=unscored)
    return looked


def case_rollouts(run: TrainingRun, plan: StepPlan, case: Case) -> ShownCase:
    """A case of a batch with those of its rollouts that have a score."""
    skill = run.state.current
    rollouts = [run.rollouts.read(case, skill, "rollout", sample=sample) for sample in plan.samples]
    return ShownCase(case=case, rollouts=tuple(one for one in rollouts if isinstance(one.score, Scored)))


def reflect(run: TrainingRun, plan: StepPlan, looked: RolledBatch) -> Generator[Event, None, tuple[Reflection, ...]]:
    """What the analysts say."""
    found: list[Reflection] = []
    lost = 0
    for minibatch, pending in looked.analysts:
        asked = run.optimiser.read(pending)
        if asked.value is None:
            lost += 1
            yield FellBack(step=plan.step, stage="reflect", reason=asked.reason, instead="its cases propose nothing")
        found.append(read_reflection(minibatch, asked, run.spec))
    edits, notes = sum(len(one.bundle.items) for one in found), sum(len(one.notes) for one in found)
    yield Reflected(step=plan.step, calls=len(found), failed_calls=lost, edits=edits, notes=notes)
    return tuple(found)


def aggregate(run: TrainingRun, reflections: tuple[Reflection, ...], setting: Setting) -> MergedBundle:
    """What all analysts propose, merged into one bundle."""
    failures, successes = (
        tuple(one.bundle for one in reflections if one.source == source) for source in ("failure", "success")
    )
    return Aggregator(desk=run.optimiser, setting=setting, spec=run.spec).merge(failures, successes)


def choose(
    run: TrainingRun, plan: StepPlan, looked: RolledBatch, merged: MergedBundle, setting: Setting
) -> Generator[Event, None, tuple[Bundle, int | None]]:
    """What is taken up of a merged bundle, and the edit budget for that."""
    editing = run.spec.editing
    for problem in merged.problems:
        yield FellBack(step=plan.step, stage="merge", reason=problem, instead="proposals are put one after the other")
    bundled = is_bundled(run.spec, run.state.gate_memory, len(run.splits.val))
    budget = planned_budget(run.spec, plan.step, run.steps, bundled=bundled)
    if editing.schedule == "autonomous" and editing.update != "full_rewrite":
        budget, problem = decide_budget(merged.bundle, run.optimiser, setting, _evidence(looked, merged.bundle))
        if problem:
            yield FellBack(step=plan.step, stage="budget", reason=problem, instead="no edit is made")
    chosen = rank(merged.bundle, budget, run.optimiser, setting)
    if chosen.problem:
        yield FellBack(step=plan.step, stage="rank", reason=chosen.problem, instead="the first are kept")
    return chosen.bundle, budget


def _evidence(looked: RolledBatch, bundle: Bundle) -> str:
    scores = [one.score for seen in looked.seen for one in seen.rollouts if isinstance(one.score, Scored)]
    average = mean(scores)
    return (
        f"{len(looked.seen)} cases, {looked.failed} failed; mean hard {average.hard:.4f}, soft {average.soft:.4f}; "
        f"{len(bundle.items)} proposals"
    )
