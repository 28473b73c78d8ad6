"""The screen: many edits at once, a half of them in every rollout, and each one's own effect from all of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, compress, cycle, islice
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

from metier.skills.editing.patch_json import MalformedEdit
from metier.training.events import Screened
from metier.training.gates.effects import estimates, evidence_groups, halves, least_passes, shrunken_effects
from metier.training.gates.gate import INITIAL_SCORES, GateEvidence, MeasureRows, Postponed, Ruling
from metier.training.gates.staged import StagedGate, check, judging_event, rule
from metier.training.proposing.proposals import Bundle, Suggestion, Whole, dump, in_short
from metier.training.proposing.update import apply_edits
from metier.training.result import Effect
from metier.training.scores import Metric
from metier.training.state import ACCEPTED, WaitingEdit
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from metier.skills.package import Package
    from metier.training.events import Worth
    from metier.training.gates.effects import EffectEstimate, Half
    from metier.training.gates.gate import Measure, Row
    from metier.training.proposing.update import Updated
    from metier.training.spec import Spec
    from metier.training.state import SkillCandidate
    from metier.types.trials import Case, Score

FEW = 2
"""So few edits are compared as one candidate."""
Edits = tuple["WaitingEdit", ...]
Tried = tuple[tuple[str, tuple["Half", "Half"]], tuple["Score | None", "Score | None"], float]
"""A case with two halves of the edits, its scores under both, and what the first gains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Screening:
    """A screening under way: worked out once, handed back with the scores."""

    evidence: GateEvidence
    """As it is while these edits are judged: the others wait."""
    edits: Edits
    rows: tuple[Row, ...]
    halves: tuple[tuple[Half, Half], ...]
    """Of each row, which edits its two trials have."""
    passes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """What a screening found, while the combination is judged."""

    evidence: GateEvidence
    edits: Edits
    """Each with what is known of it now."""
    kept: Edits
    decision: Decision


