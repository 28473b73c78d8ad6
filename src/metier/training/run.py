"""A run under way: how a candidate gets its judgement, and what may begin before that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.events import Decided, Measured, tenth
from metier.training.gates.gate import judge_of
from metier.training.gates.strict import Scores, gate_of
from metier.training.proposing.optimiser import Desk
from metier.training.result import Judged
from metier.training.rollouts.crew import Crew
from metier.training.rollouts.scheduler import AHEAD, NEEDED, Attempts
from metier.training.rollouts.usage import Bill
from metier.training.state import ACCEPTED, UNKNOWN
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.skills.package import Package
    from metier.training.cases.batches import Batch
    from metier.training.events import Arm, Change, Event
    from metier.training.result import Unjudged
    from metier.training.state import Candidate, Given, Plan, State
    from metier.types.trials import Case, Score, Split

NEAR = 0.8
"""The share of the val cases after which a decision can be guessed."""


TOGETHER = 10
"""Rollouts that are waited for at once."""


class Run:
    """The parts of a run and its state; one thread drives it."""

    def __init__(self, start: Package, state: State, plans: tuple[Plan, ...], given: Given) -> None:
        self.start = start
        self.state = state
        self.steps = len(plans)
        self.splits, self.spec = given.splits, given.spec
        roller, optimiser, pool, spec = given.roller, given.optimiser, given.pool, given.spec
        self.bill = Bill()
        crew = Crew(pool)
        self.attempts = Attempts(roller, crew, self.bill)
        self.desk = Desk(optimiser, crew, self.bill, spec.timeout)
        self.desk.meanwhile = self.attempts.fill
        self.gate = gate_of(spec)
        self._judge = judge_of(spec)
        self.initial = UNKNOWN
        self.following: Plan | None = None
        """The step after the one that is being taken."""
        self._ahead: list[tuple[Batch, Package, tuple[int, ...]]] = []
        """What was begun in the hope that a skill will be current."""

    def score(self, scores: Scores) -> float:
        """The number the gate goes by."""
        return self.gate.measure.of(scores.mean())

    def settle(self) -> Generator[Event, None, None]:
        """Take in the initial skill's scores, which everything is compared with; only the first call does anything."""
        if self.initial is UNKNOWN:
            self.initial = yield from self.measured(self.splits.val, self.start, "gate")
            yield measured("initial", "val", self.start, self.initial)
            self.state = replace(self.state, current_scores=self.initial, best_scores=self.initial)

    def measured(
        self, cases: tuple[Case, ...], skill: Package | None, stage: str, step: int = 0, *, sample: int = 0
    ) -> Generator[Event, None, Scores]:
        """A skill's scores on cases, in their order."""
        self.attempts.begin(cases, skill, samples=(sample,), urgency=NEEDED)
        found: list[tuple[str, Score]] = []
        for index, case in enumerate(cases):
            if index % TOGETHER == 0:
                self.attempts.wait(cases[index : index + TOGETHER], skill, sample=sample)
            found.append((case.id, self.attempts.read(case, skill, stage, sample=sample).score))
            yield from tenth(step, stage, len(found), len(cases))
            if stage == "gate" and skill and len(found) == round(len(cases) * NEAR):
                self._bet(skill, Scores(cases=tuple(found)))
        return Scores(cases=tuple(found))

    def judge(self, candidate: Candidate) -> Generator[Event, None, Judged | Unjudged]:
        """What the gate makes of a candidate; the state is what follows from it."""
        return (yield from self._judge.judge(self, candidate))

    def decided(self, candidate: Candidate, decision: Decision, scores: Scores | None) -> Decided:
        """The event that says what a gate made of a candidate."""
        return Decided(
            step=candidate.step,
            change=candidate.change,
            action=decision.action,
            reason=decision.reason,
            skill_hash=candidate.package.hash(),
            score=None if scores is None else self.score(scores),
            current=self.score(self.state.current_scores),
            best=self.score(self.state.best_scores),
            compared=len(decision.deltas),
            cases=len(self.splits.val),
            calls=self.bill.calls,
            tokens=self.bill.tokens,
        )

    def take(self, change: Change, candidate: Package) -> Judged:
        """Make a candidate current without a gate; its scores are taken to be the current ones."""
        decision = Decision(action="force_accept", reason="only edits pass the gate, as set")
        self._current(candidate, self.state.current_scores, gated=False)
        self.look_back()
        return Judged(change=change, skill_hash=candidate.hash(), decision=decision, scores=None)

    def promote(self, step: int) -> Generator[Event, None, None]:
        """Measure a current skill that never passed a gate; if it beats the best, it is the best."""
        scores = yield from self.measured(self.splits.val, self.state.current, "gate", step)
        self.state = replace(self.state, current_scores=scores, gated=True)
        if self.gate.measure.beats(scores, self.state.best_scores):
            self.state = replace(self.state, best=self.state.current, best_scores=scores, best_step=step)

    def loss(self, scores: Scores) -> float:
        """What the current skill scores, less what another does."""
        after, before = self.gate.measure.both(scores, self.state.current_scores)
        return before - after

    def look_ahead(self, skill: Package) -> None:
        """Start the next step's rollouts as if a skill were current then."""
        if self.spec.ahead and self.following:
            batch, samples = self.following.batch, self.following.samples
            self._ahead.append((batch, skill, samples))
            self.attempts.begin(batch, skill, samples=samples, urgency=AHEAD)

    def _bet(self, candidate: Package, scores: Scores) -> None:
        """If a candidate is ahead near the end of its gate, the next step begins as if it had won."""
        if self.gate.measure.beats(scores, self.state.current_scores):
            self.look_ahead(candidate)

    def look_back(self) -> None:
        """Leave what was begun for a skill that is not current after all."""
        for batch, skill, samples in self._ahead:
            if skill is not self.state.current:
                self.attempts.drop(batch, skill, samples)
        self._ahead = [one for one in self._ahead if one[1] is self.state.current]

    def moved(self, candidate: Package, scores: Scores, decision: Decision, step: int) -> None:
        """Make the state what follows from a decision."""
        beats = decision.action == "force_accept" and self.gate.measure.beats(scores, self.state.best_scores)
        if decision.action == "accept_new_best" or beats:
            if self.spec.ahead and self.state.best is self.start:  # there is something to confirm from now on
                self.attempts.afterwards(self.splits.confirm, self.start)
            self.state = replace(self.state, best=candidate, best_scores=scores, best_step=step)
        if decision.action in ACCEPTED:
            self._current(candidate, scores, gated=True)

    def _current(self, candidate: Package, scores: Scores, *, gated: bool) -> None:
        self.state = replace(self.state, current=candidate, current_scores=scores, gated=gated)


def measured(arm: Arm, split: Split, skill: Package | None, scores: Scores) -> Measured:
    """The event that says how a skill did on a split."""
    mean, count = scores.mean(), len(scores.scored())
    return Measured(
        arm=arm,
        split=split,
        skill_hash="" if skill is None else skill.hash(),
        hard=mean.hard,
        soft=mean.soft,
        scored=count,
        unscored=len(scores.cases) - count,
    )
