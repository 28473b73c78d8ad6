"""The staged gate: candidate and incumbent side by side, block by block, and out with what cannot win."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from random import Random
from typing import TYPE_CHECKING, Literal

from metier.training.events import tenth
from metier.training.gates.strict import ROUNDING
from metier.training.progress_search import Judging
from metier.training.result import Judged
from metier.training.rollouts.scheduler import AHEAD, NEEDED
from metier.training.state import ACCEPTED
from metier.types.trials import Decision, Scored

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from metier.skills.package import Package
    from metier.training.events import Event
    from metier.training.gates.strict import Scores
    from metier.training.run import Run
    from metier.training.spec import Spec
    from metier.training.state import Candidate
    from metier.types.trials import Case, Rollout

Deltas = list[tuple[str, float]]
CLEARLY = -2.0
"""So many standard errors below zero fresh attempts must be to undo a choice: were it fewer, what is reported would be
what was lucky there."""


class Staged:
    """A candidate is compared on a few val cases at a time, for as long as it is ahead."""

    def judge(self, run: Run, candidate: Candidate) -> Generator[Event, None, Judged]:
        """Compare; what is ahead after the last block meets attempts that nothing was chosen by, and is taken."""
        yield from run.settle()
        if candidate.package.hash() == run.state.current.hash():
            return (yield from settled(run, candidate, Decision(action="reject", reason="nothing was changed")))
        decision = yield from raced(run, candidate, run.state.current)
        if decision.action not in ACCEPTED:
            return (yield from settled(run, candidate, decision))
        return (yield from taken(run, candidate, decision))


def raced(run: Run, candidate: Candidate, rival: Package) -> Generator[Event, None, Decision]:
    """Whether a candidate stays ahead of another skill, block by block."""
    cases, size = ordered(run.splits.val, run.spec, candidate), run.spec.gating.block
    sample = run.state.looks.fresh if run.spec.gating.remeasure else 0
    event = judging(run, candidate, "race", edits=len(candidate.edits), attempt=sample)
    yield event if rival is run.state.current else replace(event, rival="best")
    arms = (rival, candidate.package)
    deltas: Deltas = []
    for start in range(0, len(cases), size):
        for arm in arms:
            run.attempts.begin(cases[start : start + size], arm, samples=(sample,), urgency=NEEDED)
            if run.spec.ahead:
                run.attempts.begin(cases[start + size : start + 2 * size], arm, samples=(sample,), urgency=AHEAD)
        for number, case in enumerate(cases[start : start + size], start + 1):
            before, after = (run.attempts.read(case, arm, "gate", sample=sample) for arm in arms)
            deltas += compared(run, before, after)
            yield from tenth(candidate.step, "gate", number, len(cases))
        if lost := behind(deltas, run.spec, last=start + size >= len(cases)):
            rest = cases[start + size : start + 2 * size]
            run.attempts.drop(rest, candidate.package, (sample,))
            return Decision(action="reject", reason=lost, deltas=tuple(deltas))
    return _ahead(deltas)


def _ahead(deltas: Deltas) -> Decision:
    """What is said of a candidate that was not out after the last block."""
    if not deltas:
        return Decision(action="uninformative", reason="no case was scored under both skills")
    gain = sum(delta for _, delta in deltas) / len(deltas)
    return Decision(action="accept", reason=f"{gain:+.4f} on {len(deltas)} cases", deltas=tuple(deltas))


def behind(deltas: Deltas, spec: Spec, *, last: bool) -> str:
    """Why a candidate is out, empty while it is not: a case lost too much, or it is behind; at last it must lead."""
    if not deltas:
        return ""
    if lost := too_much(deltas, spec.gating.max_loss):
        return lost
    gain = sum(delta for _, delta in deltas) / len(deltas)
    out = gain <= 0 if last or not spec.gating.behind else standing(delta for _, delta in deltas) < -spec.gating.behind
    return f"{gain:+.4f} after {len(deltas)} cases: not ahead" if out else ""


def too_much(deltas: Sequence[tuple[str, float]], max_loss: float | None) -> str:
    """Which case lost more than it may, empty if none did."""
    if max_loss is None or not deltas:
        return ""
    case, worst = min(deltas, key=lambda one: one[1])
    return f"case {case} loses {-worst:.4f}, more than {max_loss:g}" if -worst > max_loss + ROUNDING else ""


def taken(run: Run, candidate: Candidate, decision: Decision) -> Generator[Event, None, Judged]:
    """Make a candidate current, unless attempts that nothing was chosen by are clearly against it."""
    known = run.state.looks.known
    scores = yield from run.measured(run.splits.val, candidate.package, "gate", candidate.step, sample=known)
    deltas = run.gate.measure.deltas(scores, run.state.current_scores)
    level = standing(delta for _, delta in deltas)
    decision = replace(decision, deltas=deltas)
    against = too_much(deltas, run.spec.gating.max_loss)
    if not against and run.spec.gating.check and level < CLEARLY:
        against = f"{level:+.1f} standard errors on {len(deltas)} fresh attempts"
    if against:
        rejected = replace(decision, action="reject", reason=f"{decision.reason}; but {against}")
        return (yield from settled(run, candidate, rejected, scores))
    best = _stands_for_best(run) or (yield from _beats_best(run, candidate))
    decision = replace(decision, action="accept_new_best" if best else "accept")
    ahead = run.gate.measure.beats(scores, run.state.current_scores)
    run.moved(candidate.package, scores, decision, candidate.step)
    return (yield from settled(run, candidate, decision, scores, ahead=ahead))


def _stands_for_best(run: Run) -> bool:
    """Whether what beats the current skill beats the best one: unless that skill passed no gate, or is not the best."""
    state = run.state
    return state.gated and state.current_scores is state.best_scores


def _beats_best(run: Run, candidate: Candidate) -> Generator[Event, None, bool]:
    """Whether what is better than its parent is better than the best skill, on attempts that chose neither."""
    best = run.state.best
    if run.state.current is best:
        return True
    looks = run.state.looks
    run.state = replace(run.state, looks=replace(looks, fresh=looks.fresh + 1))
    return (yield from raced(run, candidate, best)).action in ACCEPTED


def judging(
    run: Run, candidate: Candidate, how: Literal["race", "screen"], *, edits: int = 0, passes: int = 1, attempt: int
) -> Judging:
    """The event that says which gate a candidate meets."""
    cases, dry = len(run.splits.val), run.state.looks.dry
    return Judging(
        step=candidate.step,
        change=candidate.change,
        how=how,
        edits=edits,
        cases=cases,
        passes=passes,
        dry=dry,
        attempt=attempt,
    )


def settled(
    run: Run, candidate: Candidate, decision: Decision, scores: Scores | None = None, *, ahead: bool = False
) -> Generator[Event, None, Judged]:
    """A decision on the record; after an accept the next comparison asks for attempts of its own.

    `ahead`: fresh attempts were better than those under the skill before.
    """
    looks = run.state.looks
    accepted = decision.action in ACCEPTED
    looks = replace(looks, fresh=looks.fresh + accepted, dry=looks.dry + (not accepted or not ahead))
    run.state = replace(run.state, looks=looks)
    run.look_back()
    yield run.decided(candidate, decision, scores)
    name = candidate.package.hash()
    return Judged(change=candidate.change, skill_hash=name, decision=decision, scores=scores)


def compared(run: Run, before: Rollout, after: Rollout) -> Deltas:
    """What a case gained, as a list of one; an empty one if an arm has no score."""
    if not isinstance(before.score, Scored) or not isinstance(after.score, Scored):
        return []
    measure = run.gate.measure
    return [(after.case, measure.of(after.score) - measure.of(before.score))]


def standing(differences: Iterable[float]) -> float:
    """A mean difference in its standard errors; one case either way is added, so that few prove nothing."""
    values = tuple(differences)
    count = len(values) + 2
    mean = sum(values) / count
    spread = (sum(one * one for one in values) + 2 - count * mean * mean) / (count - 1)
    return mean / sqrt(spread / count)


def ordered(cases: tuple[Case, ...], spec: Spec, candidate: Candidate) -> tuple[Case, ...]:
    """The val cases in an order of each candidate's own: the first ones shall not decide about all of them."""
    seed = spec.seed_for(f"stages {candidate.step} {candidate.change}")
    return tuple(Random(seed).sample(cases, len(cases)))  # noqa: S311 - no secret
