"""At the end: what each added line brings, measured without it, and the best skill without those that bring nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.events import tenth
from metier.training.gates.effects import least_passes, telling
from metier.training.gates.screen import measured, with_edits
from metier.training.gates.staged import compared, too_much
from metier.training.progress_search import Pruned, Weighed, Worth
from metier.training.proposing.prompt import document_of
from metier.training.proposing.proposals import Proposed
from metier.training.report.added import added, single
from metier.training.result import Shortened
from metier.training.rollouts.scheduler import NEEDED
from metier.training.smaller import as_good, size
from metier.training.state import Waiting
from metier.types import Delete

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.skills.package import Package
    from metier.training.events import Event
    from metier.training.gates.staged import Deltas
    from metier.training.run import Run
    from metier.types.trials import Score

Pool = tuple[Waiting, ...]
PARTS = 2
"""So often at most are as many lines weighed as are screened at once; a skill that grew by more keeps the rest."""
IDLE = 0.0
"""A line goes when it seems to be worth no more than so many standard errors."""


def finish(run: Run) -> Generator[Event, None, None]:
    """Weigh the lines if that is asked for, and take out those that bring nothing if that is."""
    if not (run.spec.prune or run.spec.attribute) or run.state.best.hash() == run.start.hash():
        return
    pool = yield from _weighed(run)
    if run.spec.prune:
        yield from _pruned(run, tuple(one for one in pool if _idle(one)))


def _weighed(run: Run) -> Generator[Event, None, Pool]:
    """Every added line with what the skill gains without it; as many at once as are screened at once."""
    best = run.state.best
    run.state = replace(run.state, current=best, current_scores=run.state.best_scores)
    document = document_of(best)
    most = run.spec.screen_edits
    lines = single(document, added(document_of(run.start), document))[: PARTS * most]
    pool: Pool = ()
    for number, start in enumerate(range(0, len(lines), most), 1):
        part = tuple(Waiting(edit=_without(line.text, best)) for line in lines[start : start + most])
        passes = max(run.spec.screen_passes, least_passes(len(part), len(run.splits.val)))
        pool += yield from measured(run, part, run.steps + number, passes)
    run.state = replace(run.state, weights=tuple((_line(one), one.known) for one in pool))
    if pool:
        yield Weighed(lines=tuple(_worth(one) for one in pool))
    return pool


def _pruned(run: Run, idle: Pool) -> Generator[Event, None, None]:
    """The best skill without some lines, if attempts that chose nothing say that it is not worse."""
    if not idle:
        return
    long, short = run.state.best, with_edits(run, idle)
    deltas, told = yield from _beside(run, long, short)
    against = too_much(_by_case(deltas), run.spec.max_loss)
    kept = bool(deltas) and not against and as_good(told, run.spec.may_lose)
    gain = sum(delta for _, delta in deltas) / len(deltas) if deltas else 0.0
    said = f"{100 * gain:+.1f} points on {len(deltas)} fresh attempts"
    reason = f"{said}; {against}" if against else said
    if kept:
        scores = yield from run.measured(run.splits.val, short, "gate")
        run.state = replace(run.state, best=short, best_scores=scores, current=short, current_scores=scores, gated=True)
    shortened = Shortened(
        lines=tuple(_line(one).rstrip() for one in idle), bytes=size(long) - size(short), kept=kept, reason=reason
    )
    run.state = replace(run.state, pruned=shortened)
    yield Pruned(lines=len(idle), characters=shortened.bytes, kept=kept, reason=reason)


def _beside(run: Run, long: Package, short: Package) -> Generator[Event, None, tuple[Deltas, Deltas]]:
    """What every val case gains from the shorter skill, in attempts of its own, as often as a screening looks.

    All of it, and what of it counts as evidence: a case once where the agent repeats itself.
    """
    samples = tuple(range(run.state.looks.fresh, run.state.looks.fresh + run.spec.screen_passes))
    run.state = replace(run.state, looks=replace(run.state.looks, fresh=samples[-1] + 1))
    for skill in (long, short):
        run.attempts.begin(run.splits.val, skill, samples=samples, urgency=NEEDED)
    deltas: Deltas = []
    scores: list[tuple[Score, Score]] = []
    total = len(samples) * len(run.splits.val)
    for number, (sample, case) in enumerate(((s, c) for s in samples for c in run.splits.val), 1):
        before, after = (run.attempts.read(case, skill, "gate", sample=sample) for skill in (long, short))
        for one in compared(run, before, after):
            deltas.append(one)
            scores.append((before.score, after.score))
        yield from tenth(run.steps, "gate", number, total)
    groups = telling([case for case, _ in deltas], scores)
    return deltas, _by_case(deltas) if len(groups) < len(deltas) else deltas


def _by_case(deltas: Deltas) -> Deltas:
    """What each case gained on average of its attempts."""
    found: dict[str, list[float]] = {}
    for case, delta in deltas:
        found.setdefault(case, []).append(delta)
    return [(case, sum(of_one) / len(of_one)) for case, of_one in found.items()]


def _idle(one: Waiting) -> bool:
    """Whether the skill seems no worse without a line."""
    return -one.known.effect <= IDLE * one.known.error


def _without(line: str, skill: Package) -> Proposed:
    return Proposed(what=Delete(target=line, file=skill.skill_file or "SKILL.md"), source="success")


def _line(one: Waiting) -> str:
    return one.edit.what.target if isinstance(one.edit.what, Delete) else ""


def _worth(one: Waiting) -> Worth:
    known = one.known
    return _line(one).strip(), -known.effect, -known.interval.high, -known.interval.low, not _idle(one)