@dataclass(frozen=True, slots=True)
class ScreenGate:
    """Edits wait until there are enough to be screened together; what stands out is combined and judged once more."""

    spec: Spec
    passes: int
    """How often a screening goes over the val cases; more often where they are few for so many edits."""

    @classmethod
    def from_spec(cls, spec: Spec) -> ScreenGate:
        """The gate with a training's settings."""
        return cls(spec, spec.gating.screen_passes)

    def decide(self, evidence: GateEvidence) -> Ruling | Postponed | Measure:
        """Screen a step's edits with those that wait; a candidate of one piece is compared as a whole."""
        match evidence.plan:
            case _Screening() as plan:
                return self._choose(plan, evidence)
            case _Chosen() as plan:
                return self._judge(plan, evidence)
            case GateEvidence() as whole:
                return self._compare(whole, evidence)
            case _:
                return self._begin(evidence)

    def _begin(self, evidence: GateEvidence) -> Ruling | Postponed | Measure:
        if not evidence.settled:
            return INITIAL_SCORES
        if not evidence.candidate.edits:
            return StagedGate(self.spec).decide(evidence)
        looks, most = evidence.memory, self.spec.gating.screen_edits
        waiting = (*looks.waiting, *(WaitingEdit(edit=edit) for edit in evidence.candidate.edits))
        edits = usable_edits(evidence.current, waiting, strict=self._strict)
        more = len(edits) > len(looks.waiting)
        if len(edits) < most and not evidence.last and (more or not edits):
            reason = f"{len(edits)} of {most} edits wait to be screened together"
            return Postponed(reason=reason, memory=replace(looks, waiting=edits), waits=more)
        evidence = replace(evidence, memory=replace(looks, waiting=edits[most:]))
        if len(edits) <= FEW:
            package = with_edits(evidence.current, edits, strict=self._strict)
            return self._compare(replace(evidence, candidate=replace(evidence.candidate, package=package)), evidence)
        return self._screen(evidence, edits[:most])

    def _compare(self, whole: GateEvidence, evidence: GateEvidence) -> Ruling | Measure:
        """Few edits as one candidate."""
        answer = StagedGate(self.spec).decide(replace(whole, trials=evidence.trials, wholes=evidence.wholes))
        return answer if isinstance(answer, Ruling) else replace(answer, plan=whole)

    def _screen(self, evidence: GateEvidence, edits: Edits) -> MeasureRows:
        """Ask for every val case with one half of the edits and with the other."""
        step, looks = evidence.candidate.step, evidence.memory
        passes = max(self.passes, least_passes(len(edits), len(evidence.val)))
        event = judging_event(evidence, "screen", edits=len(edits), passes=passes, attempt=looks.fresh)
        event = replace(event, bundles=looks.slow if self.spec.gating.quick <= looks.slow else 0)
        conflicts = conflicts_of(evidence.current, edits, strict=self._strict)
        pairs = halves(len(edits), conflicts, self.spec.seed_for(f"screen {step}"))
        packages = {
            half: with_edits(evidence.current, compress(edits, half), strict=self._strict)
            for pair in pairs
            for half in pair
        }
        units = tuple(self._units(evidence, passes))
        arms = tuple((max(pair), min(pair)) for pair in islice(cycle(pairs), len(units)))
        rows = tuple(
            tuple((case, packages[half], sample) for half in pair)
            for (case, sample), pair in zip(units, arms, strict=True)
        )
        plan = _Screening(evidence=evidence, edits=edits, rows=rows, halves=arms, passes=passes)
        return MeasureRows(rows=rows, total=len(rows), events=(event,), plan=plan)

    def _units(self, evidence: GateEvidence, passes: int) -> Iterator[tuple[Case, int]]:
        """Which val case is tried in which attempt, with both halves of a pair."""
        first, seed = evidence.memory.fresh, self.spec.seed_for(f"units {evidence.candidate.step}")
        order = Random(seed).sample(evidence.val, len(evidence.val))  # noqa: S311 - no secret
        for sample in range(first, first + passes):
            yield from ((case, sample) for case in order)

    def _choose(self, plan: _Screening, measured: GateEvidence) -> Ruling | Measure:
        """Estimate every edit's effect, and combine those that stand out."""
        evidence, least = plan.evidence, self.spec.gating.bar
        evidence = replace(evidence, memory=replace(evidence.memory, fresh=evidence.memory.fresh + plan.passes))
        edits = self._with_estimates(plan, measured)
        if not edits:
            nothing = Decision(action="uninformative", reason="no case was scored under both halves of the edits")
            return rule(_with_package(evidence, evidence.current), nothing)
        standing_out = tuple(one for one in edits if one.known.z > least)
        kept = compatible_edits(evidence.current, standing_out, strict=self._strict)
        undecided = tuple(one for one in edits if self.spec.gating.carry and 0 < one.known.z <= least)
        looks = replace(evidence.memory, waiting=(*undecided, *evidence.memory.waiting))
        combined = with_edits(evidence.current, kept, strict=self._strict)
        evidence = _with_package(replace(evidence, memory=looks), combined)
        reason = f"{len(kept)} of {len(edits)} edits stand out by {least:.2f} standard errors"
        chosen = Decision(action="reject" if evidence.unchanged else "accept", reason=reason)
        event = Screened(step=evidence.candidate.step, bar=least, effects=tuple(_worth(one, kept) for one in edits))
        plan_now = _Chosen(evidence=evidence, edits=edits, kept=kept, decision=chosen)
        return replace(self._judge(plan_now, measured), events=(event,))

    def _judge(self, plan: _Chosen, measured: GateEvidence) -> Ruling | Measure:
        """Judge the combination on fresh attempts."""
        evidence = replace(plan.evidence, trials=measured.trials, wholes=measured.wholes)
        answer = rule(evidence, plan.decision) if evidence.unchanged else check(evidence, self.spec, plan.decision)
        if not isinstance(answer, Ruling):
            return replace(answer, plan=plan)
        accepted = answer.decision.action in ACCEPTED
        return replace(answer, effects=_effects(plan.edits, plan.kept if accepted else ()))

    def _with_estimates(self, plan: _Screening, measured: GateEvidence) -> Edits:
        """The edits with what the val cases say of each; none if no case was scored under both halves."""
        metric, seen = Metric.of_settings(self.spec.gating), list[Tried]()
        for (first, second), pair in zip(plan.rows, plan.halves, strict=True):
            one, other = measured.score(first), measured.score(second)
            seen += (((first[0].id, pair), (one, other), gain) for gain in metric.gain(other, one))
        found = _estimated(seen) if seen else ()
        return tuple(
            replace(one, known=one.known.with_(new)) for one, new in zip(plan.edits, found, strict=bool(found))
        )

    @property
    def _strict(self) -> bool:
        return self.spec.editing.strict_edits


