"""Scheduling ahead: rollouts that begin before it is certain that they are needed. Nothing but time depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.training.cases import batches as sampling
from metier.training.result import JudgedChange
from metier.training.rollouts.scheduler import AHEAD, NEEDED
from metier.training.state import ACCEPTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.skills.package import Package
    from metier.training.baselines import Baselines
    from metier.training.cases.batches import Batch
    from metier.training.cases.splits import Splits
    from metier.training.gates.gate import MeasureRows, Row, Trial
    from metier.training.proposing.prompt import ShownCase
    from metier.training.rollouts.scheduler import RolloutScheduler
    from metier.training.spec import Spec
    from metier.training.state import RunState, StepPlan


class Ahead:
    """What a run begins early: the next step's rollouts, a comparison's, the baselines', the last gate's."""

    def __init__(
        self, attempts: RolloutScheduler, plans: tuple[StepPlan, ...], splits: Splits, spec: Spec, baselines: Baselines
    ) -> None:
        self._attempts = attempts
        self._plans = plans
        self._splits, self._spec = splits, spec
        self._baselines = baselines
        self._bets: list[tuple[Batch, Package, tuple[int, ...]]] = []
        """What was begun in the hope that a skill will be current."""

    def next_plan(self, step: int) -> StepPlan | None:
        """The step after this one; None after the last."""
        return self._plans[step] if step < len(self._plans) else None

    def begin_run(self, start: Package, current: Package) -> None:
        """The first batch at once; what the initial skill and the baselines need when workers are free."""
        first = self._plans[0]
        self._attempts.begin(first.batch, current, samples=first.samples, urgency=NEEDED)
        self._attempts.put_aside(self._splits.val, start)
        self._baselines.begin()

    def while_reflecting(self, plan: StepPlan, seen: Sequence[ShownCase], state: RunState, start: Package) -> None:
        """While a step's analysts are under way, begin what the run will need next if the skill stays as it is."""
        if self._spec.ahead and plan.last and plan.epoch > 1 and self._spec.epoch_end.compares:
            cases = sampling.comparison_cases(self._splits.train, self._spec, plan.epoch)
            self._attempts.begin(cases, state.current, samples=plan.samples[:1], urgency=AHEAD)
        if not _changed_the_skill(state):
            self.begin_next_step(plan.step, state.current)
        self._baselines.ask_rewrite(seen)
        if self._spec.ahead and self.next_plan(plan.step) is None:
            self._attempts.put_aside(self._splits.test, state.best)
            if state.best is not start:
                self._attempts.put_aside_for_confirm(self._splits.confirm, state.best)
        self._attempts.fill_idle_workers()

    def begin_next_step(self, step: int, skill: Package) -> None:
        """Start the rollouts of the step after this one as if a skill were current then."""
        following = self.next_plan(step)
        if self._spec.ahead and following:
            self._bets.append((following.batch, skill, following.samples))
            self._attempts.begin(following.batch, skill, samples=following.samples, urgency=AHEAD)

    def drop_lost_bets(self, current: Package) -> None:
        """Leave what was begun for a skill that is not current after all."""
        for batch, skill, samples in self._bets:
            if skill is not current:
                self._attempts.drop(batch, skill, samples)
        self._bets = [one for one in self._bets if one[1] is current]

    def begin_next_comparison(self, plan: StepPlan, skill: Package) -> None:
        """After an epoch, put aside what its end will be compared with at the end of the next."""
        following = self.next_plan(plan.step)
        if self._spec.ahead and following and self._spec.epoch_end.compares:
            cases = sampling.comparison_cases(self._splits.train, self._spec, following.epoch)
            self._attempts.put_aside(cases, skill, samples=following.samples[:1])

    def begin_confirmation(self, start: Package) -> None:
        """There is something to confirm from now on: the last gate needs the initial skill on the fresh cases."""
        if self._spec.ahead:
            self._attempts.put_aside_for_confirm(self._splits.confirm, start)

    def begin_rows(self, asked: MeasureRows) -> None:
        """Start what a gate asks for, and what it will probably ask for next: skill by skill where all rows have the
        same, else row by row."""
        alike = len({tuple(id(skill) for _, skill, _ in row) for row in asked.rows}) == 1
        if not alike:
            self._begin((trial for row in asked.rows for trial in row), NEEDED)
            return
        ahead = _columns(asked.ahead) if self._spec.ahead else ()
        for at, column in enumerate(_columns(asked.rows)):
            self._begin(column, NEEDED)
            self._begin(ahead[at] if ahead else (), AHEAD)

    def drop_rows(self, asked: MeasureRows, state: RunState) -> None:
        """The gate has decided: nobody needs what was begun ahead under a skill that is neither current nor best."""
        for case, skill, sample in (trial for row in asked.ahead for trial in row):
            if skill is not state.current and skill is not state.best:
                self._attempts.drop((case,), skill, (sample,))

    def _begin(self, trials: Iterable[Trial], urgency: int) -> None:
        for case, skill, sample in trials:
            self._attempts.begin((case,), skill, samples=(sample,), urgency=urgency)


def _columns(rows: Sequence[Row]) -> tuple[tuple[Trial, ...], ...]:
    return tuple(zip(*rows, strict=True))


def _changed_the_skill(state: RunState) -> bool:
    """Whether the last step did: then the next one may well do so too."""
    outcomes = [one.outcome for one in state.steps[-1:]]
    return any(isinstance(one, JudgedChange) and one.decision.action in ACCEPTED for one in outcomes)
