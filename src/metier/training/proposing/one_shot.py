"""The one-shot rewrite as the first candidate: what one question can do need not be found edit by edit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.events import RolledOut, StepSkipped, progress_events
from metier.training.proposing.appendix import with_appendix
from metier.training.proposing.memory import rejected_of
from metier.training.proposing.prompt import document_of
from metier.training.proposing.proposals import ProposedChange, Whole
from metier.training.proposing.propose import case_rollouts
from metier.training.proposing.split_rewrite import edits_to_screen
from metier.training.result import JudgedChange, StepRecord, UnjudgedChange
from metier.training.state import SkillCandidate

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.training.events import Event
    from metier.training.proposing.prompt import ShownCase
    from metier.training.run import TrainingRun
    from metier.training.state import StepPlan


def judge_one_shot(run: TrainingRun, plan: StepPlan) -> Generator[Event, None, None]:
    """Step 0: the gate judges the rewrite that is a baseline otherwise, made of the first batch's rollouts.

    If it is rejected, the first step has these rollouts too.
    """
    seen: list[ShownCase] = []
    for case in plan.batch:
        seen.append(case_rollouts(run, plan, case))
        yield from progress_events(0, "rollout", len(seen), len(plan.batch))
    failed, scored = sum(one.failed for one in seen), sum(bool(one.rollouts) for one in seen)
    yield RolledOut(step=0, failed=failed, passed=scored - failed, unscored=len(seen) - scored)
    record = StepRecord(
        step=0,
        epoch=plan.epoch,
        cases=tuple(case.id for case in plan.batch),
        failed=failed,
        passed=scored - failed,
        unscored=len(seen) - scored,
        outcome=UnjudgedChange(change="one_shot", reason="there was no rewrite"),
        proposer="full_rewrite",
    )
    yield from _judged(run, record, seen)


def _judged(run: TrainingRun, record: StepRecord, seen: list[ShownCase]) -> Generator[Event, None, None]:
    rewrite = run.baselines.rewrite_now(seen)
    if isinstance(rewrite, str):
        outcome: JudgedChange | UnjudgedChange = UnjudgedChange(change="one_shot", reason=rewrite)
        yield StepSkipped(step=0, change="one_shot", reason=rewrite)
    else:
        whole = ProposedChange(
            what=Whole(document=document_of(rewrite)), source="failure", support=max(1, record.failed)
        )
        record = replace(record, edits=(whole,))
        package = with_appendix(rewrite) if run.spec.reflection.skill_aware else rewrite
        edits = edits_to_screen(run.state.current, package, run.spec, record.failed)
        outcome = yield from run.judge(SkillCandidate(change="one_shot", package=package, step=0, edits=edits))
        if isinstance(outcome, UnjudgedChange):
            yield StepSkipped(step=0, change="one_shot", reason=outcome.reason)
    _remember(run, replace(record, outcome=outcome))


def _remember(run: TrainingRun, record: StepRecord) -> None:
    """Keep the step, and the rewrite among what was rejected if it was."""
    outcome, memory = record.outcome, run.state.memory
    if isinstance(outcome, JudgedChange) and outcome.decision.action == "reject" and outcome.scores:
        memory = memory.with_rejected(rejected_of(record.edits, run.loss(outcome.scores)))
    run.record_step(record, memory)