def _with_package(evidence: GateEvidence, package: Package) -> GateEvidence:
    candidate: SkillCandidate = replace(evidence.candidate, package=package)
    return replace(evidence, candidate=candidate)


def _estimated(seen: list[Tried]) -> tuple[EffectEstimate, ...]:
    """Every edit's effect."""
    groups = evidence_groups([key for key, _, _ in seen], [scores for _, scores, _ in seen])
    gains = [fmean(seen[at][2] for at in group) for group in groups]
    return estimates([seen[group[0]][0][1] for group in groups], gains)


def usable_edits(skill: Package, edits: Edits, *, strict: bool) -> Edits:
    """The edits that change a skill, each once, in their order."""
    found: dict[object, WaitingEdit] = {}
    for one in edits:
        what = one.edit.what
        if not isinstance(what, Suggestion | Whole | MalformedEdit) and what not in found:
            changed = with_edits(skill, (one,), strict=strict).hash() != skill.hash()
            found.update({what: one} if changed else {})
    return tuple(found.values())


def with_edits(skill: Package, edits: Iterable[WaitingEdit], *, strict: bool) -> Package:
    """A skill with some edits, in their order."""
    return _patched(skill, edits, strict=strict).package


def conflicts_of(skill: Package, edits: Edits, *, strict: bool) -> tuple[tuple[int, int], ...]:
    """The pairs of edits that fare otherwise together than each alone."""
    alone = [_fares(skill, (one,), strict=strict) for one in edits]
    return tuple(
        (one, other)
        for one, other in combinations(range(len(edits)), 2)
        if _fares(skill, (edits[one], edits[other]), strict=strict) != alone[one] + alone[other]
    )


def compatible_edits(skill: Package, edits: Edits, *, strict: bool) -> Edits:
    """The edits without those in conflict with one that stands out more."""
    conflicts = conflicts_of(skill, edits, strict=strict)
    pairs = {frozenset((edits[one].edit, edits[other].edit)) for one, other in conflicts}
    kept: list[WaitingEdit] = []
    for one in sorted(edits, key=lambda waiting: -waiting.known.z):
        if not any(frozenset((one.edit, other.edit)) in pairs for other in kept):
            kept.append(one)
    return tuple(one for one in edits if one in kept)


def _fares(skill: Package, edits: Edits, *, strict: bool) -> list[tuple[str, bool]]:
    """What becomes of each edit, and whether what it puts in is there in the end."""
    made = _patched(skill, edits, strict=strict)
    return [(report.status, _there(one, made.package)) for one, report in zip(edits, made.reports, strict=True)]


def _there(one: WaitingEdit, package: Package) -> bool:
    fields = dump(one.edit)
    content, name = str(fields.get("content", "")), package.resolve(str(fields.get("file", "SKILL.md")))
    return bool(name) and content.strip() in package.files[name].decode("utf-8", "surrogateescape")


def _patched(skill: Package, edits: Iterable[WaitingEdit], *, strict: bool) -> Updated:
    return apply_edits(skill, Bundle(items=tuple(one.edit for one in edits)), strict=strict)


def _worth(one: WaitingEdit, kept: Edits) -> Worth:
    known = one.known
    return in_short(one.edit), known.effect, known.interval.low, known.interval.high, one in kept


def _effects(edits: Edits, kept: Edits) -> tuple[Effect, ...]:
    quoted = shrunken_effects([one.known for one in edits])
    return tuple(
        Effect(
            edit=one.edit,
            seen=one.known.effect,
            shrunk=quote,
            interval=one.known.interval,
            z=one.known.z,
            kept=one in kept,
        )
        for one, quote in zip(edits, quoted, strict=True)
    )
