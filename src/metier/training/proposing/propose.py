"""From a batch to sets of proposals: rollout, reflect, aggregate, rank."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.training.events import Chosen, FellBack, Reflected, RolledOut, tenth
from metier.training.gates.adaptive import bundled
from metier.training.gates.strict import mean
from metier.training.proposing.aggregate import Merged, Merging
from metier.training.proposing.edit_budget import planned
from metier.training.proposing.prompt import Seen
from metier.training.proposing.rank import decide_budget, rank
from metier.training.proposing.reflect import Analysed, Minibatch, Reflection, Setting, Sorting, question, reflection
from metier.training.rollouts.scheduler import NEEDED
from metier.training.several import ProposalSet, minibatches
from metier.types.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.training.events import Event
    from metier.training.proposing.optimiser import Asked
    from metier.training.proposing.proposals import Bundle
    from metier.training.rollouts.pool import Pending
    from metier.training.run import Run
    from metier.training.spec import Spec
    from metier.training.state import Plan
    from metier.types.trials import Case

Analyst = tuple[Minibatch, "Pending[Asked[Analysed]]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """The batch as it went, and the analysts who look at it."""

    seen: tuple[Seen, ...]
    analysts: tuple[Analyst, ...]
    """Failures first."""
    spec: Spec
    """How they are asked."""
    more: tuple[tuple[Analyst, ...], ...] = ()
    """Those of further sets of proposals."""

    @property
    def sets(self) -> tuple[Looked, ...]:
        """The same batch with the analysts of each set of proposals."""
        return tuple(replace(self, analysts=one, more=()) for one in (self.analysts, *self.more))

    @property
    def failed(self) -> int:
        """Cases that failed."""
        return sum(one.failed for one in self.seen)

    @property
    def passed(self) -> int:
        """Cases that were scored and did not fail."""
        return sum(bool(one.rollouts) and not one.failed for one in self.seen)


def roll_out(run: Run, plan: Plan, setting: Setting, spec: Spec) -> Generator[Event, None, Looked]:
    """The batch under the current skill; an analyst begins as soon as the cases for it are there."""

    def asked(minibatch: Minibatch) -> Analyst:
        return minibatch, run.desk.ask(question(minibatch, setting, spec))

    run.attempts.begin(plan.batch, run.state.current, samples=plan.samples, urgency=NEEDED)
    sorting = Sorting(spec.minibatch, failures_only=spec.failures_only, contrast=spec.contrast)
    seen: list[Seen] = []
    analysts: list[Analyst] = []
    for case in plan.batch:
        seen.append(tried(run, plan, case))
        yield from tenth(plan.step, "rollout", len(seen), len(plan.batch))
        if filled := sorting.add(seen[-1]):
            analysts.append(asked(filled))
    analysts += map(asked, sorting.rest())
    analysts.sort(key=lambda analyst: analyst[0].rank)  # stable: failures first, each side in order
    drawn = (minibatches(seen, spec, f"set {number} of {plan.step}") for number in range(2, spec.proposals + 1))
    more = tuple(tuple(map(asked, one)) for one in drawn)
    looked = Looked(seen=tuple(seen), analysts=tuple(analysts), spec=spec, more=more)
    unscored = len(seen) - looked.failed - looked.passed
    yield RolledOut(step=plan.step, failed=looked.failed, passed=looked.passed, unscored=unscored)
    return looked


def tried(run: Run, plan: Plan, case: Case) -> Seen:
    """A case of a batch with those of its rollouts that have a score."""
    skill = run.state.current
    rollouts = [run.attempts.read(case, skill, "rollout", sample=sample) for sample in plan.samples]
    return Seen(case=case, rollouts=tuple(one for one in rollouts if isinstance(one.score, Scored)))


def reflect(run: Run, plan: Plan, looked: Looked) -> Generator[Event, None, tuple[Reflection, ...]]:
    """What the analysts say."""
    found: list[Reflection] = []
    lost = 0
    for minibatch, pending in looked.analysts:
        asked = run.desk.read(pending)
        if asked.value is None:
            lost += 1
            yield FellBack(step=plan.step, stage="reflect", reason=asked.reason, instead="its cases propose nothing")
        found.append(reflection(minibatch, asked, looked.spec))
    edits, notes = sum(len(one.bundle.items) for one in found), sum(len(one.notes) for one in found)
    yield Reflected(step=plan.step, calls=len(found), failed_calls=lost, edits=edits, notes=notes)
    return tuple(found)


def choose(
    run: Run, plan: Plan, looked: Looked, merged: Merged, setting: Setting
) -> Generator[Event, None, tuple[Bundle, int | None]]:
    """What is taken up of a merged bundle, and the budget for that."""
    for problem in merged.problems:
        yield FellBack(step=plan.step, stage="merge", reason=problem, instead="proposals are put one after the other")
    budget = planned(looked.spec, plan.step, run.steps, bundled=bundled(run.spec, run.state.looks, len(run.splits.val)))
    if run.spec.schedule == "autonomous" and looked.spec.update != "full_rewrite":
        budget, problem = decide_budget(merged.bundle, run.desk, setting, _evidence(looked, merged.bundle))
        if problem:
            yield FellBack(step=plan.step, stage="budget", reason=problem, instead="no edit is made")
    chosen = rank(merged.bundle, budget, run.desk, setting)
    if chosen.problem:
        yield FellBack(step=plan.step, stage="rank", reason=chosen.problem, instead="the first are kept")
    return chosen.bundle, budget


def propose(run: Run, plan: Plan, looked: Looked, setting: Setting) -> Generator[Event, None, tuple[ProposalSet, ...]]:
    """The sets of proposals: what the analysts say, merged for all sets at once, each cut to the budget."""
    sets: list[ProposalSet] = []
    for number, one in enumerate(looked.sets, 1):
        sets.append(ProposalSet(number=number, reflections=(yield from reflect(run, plan, one))))
    merging = Merging(desk=run.desk, setting=setting, spec=looked.spec)
    merged = merging.merge_sets([(one.side("failure"), one.side("success")) for one in sets])
    for index, (one, both) in enumerate(zip(sets, merged, strict=True)):
        if one.proposed:
            bundle, budget = yield from choose(run, plan, looked, both, setting)
            sets[index] = replace(one, bundle=bundle, budget=budget)
            merges, kept = len(both.bundle.items), len(bundle.items)
            yield Chosen(step=plan.step, proposed=one.proposed, merged=merges, budget=budget, kept=kept)
    return tuple(sets)


def _evidence(looked: Looked, bundle: Bundle) -> str:
    scores = [one.score for seen in looked.seen for one in seen.rollouts if isinstance(one.score, Scored)]
    average = mean(scores)
    return (
        f"{len(looked.seen)} cases, {looked.failed} failed; mean hard {average.hard:.4f}, soft {average.soft:.4f}; "
        f"{len(bundle.items)} proposals"
    )
