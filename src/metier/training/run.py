"""A run under way: it measures what the gate asks for, and alone changes the run's state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.errors import UsageError
from metier.training.ahead import Ahead
from metier.training.baselines import Baselines
from metier.training.events import Decided, progress_events
from metier.training.gates.gate import GateEvidence, MeasureAll, MeasureRows, Postponed, Ruling
from metier.training.proposing.optimiser import Optimiser
from metier.training.result import JudgedChange, UnjudgedChange
from metier.training.rollouts.pool import PoolUsage
from metier.training.rollouts.scheduler import NEEDED, RolloutScheduler
from metier.training.rollouts.usage import Bill
from metier.training.scores import UNKNOWN, Metric, Scores, measured_event
from metier.training.state import ACCEPTED
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.skills.package import Package
    from metier.training.events import Change, Event
    from metier.training.gates.gate import Measure
    from metier.training.proposing.memory import Memory
    from metier.training.result import EpochRecord, StepRecord
    from metier.training.state import RunParts, RunState, SkillCandidate, StepPlan
    from metier.types.trials import Case, Score

NEAR = 0.8
"""The share of the val cases after which a decision can be guessed."""
TOGETHER = 10
"""Rollouts that are waited for at once."""


class TrainingRun:
    """The parts of a run and its state; one thread drives it."""

    def __init__(self, start: Package, state: RunState, plans: tuple[StepPlan, ...], given: RunParts) -> None:
        self.start = start
        self.state = state
        self.steps = len(plans)
        self.splits, self.spec = given.splits, given.spec
        self.bill = Bill()
        crew = PoolUsage(given.pool)
        self.rollouts = RolloutScheduler(given.roller, crew, self.bill)
        self.optimiser = Optimiser(given.optimiser, crew, self.bill, self.spec.timeout)
        self.optimiser.meanwhile = self.rollouts.fill_idle_workers
        self.baselines = Baselines(start, self.splits, self.spec, self.rollouts, self.optimiser)
        self.ahead = Ahead(self.rollouts, plans, self.splits, self.spec, self.baselines)
        self.metric = Metric.of_settings(self.spec.gating)
        self.initial = UNKNOWN
        self._gate = given.gate

    # ---- measuring ------------------------------------------------------------------------------------------------

    def score(self, scores: Scores) -> float:
        """The number that skills are compared by."""
        return self.metric.of(scores.mean())

    def loss(self, scores: Scores) -> float:
        """What the current skill scores, less what another does."""
        after, before = self.metric.both(scores, self.state.current_scores)
        return before - after

    def measure_initial(self) -> Generator[Event, None, None]:
        """Measure the initial skill, which everything is compared with; only the first call does anything."""
        if self.initial is UNKNOWN:
            self.initial = yield from self.measure(self.splits.val, self.start, "gate")
            yield measured_event("initial", "val", self.start, self.initial)
            self.state = replace(self.state, current_scores=self.initial, best_scores=self.initial)

    def measure(
        self, cases: tuple[Case, ...], skill: Package | None, stage: str, step: int = 0, *, sample: int = 0
    ) -> Generator[Event, None, Scores]:
        """A skill's scores on cases, in their order; if a candidate leads near the end, the next step begins."""
        self.rollouts.begin(cases, skill, samples=(sample,), urgency=NEEDED)
        found: list[tuple[str, Score]] = []
        for index, case in enumerate(cases):
            if index % TOGETHER == 0:
                self.rollouts.wait(cases[index : index + TOGETHER], skill, sample=sample)
            found.append((case.id, self.rollouts.read(case, skill, stage, sample=sample).score))
            yield from progress_events(step, stage, len(found), len(cases))
            near = stage == "gate" and len(found) == round(len(cases) * NEAR)
            if near and skill and self.metric.beats(Scores(cases=tuple(found)), self.state.current_scores):
                self.ahead.begin_next_step(step, skill)
        return Scores(cases=tuple(found))

    # ---- judging --------------------------------------------------------------------------------------------------

    def judge(self, candidate: SkillCandidate) -> Generator[Event, None, JudgedChange | UnjudgedChange]:
        """Ask the gate, and measure what it asks for, until it decides; the state is what follows from that."""
        evidence, asked = self._evidence(candidate), MeasureRows(rows=())
        while True:
            answer = self._gate.decide(evidence)
            if isinstance(answer, MeasureRows):
                asked = answer
            if isinstance(answer, MeasureRows | MeasureAll):
                evidence = yield from self._gather(answer, evidence)
                continue
            yield from self.measure_initial()
            self.ahead.drop_rows(asked, self.state)
            if isinstance(answer, Postponed):
                self.state = replace(self.state, gate_memory=answer.memory)
                return UnjudgedChange(change=candidate.change, reason=answer.reason, waits=answer.waits)
            ruling = yield from self._complete(answer, evidence)
            return (yield from self._follow(candidate, ruling))

    def _evidence(self, candidate: SkillCandidate) -> GateEvidence:
        state = self.state
        return GateEvidence(
            candidate=candidate,
            val=self.splits.val,
            current=state.current,
            current_scores=state.current_scores,
            best=state.best,
            best_scores=state.best_scores,
            gated=state.gated,
            memory=state.gate_memory,
            last=self.ahead.next_plan(candidate.step) is None,
        )

    def _gather(self, asked: Measure, evidence: GateEvidence) -> Generator[Event, None, GateEvidence]:
        """The evidence with what the gate asked for; before anything else the initial skill is measured."""
        yield from asked.events
        step, new = evidence.candidate.step, not evidence.settled
        if isinstance(asked, MeasureAll) and new:
            self.rollouts.begin(self.splits.val, self.start, urgency=NEEDED)
            self.rollouts.begin(self.splits.val, asked.skill, samples=(asked.sample,), urgency=NEEDED)
        yield from self.measure_initial()
        wholes, trials = evidence.wholes, evidence.trials
        if isinstance(asked, MeasureAll):
            scores = yield from self.measure(self.splits.val, asked.skill, "gate", step, sample=asked.sample)
            wholes = {**wholes, (asked.skill.hash(), asked.sample): scores}
        else:
            trials = {**trials, **(yield from self._roll_rows(asked, step))}
        if not new and len(wholes) + len(trials) == len(evidence.wholes) + len(evidence.trials):
            raise UsageError(f"The gate {type(self._gate).__name__} asks for scores that it has already.")
        state = self.state
        known = replace(evidence, current_scores=state.current_scores, best_scores=state.best_scores)
        return replace(known, wholes=wholes, trials=trials, plan=asked.plan)

    def _roll_rows(self, asked: MeasureRows, step: int) -> Generator[Event, None, dict[tuple[str, str, int], Score]]:
        self.ahead.begin_rows(asked)
        found: dict[tuple[str, str, int], Score] = {}
        for number, row in enumerate(asked.rows, asked.done + 1):
            for case, skill, sample in row:
                rollout = self.rollouts.read(case, skill, "gate", sample=sample)
                found[case.id, skill.hash(), sample] = rollout.score
            yield from progress_events(step, "gate", number, asked.total)
        return found

    def _complete(self, answer: Decision | Ruling, evidence: GateEvidence) -> Generator[Event, None, Ruling]:
        """A decision alone as a ruling: what is accepted has its scores, and is the best if it beats the best."""
        if isinstance(answer, Ruling):
            return answer
        package, looks = evidence.candidate.package, self.state.gate_memory
        scores = evidence.scores_of(package)
        if answer.action in ACCEPTED and scores is None and not evidence.unchanged:
            scores = yield from self.measure(self.splits.val, package, "gate", evidence.candidate.step)
        if answer.action == "accept" and scores and self.metric.beats(scores, self.state.best_scores):
            answer = replace(answer, action="accept_new_best")
        return Ruling(decision=answer, package=package, memory=looks, scores=scores)

    def _follow(self, candidate: SkillCandidate, ruling: Ruling) -> Generator[Event, None, JudgedChange]:
        """Make the state what follows from a ruling."""
        yield from ruling.events
        self._move(ruling, candidate.step)
        self.state = replace(self.state, gate_memory=ruling.memory)
        self.ahead.drop_lost_bets(self.state.current)
        yield self._decided(candidate, ruling)
        return JudgedChange(
            change=candidate.change,
            skill_hash=ruling.package.hash(),
            decision=ruling.decision,
            scores=ruling.scores,
            effects=ruling.effects,
        )

    def _move(self, ruling: Ruling, step: int) -> None:
        """Make an accepted skill current, and best if it is."""
        action, package, scores = ruling.decision.action, ruling.package, ruling.scores
        if action not in ACCEPTED or scores is None:
            return
        beats = action == "force_accept" and self.metric.beats(scores, self.state.best_scores)
        if action == "accept_new_best" or beats:
            if self.state.best is self.start:
                self.ahead.begin_confirmation(self.start)
            self.state = replace(self.state, best=package, best_scores=scores, best_step=step)
        self.state = replace(self.state, current=package, current_scores=scores, gated=True)

    def _decided(self, candidate: SkillCandidate, ruling: Ruling) -> Decided:
        """The event that says what a gate made of a candidate."""
        return Decided(
            step=candidate.step,
            change=candidate.change,
            action=ruling.decision.action,
            reason=ruling.decision.reason,
            skill_hash=ruling.package.hash(),
            score=None if ruling.scores is None else self.score(ruling.scores),
            current=self.score(self.state.current_scores),
            best=self.score(self.state.best_scores),
            compared=len(ruling.decision.deltas),
            cases=len(self.splits.val),
            calls=self.bill.calls,
            tokens=self.bill.tokens,
        )

    # ---- other changes of the state -------------------------------------------------------------------------------

    def take(self, change: Change, candidate: Package) -> JudgedChange:
        """Make a candidate current without a gate; its scores are taken to be the current ones."""
        decision = Decision(action="force_accept", reason="only edits pass the gate, as set")
        self.state = replace(self.state, current=candidate, gated=False)
        self.ahead.drop_lost_bets(self.state.current)
        return JudgedChange(change=change, skill_hash=candidate.hash(), decision=decision, scores=None)

    def promote(self, step: int) -> Generator[Event, None, None]:
        """Measure a current skill that never passed a gate; if it beats the best, it is the best."""
        scores = yield from self.measure(self.splits.val, self.state.current, "gate", step)
        self.state = replace(self.state, current_scores=scores, gated=True)
        if self.metric.beats(scores, self.state.best_scores):
            self.state = replace(self.state, best=self.state.current, best_scores=scores, best_step=step)

    def record_step(self, step: StepRecord, memory: Memory) -> None:
        """Keep a step that is over, and what it leaves in the memory."""
        self.state = replace(self.state, memory=memory, steps=(*self.state.steps, step))

    def record_epoch(self, epoch: EpochRecord) -> None:
        """Keep an epoch that is over; the next one begins with its notes, and without its steps in mind."""
        state = self.state
        memory = state.memory.next_epoch()
        self.state = replace(state, strategy=epoch.strategy, memory=memory, epochs=(*state.epochs, epoch))
