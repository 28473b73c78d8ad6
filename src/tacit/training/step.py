"""One step: rollout, reflect, aggregate, rank, update, gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tacit.training.aggregate import Merging
from tacit.training.appendix_notes import noted
from tacit.training.attempts import NEEDED
from tacit.training.gate import mean
from tacit.training.memory import Past, rejected_of
from tacit.training.progress import Chosen, Edited, FellBack, Reflected, RolledOut, Skipped, StepBegan, tenth
from tacit.training.rank import decide_budget, rank
from tacit.training.reflect import Analysed, Minibatch, Reflection, Setting, Sorting, question, reflection
from tacit.training.result import Judged, Step, Unjudged
from tacit.training.schedule import planned
from tacit.training.showing import Seen
from tacit.training.state import Candidate
from tacit.training.update import NoUpdate, update
from tacit.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tacit.training.desk import Asked
    from tacit.training.memory import Rejected
    from tacit.training.pool import Pending
    from tacit.training.progress import Event
    from tacit.training.proposals import Bundle, Proposed
    from tacit.training.run import Run
    from tacit.training.state import Plan
    from tacit.training.update import Updated

Analyst = tuple[Minibatch, "Pending[Asked[Analysed]]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """The batch as it went, and the analysts who look at it."""

    seen: tuple[Seen, ...]
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


def roll_out(run: Run, plan: Plan, setting: Setting) -> Generator[Event, None, Looked]:
    """The batch under the current skill; an analyst begins as soon as the cases for it are there."""
    skill = run.state.current
    run.attempts.begin(plan.batch, skill, samples=plan.samples, urgency=NEEDED)
    sorting = Sorting(run.spec.minibatch, failures_only=run.spec.failures_only)
    seen: list[Seen] = []
    analysts: list[Analyst] = []
    for case in plan.batch:
        rollouts = [run.attempts.read(case, skill, "rollout", sample=sample) for sample in plan.samples]
        one = Seen(case=case, rollouts=tuple(rollout for rollout in rollouts if isinstance(rollout.score, Scored)))
        seen.append(one)
        yield from tenth(plan.step, "rollout", len(seen), len(plan.batch))
        if filled := sorting.add(one):
            analysts.append((filled, run.desk.ask(question(filled, setting, run.spec))))
    analysts += [(rest, run.desk.ask(question(rest, setting, run.spec))) for rest in sorting.rest()]
    analysts.sort(key=lambda analyst: analyst[0].source)  # stable: failures first, each side in order
    looked = Looked(seen=tuple(seen), analysts=tuple(analysts))
    unscored = len(seen) - looked.failed - looked.passed
    yield RolledOut(step=plan.step, failed=looked.failed, passed=looked.passed, unscored=unscored)
    return looked


def reflect(run: Run, plan: Plan, looked: Looked) -> Generator[Event, None, tuple[Reflection, ...]]:
    """What the analysts say."""
    found: list[Reflection] = []
    lost = 0
    for minibatch, pending in looked.analysts:
        asked = run.desk.read(pending)
        if asked.value is None:
            lost += 1
            yield FellBack(step=plan.step, stage="reflect", reason=asked.reason, instead="its cases propose nothing")
        found.append(reflection(minibatch, asked, run.spec))
    edits, notes = sum(len(one.bundle.items) for one in found), sum(len(one.notes) for one in found)
    yield Reflected(step=plan.step, calls=len(found), failed_calls=lost, edits=edits, notes=notes)
    return tuple(found)


def choose(
    run: Run, plan: Plan, looked: Looked, reflections: tuple[Reflection, ...], setting: Setting
) -> Generator[Event, None, tuple[Bundle, int | None]]:
    """The proposals this step takes up, and its budget."""
    failures = [one.bundle for one in reflections if one.source == "failure"]
    successes = [one.bundle for one in reflections if one.source == "success"]
    merged = Merging(desk=run.desk, setting=setting, spec=run.spec).merge(failures, successes)
    for problem in merged.problems:
        yield FellBack(step=plan.step, stage="merge", reason=problem, instead="proposals are put one after the other")
    budget = planned(run.spec, plan.step, run.steps)
    if run.spec.schedule == "autonomous" and run.spec.update != "full_rewrite":
        budget, problem = decide_budget(merged.bundle, run.desk, setting, _evidence(looked, merged.bundle))
        if problem:
            yield FellBack(step=plan.step, stage="budget", reason=problem, instead="no edit is made")
    chosen = rank(merged.bundle, budget, run.desk, setting)
    if chosen.problem:
        yield FellBack(step=plan.step, stage="rank", reason=chosen.problem, instead="the first are kept")
    proposed = sum(len(bundle.items) for bundle in (*failures, *successes))
    kept = len(chosen.bundle.items)
    yield Chosen(step=plan.step, proposed=proposed, merged=len(merged.bundle.items), budget=budget, kept=kept)
    return chosen.bundle, budget


def take_step(run: Run, plan: Plan, meanwhile: Callable[[Looked], None]) -> Generator[Event, None, None]:
    """From a batch to a decision; `meanwhile` may begin other work when the analysts are under way."""
    spec, memory = run.spec, run.state.memory.text(run.spec.recall)
    setting = Setting(skill=run.state.current, memory=memory, meta=run.state.strategy)
    yield StepBegan(step=plan.step, steps=run.steps, epoch=plan.epoch, cases=len(plan.batch))
    looked = yield from roll_out(run, plan, setting)
    meanwhile(looked)
    reflections = yield from reflect(run, plan, looked)
    record = Step(
        step=plan.step,
        epoch=plan.epoch,
        cases=tuple(case.id for case in plan.batch),
        failed=looked.failed,
        passed=looked.passed,
        unscored=len(looked.seen) - looked.failed - looked.passed,
        outcome=Unjudged(change="step", reason="no analyst proposed anything"),
        notes=tuple(note for one in reflections for note in one.notes) if spec.skill_aware else (),
    )
    loss: float | None = None
    if any(one.bundle.items for one in reflections):
        bundle, budget = yield from choose(run, plan, looked, reflections, setting)
        updated = update(run.state.current, bundle, run.desk, setting, spec)
        record = replace(record, budget=budget, edits=bundle.items)
        record, loss = yield from _judged(run, record, updated)
    if isinstance(record.outcome, Unjudged):
        yield Skipped(step=plan.step, change="step", reason=record.outcome.reason)
    record = yield from _with_notes(run, record)
    yield from run.settle()
    _remember(run, record, reflections, loss)


def _judged(run: Run, record: Step, updated: Updated | NoUpdate) -> Generator[Event, None, tuple[Step, float | None]]:
    """The step with the gate's decision, and what a rejected candidate would have cost."""
    if isinstance(updated, NoUpdate):
        return replace(record, outcome=Unjudged(change="step", reason=updated.reason)), None
    statuses = tuple(report.status for report in updated.reports)
    yield Edited(step=record.step, skill_hash=updated.package.hash(), statuses=statuses)
    edits = record.edits if run.spec.update == "patch" else ()
    candidate = Candidate(change="step", package=updated.package, step=record.step, edits=edits)
    outcome = yield from run.judge(candidate)
    scores = outcome.scores if isinstance(outcome, Judged) and outcome.decision.action == "reject" else None
    loss = run.loss(scores) if scores else None
    return replace(record, reports=updated.reports, outcome=outcome), loss


def _with_notes(run: Run, record: Step) -> Generator[Event, None, Step]:
    """The step with its reminders in the appendix, if the gate lets them."""
    if not record.notes:
        return record
    made = noted(run.state.current, record.notes, run.desk, run.spec)
    if made.problem:
        yield FellBack(step=record.step, stage="appendix", reason=made.problem, instead="all reminders stay")
    if run.spec.gate_everything:
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
    state = run.state
    run.state = replace(state, memory=state.memory.after(past, rejected), steps=(*state.steps, record))


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


def _evidence(looked: Looked, bundle: Bundle) -> str:
    scores = [one.score for seen in looked.seen for one in seen.rollouts if isinstance(one.score, Scored)]
    average = mean(scores)
    return (
        f"{len(looked.seen)} cases, {looked.failed} failed; mean hard {average.hard:.4f}, soft {average.soft:.4f}; "
        f"{len(bundle.items)} proposals"
    )
