"""The end of an epoch: it is compared with the one before; guidance for the skill, notes for the optimiser."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.cases import batches as sampling
from metier.training.events import EpochEnded, FellBack, StepSkipped
from metier.training.proposing.slow_update import counts, guidance_question, guided, kept, pairs_of, strategy_question
from metier.training.result import Epoch, Judged, Unjudged
from metier.training.rollouts.scheduler import NEEDED
from metier.training.state import Candidate

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.skills.package import Package
    from metier.training.events import Event
    from metier.training.proposing.answers import Guidance
    from metier.training.proposing.optimiser import Asked
    from metier.training.proposing.slow_update import Pair
    from metier.training.run import Run
    from metier.training.state import Plan


def end_epoch(run: Run, plan: Plan, previous: Package | None) -> Generator[Event, None, None]:
    """Compare, and take up what that teaches; the first epoch has nothing to be compared with."""
    run.ahead.begin_next_step(plan.step, run.state.current)
    epoch = Epoch(epoch=plan.epoch, strategy=run.state.strategy)
    if previous is not None and run.spec.epoch_end.compares:
        pairs = compare(run, plan, previous)
        epoch = replace(epoch, compared=counts(pairs))
        epoch = yield from _learnt(run, plan, previous, kept(pairs, run.spec.epoch_end.pairs), epoch)
    run.attempts.forget()
    run.record_epoch(epoch)
    current, best = run.score(run.state.current_scores), run.score(run.state.best_scores)
    yield EpochEnded(epoch=plan.epoch, current=current, best=best, compared=epoch.compared)
    run.ahead.begin_next_comparison(plan, run.state.current)


def compare(run: Run, plan: Plan, previous: Package) -> tuple[Pair, ...]:
    """The sampled train cases under the last epoch's skill and under this one's."""
    cases, sample = sampling.compared(run.splits.train, run.spec, plan.epoch), plan.samples[0]
    arms = (previous, run.state.current)
    for skill in arms:
        run.attempts.begin(cases, skill, samples=(sample,), urgency=NEEDED)
    before, after = ([run.attempts.read(case, skill, "compare", sample=sample) for case in cases] for skill in arms)
    return pairs_of(cases, before, after)


def _learnt(
    run: Run, plan: Plan, previous: Package, pairs: tuple[Pair, ...], epoch: Epoch
) -> Generator[Event, None, Epoch]:
    """Guidance and notes; both are asked for at once, and the notes never touch the skill."""
    if not pairs:
        yield StepSkipped(step=plan.step, change="slow", reason="no case to compare")
        return epoch
    current = run.state.current
    slow = run.desk.ask(guidance_question(previous, current, pairs)) if run.spec.epoch_end.slow else None
    strategy = strategy_question(previous, current, pairs, run.state.strategy)
    meta = run.desk.ask(strategy) if run.spec.epoch_end.meta else None
    run.attempts.fill()
    if slow:
        epoch = yield from _guided(run, plan, run.desk.read(slow), epoch)
    if meta:
        asked = run.desk.read(meta)
        if asked.value is None:
            yield FellBack(step=plan.step, stage="meta", reason=asked.reason, instead="the notes stay as they were")
        elif asked.value.meta_skill_content.strip():
            epoch = replace(epoch, strategy=asked.value.meta_skill_content.strip())
    return epoch


def _guided(run: Run, plan: Plan, asked: Asked[Guidance], epoch: Epoch) -> Generator[Event, None, Epoch]:
    if asked.value is None:
        yield FellBack(step=plan.step, stage="slow", reason=asked.reason, instead="no guidance is written")
    guidance = asked.value.slow_update_content.strip() if asked.value else ""
    if not guidance:
        reason = "no guidance was written"
        yield StepSkipped(step=plan.step, change="slow", reason=reason)
        return replace(epoch, outcome=Unjudged(change="slow", reason=reason))
    candidate = guided(run.state.current, guidance)
    outcome: Judged | Unjudged
    if run.spec.gating.gate_everything:
        outcome = yield from run.judge(Candidate(change="slow", package=candidate, step=plan.step))
    else:
        outcome = run.take("slow", candidate)
    return replace(epoch, guidance=guidance, outcome=outcome)
