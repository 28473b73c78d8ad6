"""One step: rollout, reflect, aggregate, rank, update, gate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.events import CandidateMade, FellBack, ProposalsChosen, StepBegan, StepSkipped
from metier.training.proposing.appendix import add_notes
from metier.training.proposing.memory import PastStep, rejected_of
from metier.training.proposing.propose import aggregate, choose, reflect, roll_out
from metier.training.proposing.reflect import Setting
from metier.training.proposing.split_rewrite import edits_to_screen
from metier.training.proposing.update import NoUpdate, update
from metier.training.result import JudgedChange, StepRecord, UnjudgedChange
from metier.training.state import SkillCandidate

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.training.events import Event
    from metier.training.proposing.memory import RejectedEdit
    from metier.training.proposing.proposals import ProposedChange
    from metier.training.proposing.propose import RolledBatch
    from metier.training.proposing.reflect import Reflection
    from metier.training.proposing.update import Updated
    from metier.training.run import TrainingRun
    from metier.training.state import StepPlan


def take_step(run: TrainingRun, plan: StepPlan) -> Generator[Event, None, None]:
    """From a batch to a decision: rollout, reflect, aggregate, rank, update, gate."""
    memory = run.state.memory.text(run.spec.reflection.recall)
    setting = Setting(skill=run.state.current, memory=memory, meta=run.state.strategy)
    yield StepBegan(step=plan.step, steps=run.steps, epoch=plan.epoch, cases=len(plan.batch))

    looked = yield from roll_out(run, plan, setting)
    run.ahead.while_reflecting(plan, looked.seen, run.state, run.start)
    reflections = yield from reflect(run, plan, looked)
    merged = aggregate(run, reflections, setting)
    record, loss = _empty_record(run, plan, looked, reflections), None
    if proposed := sum(len(one.bundle.items) for one in reflections):
        bundle, budget = yield from choose(run, plan, looked, merged, setting)
        merges, kept = len(merged.bundle.items), len(bundle.items)
        yield ProposalsChosen(step=plan.step, proposed=proposed, merged=merges, budget=budget, kept=kept)
        updated = update(run.state.current, bundle, run.optimiser, setting, run.spec)
        record = replace(record, budget=budget, edits=bundle.items)
        record, loss = yield from _gate(run, record, updated)
    if isinstance(record.outcome, UnjudgedChange):
        yield StepSkipped(step=plan.step, change="step", reason=record.outcome.reason)
    record = yield from _with_notes(run, record)
    yield from run.measure_initial()
    _remember(run, record, reflections, loss)


def _empty_record(
    run: TrainingRun, plan: StepPlan, looked: RolledBatch, reflections: tuple[Reflection, ...]
) -> StepRecord:
    """A step about which nothing is known but its rollouts and the analysts' reminders."""
    notes = tuple(note for one in reflections for note in one.notes)
    return StepRecord(
        step=plan.step,
        epoch=plan.epoch,
        cases=tuple(case.id for case in plan.batch),
        failed=looked.failed,
        passed=looked.passed,
        unscored=len(looked.seen) - looked.failed - looked.passed,
        outcome=UnjudgedChange(change="step", reason="no analyst proposed anything"),
        notes=notes if run.spec.reflection.skill_aware else (),
        proposer=run.spec.editing.update,
    )


def _gate(
    run: TrainingRun, record: StepRecord, updated: Updated | NoUpdate
) -> Generator[Event, None, tuple[StepRecord, float | None]]:
    """The step with the gate's decision, and what a rejected candidate would have cost."""
    if isinstance(updated, NoUpdate):
        return replace(record, outcome=UnjudgedChange(change="step", reason=updated.reason)), None
    statuses = tuple(report.status for report in updated.reports)
    yield CandidateMade(step=record.step, skill_hash=updated.package.hash(), statuses=statuses)
    edits = record.edits
    if record.proposer != "patch":
        edits = edits_to_screen(run.state.current, updated.package, run.spec, record.failed)
    candidate = SkillCandidate(change="step", package=updated.package, step=record.step, edits=edits)
    outcome = yield from run.judge(candidate)
    return replace(record, reports=updated.reports, outcome=outcome), _loss(run, outcome)


def _loss(run: TrainingRun, outcome: JudgedChange | UnjudgedChange) -> float | None:
    """What a rejected candidate would have cost, as far as its cases were looked at; None for one that waits."""
    if not isinstance(outcome, JudgedChange) or outcome.decision.action != "reject":
        return None
    if outcome.scores:
        return run.loss(outcome.scores)
    deltas = [delta for _, delta in outcome.decision.deltas]
    known = deltas and run.spec.gating.gate == "adaptive" and not run.state.gate_memory.waiting
    return -sum(deltas) / len(deltas) if known else None


def _with_notes(run: TrainingRun, record: StepRecord) -> Generator[Event, None, StepRecord]:
    """The step with its reminders in the appendix, if the gate lets them."""
    if not record.notes:
        return record
    made = add_notes(run.state.current, record.notes, run.optimiser, run.spec)
    if made.problem:
        yield FellBack(step=record.step, stage="appendix", reason=made.problem, instead="all reminders stay")
    if run.spec.gating.gate_everything:
        candidate = SkillCandidate(change="appendix", package=made.package, step=record.step)
        judged = yield from run.judge(candidate)
        return replace(record, noted=judged)
    return replace(record, noted=run.take("appendix", made.package))


def _remember(run: TrainingRun, record: StepRecord, reflections: tuple[Reflection, ...], loss: float | None) -> None:
    outcome = record.outcome
    past = PastStep(
        step=record.step,
        action=outcome.decision.action if isinstance(outcome, JudgedChange) else None,
        failed=record.failed,
        total=len(record.cases),
        patterns=tuple(pattern for one in reflections for pattern in one.patterns),
    )
    rejected = _rejected(outcome, record, loss)
    run.record_step(record, run.state.memory.after(past, rejected))


def _rejected(
    outcome: JudgedChange | UnjudgedChange, record: StepRecord, loss: float | None
) -> tuple[RejectedEdit, ...]:
    """The edits of a rejected candidate; where each was measured, those that did harm."""
    if isinstance(outcome, JudgedChange) and outcome.effects:
        harmful = (one for one in outcome.effects if not one.kept and one.seen < 0)
        return tuple(kept for one in harmful for kept in rejected_of((one.edit,), -one.shrunk))
    return () if loss is None else rejected_of(_made(record), loss)


def _made(record: StepRecord) -> tuple[ProposedChange, ...]:
    """The proposals that are in the candidate."""
    if not record.reports:
        return record.edits
    pairs = zip(record.edits, record.reports, strict=True)
    return tuple(item for item, report in pairs if report.applied)
