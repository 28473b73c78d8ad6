"""The end of an epoch: it is compared with the one before; guidance for the skill, notes for the optimiser."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.cases import batches as sampling
from metier.training.events import EpochEnded, FellBack, StepSkipped
from metier.training.proposing.slow_update import (
    category_counts,
    guidance_question,
    pairs_for_policy,
    pairs_of,
    strategy_question,
    with_guidance,
)
from metier.training.result import EpochRecord, JudgedChange, UnjudgedChange
from metier.training.rollouts.scheduler import NEEDED
from metier.training.state import SkillCandidate

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.skills.package import Package
    from metier.training.events import Event
    from metier.training.proposing.answers import Guidance
    from metier.training.proposing.optimiser import OptimiserReply
    from metier.training.proposing.slow_update import EpochPair
    from metier.training.run import TrainingRun
    from metier.training.state import StepPlan


def end_epoch(run: TrainingRun, plan: StepPlan, previous: Package | None) -> Generator[Event, None, None]:
    """Compare, and take up what that teaches; the first epoch has nothing to be compared with."""
    run.ahead.begin_next_step(plan.step, run.state.current)
    epoch = EpochRecord(epoch=plan.epoch, strategy=run.state.strategy)
    if previous is not None and run.spec.epoch_end.compares:
        pairs = compare(run, plan, previous)
        epoch = replace(epoch, compared=category_counts(pairs))
        epoch = yield from _learn(run, plan, previous, pairs_for_policy(pairs, run.spec.epoch_end.pairs), epoch)
    run.rollouts.forget()
    run.record_epoch(epoch)
    current, best = run.score(run.state.current_scores), run.score(run.state.best_scores)
    yield EpochEnded(epoch=plan.epoch, current=current, best=best, compared=epoch.compared)
    run.ahead.begin_next_comparison(plan, run.state.current)


def compare(run: TrainingRun, plan: StepPlan, previous: Package) -> tuple[EpochPair, ...]:
    """The sampled train cases under the last epoch's skill and under this one's.

    Where only changed ones count, one pass over the remaining train cases tops them up to the size of the sample.
    """
    train, spec = run.splits.train, run.spec
    pairs = _compare_cases(run, plan, previous, sampling.comparison_cases(train, spec, plan.epoch))
    if spec.epoch_end.pairs != "changed":
        return pairs
    remaining = sampling.remaining_cases(train, spec, plan.epoch)
    while remaining and (missing := spec.epoch_end.slow_cases - len(pairs_for_policy(pairs, "changed"))) > 0:
        pairs += _compare_cases(run, plan, previous, remaining[:missing])
        remaining = remaining[missing:]
    return pairs


def _compare_cases(run: TrainingRun, plan: StepPlan, previous: Package, cases: sampling.Batch) -> tuple[EpochPair, ...]:
    arms, sample = (previous, run.state.current), plan.samples[0]
    for skill in arms:
        run.rollouts.begin(cases, skill, samples=(sample,), urgency=NEEDED)
    before, after = ([run.rollouts.read(case, skill, "compare", sample=sample) for case in cases] for skill in arms)
    return pairs_of(cases, before, after)


def _learn(
    run: TrainingRun, plan: StepPlan, previous: Package, pairs: tuple[EpochPair, ...], epoch: EpochRecord
) -> Generator[Event, None, EpochRecord]:
    """Guidance and notes; both are asked for at once, and the notes never touch the skill."""
    if not pairs:
        yield StepSkipped(step=plan.step, change="slow", reason="no case to compare")
        return epoch
    current = run.state.current
    slow = run.optimiser.ask(guidance_question(previous, current, pairs)) if run.spec.epoch_end.slow else None
    strategy = strategy_question(previous, current, pairs, run.state.strategy)
    meta = run.optimiser.ask(strategy) if run.spec.epoch_end.meta else None
    run.rollouts.fill_idle_workers()
    if slow:
        epoch = yield from _judge_guidance(run, plan, run.optimiser.read(slow), epoch)
    if meta:
        asked = run.optimiser.read(meta)
        if asked.value is None:
            yield FellBack(step=plan.step, stage="meta", reason=asked.reason, instead="the notes stay as they were")
        elif asked.value.meta_skill_content.strip():
            epoch = replace(epoch, strategy=asked.value.meta_skill_content.strip())
    return epoch


def _judge_guidance(
    run: TrainingRun, plan: StepPlan, asked: OptimiserReply[Guidance], epoch: EpochRecord
) -> Generator[Event, None, EpochRecord]:
    if asked.value is None:
        yield FellBack(step=plan.step, stage="slow", reason=asked.reason, instead="no guidance is written")
    guidance = asked.value.slow_update_content.strip() if asked.value else ""
    if not guidance:
        reason = "no guidance was written"
        yield StepSkipped(step=plan.step, change="slow", reason=reason)
        return replace(epoch, outcome=UnjudgedChange(change="slow", reason=reason))
    candidate = with_guidance(run.state.current, guidance)
    outcome: JudgedChange | UnjudgedChange
    if run.spec.gating.gate_everything:
        outcome = yield from run.judge(SkillCandidate(change="slow", package=candidate, step=plan.step))
    else:
        outcome = run.take("slow", candidate)
    return replace(epoch, guidance=guidance, outcome=outcome)
