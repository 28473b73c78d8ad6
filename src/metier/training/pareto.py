"""The Pareto pool: skills that win on different val cases are kept, and each may be a step's parent."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from metier.training.crossing import crossed
from metier.training.events import Skipped
from metier.training.progress_search import ParentChosen
from metier.training.result import Judged, Unjudged
from metier.training.state import Candidate

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from metier.skills.package import Package
    from metier.training.events import Event
    from metier.training.gates.strict import Measure, Scores
    from metier.training.run import Run
    from metier.training.state import Plan, State

MOST = 8
"""Skills in the pool."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variant:
    """A skill that was scored on the val cases, and the one it was made of."""

    package: Package
    name: str
    """Its hash."""
    scores: Scores
    """Of the attempts that skills are reported by: none is made for the pool."""
    parent: Variant | None = field(default=None, repr=False)

    def line(self) -> Iterator[Variant]:
        """It and all it comes from, the nearest first."""
        one: Variant | None = self
        while one is not None:
            yield one
            one = one.parent


Pool = tuple[tuple[Variant, int], ...]
"""Each with the number of cases on which no other one is better."""


def enter(run: Run, before: State, candidate: Candidate, outcome: Judged | Unjudged) -> None:
    """Take up a candidate that has all val scores, whatever the gate said of it, and drop what wins nothing."""
    now = run.state
    if not isinstance(outcome, Judged) or outcome.scores is None:
        return
    known = _with(before, now, candidate.package, outcome.skill_hash, outcome.scores)
    keep = {one.name for one, _ in front(known, run.gate.measure, now.best.hash())} | {now.current.hash()}
    run.state = replace(now, variants=tuple(one for one in known if one.name in keep))


def _with(before: State, after: State, candidate: Package, name: str, scores: Scores) -> tuple[Variant, ...]:
    known = after.variants or (
        Variant(package=before.current, name=before.current.hash(), scores=before.current_scores),
    )
    package = next((one for one in (after.current, candidate) if one.hash() == name), None)
    if package is None or any(one.name == name for one in known):
        return known
    parent = next((one for one in known if one.name == before.current.hash()), None)
    return (*known, Variant(package=package, name=name, scores=scores, parent=parent))


def front(variants: tuple[Variant, ...], measure: Measure, best: str) -> Pool:
    """The variants worth keeping: the best one, then by cases won each that wins one which none before it wins."""
    won = _won(variants, measure)
    covered: set[str] = set()
    kept: list[tuple[Variant, int]] = []
    for one in sorted(variants, key=lambda one: (one.name != best, -len(won[one.name]))):
        if len(kept) < MOST and (one.name == best or not won[one.name] <= covered):
            kept.append((one, len(won[one.name])))
            covered |= won[one.name]
    return tuple(kept)


def _won(variants: tuple[Variant, ...], measure: Measure) -> dict[str, set[str]]:
    """The cases on which no other variant is better; what all of them win says nothing."""
    scores = {one.name: {case: measure.of(score) for case, score in one.scores.scored().items()} for one in variants}
    won: dict[str, set[str]] = {name: set() for name in scores}
    for case in dict.fromkeys(case for of_one in scores.values() for case in of_one):
        known = {name: of_one[case] for name, of_one in scores.items() if case in of_one}
        top = max(known.values())
        if any(score < top for score in known.values()):
            for name, score in known.items():
                won[name] |= {case} if score == top else set()
    return won


def choose_parent(run: Run, plan: Plan) -> Generator[Event, None, None]:
    """Begin a step with a variant, the more likely the more cases it wins; the same one while edits are collected."""
    pool = _pool(run)
    if len(pool) < 2 or _collecting(run):
        return
    one, won = _drawn(run, pool, f"parent {plan.step}")
    _stand_on(run, one)
    best = one.name == run.state.best.hash()
    yield ParentChosen(step=plan.step, skill_hash=one.name, won=won, variants=len(pool), best=best)


def merge(run: Run, plan: Plan) -> Generator[Event, None, Judged | Unjudged | None]:
    """Every few judged steps, two variants of different lineages as one candidate; None: there is nothing to merge."""
    pool = _pool(run)
    if len(pool) < 2 or not _due(run):
        return None
    pair = _pair(run, plan, pool)
    if pair is None:
        yield Skipped(step=plan.step, change="merge", reason="no two variants come of different lineages")
        return None
    one, other = pair
    mine = {id(past) for past in one.line()}
    ancestor = next((past for past in other.line() if id(past) in mine), None)
    made = crossed(ancestor.package if ancestor else run.start, one.package, other.package)
    if made.hash() in (*(each.name for each in run.state.variants), *run.state.merged):
        yield Skipped(step=plan.step, change="merge", reason="what the two make together was tried before")
        return None
    _stand_on(run, one)
    run.state = replace(run.state, merged=(*run.state.merged, made.hash()))
    return (yield from run.judge(Candidate(change="merge", package=made, step=plan.step)))


def _due(run: Run) -> bool:
    judged = [isinstance(one.outcome, Judged) for one in run.state.steps]
    return bool(run.spec.merge_every) and judged[-1] and sum(judged) % run.spec.merge_every == 0


def _pair(run: Run, plan: Plan, pool: Pool) -> tuple[Variant, Variant] | None:
    """Two variants of which neither comes from the other, the better one first."""
    one, _ = _drawn(run, pool, f"merge {plan.step}")
    others = tuple(two for two in pool if two[0] not in one.line() and one not in two[0].line())
    if not others:
        return None
    other, _ = _drawn(run, others, f"merge {plan.step} with")
    return (other, one) if run.gate.measure.beats(other.scores, one.scores) else (one, other)


def after_step(run: Run, plan: Plan) -> Generator[Event, None, None]:
    """Merge, and put on the record of the step what came of it."""
    outcome = yield from merge(run, plan)
    if outcome is not None:
        *earlier, last = run.state.steps
        run.state = replace(run.state, steps=(*earlier, replace(last, merged=outcome)))


def _collecting(run: Run) -> bool:
    """Whether the last step's edits wait for others to be screened with, on the skill they were made for."""
    last = run.state.steps[-1].outcome if run.state.steps else None
    return isinstance(last, Unjudged) and bool(run.state.looks.waiting)


def _pool(run: Run) -> Pool:
    return front(run.state.variants, run.gate.measure, run.state.best.hash())


def _drawn(run: Run, pool: Pool, purpose: str) -> tuple[Variant, int]:
    weights = [won or 1 for _, won in pool]
    return Random(run.spec.seed_for(purpose)).choices(pool, weights)[0]  # noqa: S311 - no secret


def _stand_on(run: Run, one: Variant) -> None:
    """Make a variant the current skill; what was begun for another one is left."""
    best = run.state.best
    package = best if one.name == best.hash() else one.package
    run.state = replace(run.state, current=package, current_scores=one.scores)
    run.look_back()
