"""What a trained skill is held against: no skill, the initial one, a one-shot rewrite, on val and on test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.training.proposing.answers import Rewritten
from metier.training.proposing.optimiser import OptimiserQuestion, prompt
from metier.training.proposing.prompt import ShownCase, cases_text, fence, skill_text
from metier.training.proposing.reflect import LONG
from metier.training.proposing.update import replace_document
from metier.training.result import Baseline
from metier.training.rollouts.scheduler import AHEAD, FILLER
from metier.training.scores import measured_event

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from metier.skills.package import Package
    from metier.training.cases.splits import Splits
    from metier.training.events import Arm, Event
    from metier.training.proposing.optimiser import Optimiser, OptimiserReply
    from metier.training.rollouts.pool import Pending
    from metier.training.rollouts.scheduler import RolloutScheduler
    from metier.training.run import TrainingRun
    from metier.training.spec import Spec
    from metier.types.trials import Case, Split

SHOWN = 8
"""Cases that a one-shot rewrite sees."""
SPLITS: tuple[Split, ...] = ("val", "test")


class Baselines:
    """The baselines of a run: begun in its gaps where that is allowed, and read at its end."""

    def __init__(self, start: Package, splits: Splits, spec: Spec, attempts: RolloutScheduler, desk: Optimiser) -> None:
        self._start = start
        self._splits, self._spec = splits, spec
        self._attempts, self._desk = attempts, desk
        self._question: OptimiserQuestion[Rewritten] | None = None
        self._asked: Pending[OptimiserReply[Rewritten]] | None = None
        self._one_shot: Package | str | None = None
        """The rewrite, or why there is none; None while it was not read."""

    @property
    def _cases(self) -> tuple[Case, ...]:
        return (*self._splits.val, *self._splits.test)

    def begin(self) -> None:
        """Put aside what needs nothing but the initial skill."""
        if self._spec.ahead:
            self._attempts.put_aside(self._splits.test, self._start)
            if self._spec.baselines:
                self._attempts.put_aside(self._cases, None)

    def rewrite_now(self, seen: Sequence[ShownCase]) -> Package | str:
        """The rewrite, asked for now and never again, or why there is none."""
        self._question = self._rewrite_question(seen)
        rewrite = self._read_rewrite()
        if self._spec.ahead and self._spec.baselines and not isinstance(rewrite, str):
            self._attempts.put_aside(self._cases, rewrite)
        return rewrite

    def ask_rewrite(self, seen: Sequence[ShownCase]) -> None:
        """Ask for the rewrite when the first batch is there; at the next batch its rollouts can start."""
        if not self._spec.baselines:
            return
        if self._question is None:
            self._question = self._rewrite_question(seen)
            self._asked = self._desk.ask(self._question, urgency=AHEAD) if self._spec.ahead else None
        elif self._asked and self._one_shot is None and not isinstance(rewrite := self._read_rewrite(), str):
            self._attempts.put_aside(self._cases, rewrite)

    def collect(self, run: TrainingRun) -> Generator[Event, None, tuple[Baseline, ...]]:
        """All baselines and the best skill, in one order whatever was begun when."""
        found = list[Baseline]()
        arms: list[tuple[Arm, Package | str | None]] = [("initial", self._start), ("best", run.state.best)]
        if self._spec.baselines:
            arms = [("no_skill", None), arms[0], ("one_shot", self._read_rewrite()), arms[1]]
        for _, skill in arms:
            if not isinstance(skill, str):
                self._attempts.begin(self._cases, skill, urgency=FILLER)
        for arm, skill in arms:
            for split in SPLITS[: 2 if self._splits.test else 1]:
                one = yield from self._measure(run, arm, split, skill)
                found.append(one)
                if one.scores and not isinstance(skill, str):
                    yield measured_event(arm, split, skill, one.scores)
        return tuple(found)

    def _measure(
        self, run: TrainingRun, arm: Arm, split: Split, skill: Package | str | None
    ) -> Generator[Event, None, Baseline]:
        if isinstance(skill, str):
            return Baseline(arm=arm, split=split, scores=None, reason=skill)
        cases = self._splits.val if split == "val" else self._splits.test
        scores = yield from run.measure(cases, skill, "baseline")
        return Baseline(arm=arm, split=split, scores=scores)

    def _read_rewrite(self) -> Package | str:
        """The rewrite, asked for now if it was not before, or why there is none."""
        if self._one_shot is None and self._question:
            asked = self._desk.read(self._asked or self._desk.ask(self._question))
            text = asked.value.new_skill if asked.value else ""
            self._one_shot = (
                replace_document(self._start, text).package if text.strip() else asked.reason or "it is empty"
            )
        return "no batch was rolled out" if self._one_shot is None else self._one_shot

    def _rewrite_question(self, seen: Sequence[ShownCase]) -> OptimiserQuestion[Rewritten]:
        """What the optimiser is asked once: the initial skill, and a few cases of the first batch, failures first."""
        cases = sorted((one for one in seen if one.rollouts), key=lambda one: not one.failed)[:SHOWN]
        text = prompt(
            "one_shot",
            count=str(len(cases)),
            skill=skill_text(self._start),
            cases=fence("rollouts", cases_text(cases, self._spec)),
        )
        return OptimiserQuestion(stage="one_shot", prompt=text, kind=Rewritten, max_tokens=LONG)
