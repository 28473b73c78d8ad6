"""The quick gate: a candidate against attempts that the current skill has made already, and only what clearly leads.

It costs half of a race, and less than the classic gate where a candidate is behind from the start. What is taken
without a wide lead is measured anew, as the attempts that chose it flatter it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.events import tenth
from metier.training.gates.staged import behind, judging, ordered, settled, standing
from metier.training.gates.strict import Scores
from metier.training.rollouts.scheduler import AHEAD, NEEDED
from metier.types.trials import Decision, Scored

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.training.events import Event
    from metier.training.gates.staged import Deltas
    from metier.training.result import Judged
    from metier.training.run import Run
    from metier.training.state import Candidate
    from metier.types.trials import Action, Score

LEAD, WIDE = 0.7, 1.7
"""Standard errors that a candidate must be ahead to be taken, and to be taken without another measurement."""


def quick(run: Run, candidate: Candidate) -> Generator[Event, None, Judged]:
    """Compare block by block, and take what leads."""
    yield from run.settle()
    dry = run.state.looks.dry
    judged = yield from _judged(run, candidate)
    run.state = replace(run.state, looks=replace(run.state.looks, dry=dry))  # that is for what screenings bring
    return judged


def _judged(run: Run, candidate: Candidate) -> Generator[Event, None, Judged]:
    if candidate.package.hash() == run.state.current.hash():
        return (yield from settled(run, candidate, Decision(action="reject", reason="nothing was changed")))
    scores, deltas, lost = yield from _raced(run, candidate)
    level = standing(delta for _, delta in deltas)
    if not lost and level < LEAD:
        lost = f"{level:+.1f} standard errors on {len(deltas)} cases: no clear lead"
    decision = Decision(action="reject" if deltas else "uninformative", reason=lost, deltas=tuple(deltas))
    if not lost and level < WIDE and not run.state.looks.repeats:
        scores, fresh = yield from _again(run, candidate, scores)
        again = standing([delta for _, delta in (*deltas, *fresh)])
        if again < 0:
            lost = f"{level:+.1f} standard errors; but {again:+.1f} with fresh attempts"
            return (yield from settled(run, candidate, replace(decision, reason=lost), scores))
        run.state = replace(run.state, looks=replace(run.state.looks, known=run.state.looks.fresh))
    if lost:
        return (yield from settled(run, candidate, decision))
    reason = f"{level:+.1f} standard errors on {len(deltas)} cases"
    decision = Decision(action=_accepted(run, scores), reason=reason, deltas=tuple(deltas))
    run.moved(candidate.package, scores, decision, candidate.step)
    return (yield from settled(run, candidate, decision, scores, ahead=True))


def _accepted(run: Run, scores: Scores) -> Action:
    """What beats the current skill's scores is the best one if these are those of the best, or if it beats them too."""
    state = run.state
    best = state.current_scores is state.best_scores or run.gate.measure.beats(scores, state.best_scores)
    return "accept_new_best" if best else "accept"


def _again(
    run: Run, candidate: Candidate, seen: Scores
) -> Generator[Event, None, tuple[Scores, tuple[tuple[str, float], ...]]]:
    """A candidate's scores on fresh attempts, and the differences there; whether they tell anything new is noted."""
    before, fresh = run.state.current_scores, run.state.looks.fresh
    scores = yield from run.measured(run.splits.val, candidate.package, "gate", candidate.step, sample=fresh)
    repeats = len(scores.cases) >= run.spec.gating.block and scores.cases == seen.cases
    run.state = replace(run.state, looks=replace(run.state.looks, repeats=repeats))
    return scores, run.gate.measure.deltas(scores, before)


def _raced(run: Run, candidate: Candidate) -> Generator[Event, None, tuple[Scores, Deltas, str]]:
    """Scores and differences as far as they were looked at, and why the candidate is out."""
    known, sample = run.state.current_scores.scored(), run.state.looks.known
    cases, size = ordered(run.splits.val, run.spec, candidate), run.spec.gating.block
    yield replace(judging(run, candidate, "race", edits=len(candidate.edits), attempt=sample), known=True)
    deltas: Deltas = []
    found: dict[str, Score] = {}
    for start in range(0, len(cases), size):
        run.attempts.begin(cases[start : start + size], candidate.package, samples=(sample,), urgency=NEEDED)
        rest = cases[start + size : start + 2 * size]
        if run.spec.ahead:
            run.attempts.begin(rest, candidate.package, samples=(sample,), urgency=AHEAD)
        for number, case in enumerate(cases[start : start + size], start + 1):
            score = run.attempts.read(case, candidate.package, "gate", sample=sample).score
            found[case.id] = score
            if isinstance(score, Scored) and case.id in known:
                deltas.append((case.id, run.gate.measure.of(score) - run.gate.measure.of(known[case.id])))
            yield from tenth(candidate.step, "gate", number, len(cases))
        if lost := behind(deltas, run.spec, last=start + size >= len(cases)):
            run.attempts.drop(rest, candidate.package, (sample,))
            return Scores(cases=()), deltas, lost
    scores = Scores(cases=tuple((case.id, found[case.id]) for case in run.splits.val))
    return scores, deltas, "" if deltas else "no case was scored under both skills"
