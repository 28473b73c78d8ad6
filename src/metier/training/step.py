"""One step: rollout, reflect, aggregate, rank, update, gate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.events import Chosen, Edited, FellBack, StepBegan, StepSkipped
from metier.training.proposing.appendix import noted
from metier.training.proposing.memory import Past, rejected_of
from metier.training.proposing.propose import aggregate, choose, reflect, roll_out
from metier.training.proposing.reflect import Setting
from metier.training.proposing.split_rewrite import screened_apart
from metier.training.proposing.update import NoUpdate, update
from metier.training.result import Judged, Step, Unjudged
from metier.training.state import Candidate

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.training.events import Event
    from metier.training.proposing.memory import Rejected
    from metier.training.proposing.proposals import Proposed
    from metier.training.proposing.propose import Looked
    from metier.training.proposing.reflect import Reflection
    from metier.training.proposing.update import Updated
    from metier.training.run import Run
    from metier.training.state import Plan


def take_step(run: Run, plan: Plan) -> Generator[Event, None, None]:
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
        yield Chosen(step=plan.step, proposed=proposed, merged=merges, budget=budget, kept=kept)
        updated = update(run.state.current, bundle, run.desk, setting, run.spec)
        record = replace(record, budget=budget, edits=bundle.items)
        record, loss = yield from _gate(run, record, updated)
    if isinstance(record.outcome, Unjudged):
        yield StepSkipped(step=plan.step, change="step", reason=record.outcome.reason)
    record = yield from _with_notes(run, record)
    yield from run.measure_initial()
    _remember(run, record, reflections, loss)


def _empty_record(run: Run, plan: Plan, looked: Looked, reflections: tuple[Reflection, ...]) -> Step:
    """A step about which nothing is known but its rollouts and the analysts' reminders."""
    notes = tuple(note for one in reflections for note in one.notes)
    return Step(
        step=plan.step,
        epoch=plan.epoch,
        cases=tuple(case.id for case in plan.batch),
        failed=looked.failed,
        passed=looked.passed,
        unscored=len(looked.seen) - looked.failed - looked.passed,
        outcome=Unjudged(change="step", reason="no analyst proposed anything"),
        notes=notes if run.spec.reflection.skill_aware else (),
        proposer=run.spec.editing.update,
    )


def _gate(run: Run, record: Step, updated: Updated | NoUpdate) -> Generator[Event, None, tuple[Step, float | None]]:
    """The step with the gate's decision, and what a rejected candidate would have cost."""
    if isinstance(updated, NoUpdate):
        return replace(record, outcome=Unjudged(change="step", reason=updated.reason)), None
    statuses = tuple(report.status for report in updated.reports)
    yield Edited(step=record.step, skill_hash=updated.package.hash(), statuses=statuses)
    edits = record.edits
    if record.proposer != "patch":
        edits = screened_apart(run.state.current, updated.package, run.spec, record.failed)
    candidate = Candidate(change="step", package=updated.package, step=record.step, edits=edits)
    outcome = yield from run.judge(candidate)
    return replace(record, reports=updated.reports, outcome=outcome), _loss(run, outcome)


def _loss(run: Run, outcome: Judged | Unjudged) -> float | None:
    """What a rejected candidate would have cost, as far as its cases were looked at; None for one that waits."""
    if not isinstance(outcome, Judged) or outcome.decision.action != "reject":
        return None
    if outcome.scores:
        return run.loss(outcome.scores)
    deltas = [delta for _, delta in outcome.decision.deltas]
    known = deltas and run.spec.gating.gate == "adaptive" and not run.state.looks.waiting
    return -sum(deltas) / len(deltas) if known else None


def _with_notes(run: Run, record: Step) -> Generator[Event, None, Step]:
    """The step with its reminders in the appendix, if the gate lets them."""
    if not record.notes:
        return record
    made = noted(run.state.current, record.notes, run.desk, run.spec)
    if made.problem:
        yield FellBack(step=record.step, stage="appendix", reason=made.problem, instead="all reminders stay")
    if run.spec.gating.gate_everything:
        candidate = Candidate(change="appendix", package=made.package, step=record.step)
        judged = yield from run.judge(candidate)
        return replace(record, noted=judged)
    return replace(record, noted=run.take("appendix", made.package))


def _remember(run: Run, record: Step, reflections: tuple[Reflection, ...], loss: float | None) -> None:
    outcome = record.outcome
    past = Past(
        step=record.step,
        action=outcome.decision.action if isinstance(outcome, Judged) else None,
        failed=record.failed,
        total=len(record.cases),
        patterns=tuple(pattern for one in reflections for pattern in one.patterns),
    )
    rejected = _rejected(outcome, record, loss)
    run.record_step(record, run.state.memory.after(past, rejected))


def _rejected(outcome: Judged | Unjudged, record: Step, loss: float | None) -> tuple[Rejected, ...]:
    """The edits of a rejected candidate; where each was measured, those that did harm."""
    if isinstance(outcome, Judged) and outcome.effects:
        harmful = (one for one in outcome.effects if not one.kept and one.seen < 0)
        return tuple(kept for one in harmful for kept in rejected_of((one.edit,), -one.shrunk))
    return () if loss is None else rejected_of(_made(record), loss)


def _made(record: Step) -> tuple[Proposed, ...]:
    """The proposals that are in the candidate."""
    if not record.reports:
        return record.edits
    pairs = zip(record.edits, record.reports, strict=True)
    return tuple(item for item, report in pairs if report.applied)
