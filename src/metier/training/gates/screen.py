"""The screen: many edits at once, a half of them in every rollout, and each one's own effect from all of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, compress, cycle, islice
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

from metier.skills.editing.patch_json import MalformedEdit
from metier.training.events import tenth
from metier.training.gates.effects import estimates, halves, least_passes, shrunk, telling
from metier.training.gates.staged import Staged, compared, judging, settled, taken
from metier.training.progress_search import Screened, Worth
from metier.training.proposing.proposals import Bundle, Suggestion, Whole, dump, in_short
from metier.training.proposing.update import patched
from metier.training.result import Effect, Unjudged
from metier.training.rollouts.scheduler import NEEDED
from metier.training.state import ACCEPTED, Waiting
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from metier.skills.package import Package
    from metier.training.events import Event
    from metier.training.gates.effects import Estimate, Half
    from metier.training.proposing.update import Updated
    from metier.training.result import Judged
    from metier.training.run import Run
    from metier.training.state import Candidate
    from metier.types.trials import Case, Score

FEW = 2
"""So few edits are compared as one candidate."""
Pool = tuple["Waiting", ...]
Tried = tuple[tuple[str, tuple["Half", "Half"]], tuple["Score", "Score"], float]
"""A case with two halves of the edits, its scores under both, and what the first gains."""


@dataclass(frozen=True, slots=True)
class Screen:
    """Edits wait until there are enough to be screened together; what stands out is combined and judged once more."""

    passes: int
    """How often a screening goes over the val cases; more often where they are few for so many edits."""

    def judge(self, run: Run, candidate: Candidate) -> Generator[Event, None, Judged | Unjudged]:
        """Screen a step's edits with those that wait; a candidate of one piece is compared as a whole."""
        if not candidate.edits:
            return (yield from Staged().judge(run, candidate))
        yield from run.settle()
        pool = usable(run, (*run.state.looks.waiting, *(Waiting(edit=edit) for edit in candidate.edits)))
        most = run.spec.gating.screen_edits
        more = len(pool) > len(run.state.looks.waiting)
        if len(pool) < most and run.following is not None and (more or not pool):
            hold(run, pool)
            reason = f"{len(pool)} of {most} edits wait to be screened together"
            return Unjudged(change=candidate.change, reason=reason, waits=more)
        hold(run, pool[most:])
        if len(pool) <= FEW:
            whole = replace(candidate, package=with_edits(run, pool))
            return (yield from Staged().judge(run, whole))
        passes = max(self.passes, least_passes(len(pool[:most]), len(run.splits.val)))
        return (yield from screened(run, candidate, pool[:most], passes))


def screened(run: Run, candidate: Candidate, pool: Pool, passes: int) -> Generator[Event, None, Judged]:
    """Estimate every edit's effect, combine those that stand out, and judge the combination."""
    looks = run.state.looks
    event = judging(run, candidate, "screen", edits=len(pool), passes=passes, attempt=looks.fresh)
    yield replace(event, bundles=looks.slow if run.spec.gating.quick <= looks.slow else 0)
    pool = yield from measured(run, pool, candidate.step, passes)
    if not pool:
        nothing = Decision(action="uninformative", reason="no case was scored under both halves of the edits")
        return (yield from settled(run, replace(candidate, package=run.state.current), nothing))
    least = run.spec.gating.bar
    kept = compatible(run, tuple(one for one in pool if one.known.z > least))
    undecided = tuple(one for one in pool if run.spec.gating.carry and 0 < one.known.z <= least and one not in kept)
    yield Screened(step=candidate.step, bar=least, effects=tuple(_worth(one, kept) for one in pool))
    reason = f"{len(kept)} of {len(pool)} edits stand out by {least:.2f} standard errors"
    combined = replace(candidate, package=with_edits(run, kept))
    looks = run.state.looks
    looks = replace(looks, waiting=(*undecided, *looks.waiting))
    run.state = replace(run.state, looks=looks)
    if combined.package.hash() == run.state.current.hash():
        judged = yield from settled(run, combined, Decision(action="reject", reason=reason))
    else:
        judged = yield from taken(run, combined, Decision(action="accept", reason=reason))
    return replace(judged, effects=_effects(pool, kept if judged.decision.action in ACCEPTED else ()))


def _worth(one: Waiting, kept: Pool) -> Worth:
    known = one.known
    return in_short(one.edit), known.effect, known.interval.low, known.interval.high, one in kept


