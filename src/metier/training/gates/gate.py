"""Who judges a candidate: one strategy for each kind of gate, each given the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, assert_never

from metier.training.gates.adaptive import Adaptive
from metier.training.gates.screen import Screen
from metier.training.gates.staged import Staged
from metier.training.result import Judged
from metier.training.rollouts.scheduler import NEEDED
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.training.events import Event
    from metier.training.result import Unjudged
    from metier.training.run import Run
    from metier.training.spec import Spec
    from metier.training.state import Candidate
    from metier.types.trials import Action


class Judge(Protocol):
    """Measures a candidate as far as it needs, decides, and leaves the run in the state that follows."""

    def judge(self, run: Run, candidate: Candidate) -> Generator[Event, None, Judged | Unjudged]:
        """What came of it; unjudged: the candidate waits."""
        ...


class Classic:
    """The whole val split once for every candidate, against the scores that the current skill was chosen for."""

    def judge(self, run: Run, candidate: Candidate) -> Generator[Event, None, Judged]:
        """Measure it, and let the gate decide."""
        package, name = candidate.package, candidate.package.hash()
        same = name == run.state.current.hash()
        if not same:
            run.attempts.begin(run.splits.val, run.start, urgency=NEEDED)
            run.attempts.begin(run.splits.val, package, urgency=NEEDED)
        yield from run.settle()
        state = run.state
        if same:
            action: Action = "force_accept" if run.spec.gating.gate == "off" else "reject"
            decision, scores = Decision(action=action, reason="nothing was changed"), None
        else:
            scores = yield from run.measured(run.splits.val, package, "gate", candidate.step)
            decision = run.gate.decide(scores, state.current_scores, state.best_scores)
            run.moved(package, scores, decision, candidate.step)
            run.look_back()
        yield run.decided(candidate, decision, scores)
        return Judged(change=candidate.change, skill_hash=name, decision=decision, scores=scores)


def judge_of(spec: Spec) -> Judge:
    """The strategy that the settings ask for."""
    match spec.gating.gate:
        case "strict" | "off":
            return Classic()
        case "staged":
            return Staged()
        case "screen":
            return Screen(spec.gating.screen_passes)
        case "adaptive":
            return Adaptive()
        case _:
            assert_never(spec.gating.gate)