def measured(run: Run, pool: Pool, step: int, passes: int) -> Generator[Event, None, Pool]:
    """The edits with what val cases say that were tried with one half of them and with the other."""
    pairs = halves(len(pool), conflicts(run, pool), run.spec.seed_for(f"screen {step}"))
    packages = {half: with_edits(run, compress(pool, half)) for pair in pairs for half in pair}
    units = tuple(_units(run, step, passes))
    arms = [(max(pair), min(pair)) for pair in islice(cycle(pairs), len(units))]
    for (case, sample), pair in zip(units, arms, strict=True):
        for half in pair:
            run.attempts.begin((case,), packages[half], samples=(sample,), urgency=NEEDED)
    seen: list[Tried] = []
    for number, ((case, sample), pair) in enumerate(zip(units, arms, strict=True), 1):
        one, other = (run.attempts.read(case, packages[half], "gate", sample=sample) for half in pair)
        seen += (((case.id, pair), (one.score, other.score), gain) for _, gain in compared(run, other, one))
        yield from tenth(step, "gate", number, len(units))
    run.state = replace(run.state, looks=replace(run.state.looks, fresh=1 + max(sample for _, sample in units)))
    found = _estimated(seen) if seen else ()
    return tuple(replace(one, known=one.known.with_(new)) for one, new in zip(pool, found, strict=bool(found)))


def _estimated(seen: list[Tried]) -> tuple[Estimate, ...]:
    """Every edit's effect."""
    groups = telling([key for key, _, _ in seen], [scores for _, scores, _ in seen])
    gains = [fmean(seen[at][2] for at in group) for group in groups]
    return estimates([seen[group[0]][0][1] for group in groups], gains)


def usable(run: Run, pool: Pool) -> Pool:
    """The edits that change the current skill, each once, in their order."""
    found: dict[object, Waiting] = {}
    for one in pool:
        what = one.edit.what
        if not isinstance(what, Suggestion | Whole | MalformedEdit) and what not in found:
            changed = with_edits(run, (one,)).hash() != run.state.current.hash()
            found.update({what: one} if changed else {})
    return tuple(found.values())


def with_edits(run: Run, pool: Iterable[Waiting]) -> Package:
    """The current skill with some edits, in their order."""
    return _made(run, pool).package


def conflicts(run: Run, pool: Pool) -> tuple[tuple[int, int], ...]:
    """The pairs of edits that fare otherwise together than each alone."""
    alone = [_fares(run, (one,)) for one in pool]
    return tuple(
        (one, other)
        for one, other in combinations(range(len(pool)), 2)
        if _fares(run, (pool[one], pool[other])) != alone[one] + alone[other]
    )


def compatible(run: Run, pool: Pool) -> Pool:
    """The edits without those in conflict with one that stands out more."""
    pairs = {frozenset((pool[one].edit, pool[other].edit)) for one, other in conflicts(run, pool)}
    kept: list[Waiting] = []
    for one in sorted(pool, key=lambda waiting: -waiting.known.z):
        if not any(frozenset((one.edit, other.edit)) in pairs for other in kept):
            kept.append(one)
    return tuple(one for one in pool if one in kept)


def hold(run: Run, pool: Pool) -> None:
    """Let edits wait for the next step's."""
    run.state = replace(run.state, looks=replace(run.state.looks, waiting=pool))


def _fares(run: Run, pool: Pool) -> list[tuple[str, bool]]:
    """What becomes of each edit, and whether what it puts in is there in the end."""
    made = _made(run, pool)
    return [(report.status, _there(one, made.package)) for one, report in zip(pool, made.reports, strict=True)]


def _there(one: Waiting, package: Package) -> bool:
    fields = dump(one.edit)
    content, name = str(fields.get("content", "")), package.resolve(str(fields.get("file", "SKILL.md")))
    return bool(name) and content.strip() in package.files[name].decode("utf-8", "surrogateescape")


def _made(run: Run, pool: Iterable[Waiting]) -> Updated:
    bundle = Bundle(items=tuple(one.edit for one in pool))
    return patched(run.state.current, bundle, strict=run.spec.editing.strict_edits)


def _units(run: Run, step: int, passes: int) -> Generator[tuple[Case, int], None, None]:
    """Which val case is tried in which attempt, with both halves of a pair."""
    first = run.state.looks.fresh
    order = Random(run.spec.seed_for(f"units {step}")).sample(run.splits.val, len(run.splits.val))  # noqa: S311
    for sample in range(first, first + passes):
        yield from ((case, sample) for case in order)


def _effects(pool: Pool, kept: Pool) -> tuple[Effect, ...]:
    quoted = shrunk([one.known for one in pool])
    return tuple(
        Effect(
            edit=one.edit,
            seen=one.known.effect,
            shrunk=quote,
            interval=one.known.interval,
            z=one.known.z,
            kept=one in kept,
        )
        for one, quote in zip(pool, quoted, strict=True)
    )
