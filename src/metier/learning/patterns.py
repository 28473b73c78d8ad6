"""Patterns: what a group of runs with one meaning adds up to, and when it is ready to be learned from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, assert_never

from metier.types import Pattern
from metier.types.reviews import blocks
from metier.types.runs import unique_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.types import Draft, PatternStatus, Record

Path = tuple[str, ...]
"""The skills a run used, in order."""
STABLE = 0.5
"""Share of the runs with a path that took the winning one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What a pattern needs to be ready."""

    min_runs: int = 2
    """Successful runs."""
    min_success_ratio: float = 0.7
    """Successes among all evidence; equal passes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternEvidence:
    """New runs, and how each of them went."""

    records: tuple[Record, ...]
    success: Mapping[str, bool | None]
    """By run, as judged; None or nothing: unknown, which counts in neither number."""
    paths: Mapping[Path, int] | None = None
    """Used paths of the successes a pattern has already, counted; None: all of them took its winning path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """New runs that mean the same, and what clustering says about them."""

    label: str
    summary: str
    evidence: PatternEvidence
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A group that is no pattern yet: its runs stay new."""

    label: str
    runs: tuple[str, ...]
    reason: str


def pattern_id(workspace: str, label: str) -> str:
    """The same for the same label in the same workspace, whatever its case."""
    return blake2b(f"{workspace}\0{label.strip().casefold()}".encode("utf-8", "replace"), digest_size=8).hexdigest()


def begin_pattern(group: Group, workspace: str, needed: Thresholds, now: str) -> Pattern | Waiting:
    """A new pattern from a group, or why it has to wait; one with enough runs but too many failures is forming."""
    empty = Pattern(
        id=pattern_id(workspace, group.label),
        workspace=workspace,
        label=group.label,
        summary=group.summary,
        reason=group.reason,
        created=now,
    )
    pattern = extend_pattern(empty, group.evidence, needed, now)
    if pattern.successes >= needed.min_runs:
        return pattern
    reason = f"{pattern.successes} successful of {needed.min_runs} runs a pattern needs"
    return Waiting(label=group.label, runs=tuple(record.id for record in group.evidence.records), reason=reason)


def extend_pattern(pattern: Pattern, evidence: PatternEvidence, needed: Thresholds, now: str) -> Pattern:
    """The pattern with new evidence, its ratio over all it ever had.

    A run that is counted already is not counted again; one that arrived anew and turned out a failure moves over.
    """
    known = set(pattern.runs)
    success = evidence.success
    won = [one for one in evidence.records if success.get(one.id) is True and one.id not in known]
    lost = [one for one in evidence.records if success.get(one.id) is False]
    moved = {record.id for record in lost} & known
    counts = Counter(dict(evidence.paths) if evidence.paths is not None else _assumed(pattern))
    counts.update(record.used for record in won if record.used)
    late, trigger = late_added(won)
    grown = replace(
        pattern,
        runs=(*(run for run in pattern.runs if run not in moved), *(record.id for record in won)),
        successes=pattern.successes + len(won) - len(moved),
        failures=pattern.failures + len(lost),
        winning_path=winning_path(counts),
        late_added=unique_names((*pattern.late_added, *late)),
        trigger=pattern.trigger or trigger,
        updated=now,
    )
    return replace(grown, status=status_of(grown, needed))


def status_of(pattern: Pattern, needed: Thresholds) -> PatternStatus:
    """Ready with enough successes at a sufficient ratio; a retired pattern stays retired."""
    if pattern.status == "retired":
        return "retired"
    enough = pattern.successes >= needed.min_runs and pattern.success_ratio >= needed.min_success_ratio
    return "ready" if enough else "forming"


def standing(pattern: Pattern, needed: Thresholds) -> str:
    """Why a pattern has its status, in a line for a person."""
    evidence = pattern.successes + pattern.failures
    ratio = f"{pattern.successes} of {evidence} runs succeeded, {needed.min_success_ratio:.2f} needed"
    if pattern.status == "retired":
        return "retired"
    if pattern.successes < needed.min_runs:
        return f"{pattern.successes} successful of {needed.min_runs} runs a pattern needs"
    return ratio


def winning_path(counts: Mapping[Path, int]) -> Path:
    """The most frequent path; of several the lexicographically smallest; none where no run used a skill."""
    used = {path: count for path, count in counts.items() if path and count > 0}
    return min(used, key=lambda path: (-used[path], path), default=())


def late_added(records: Iterable[Record]) -> tuple[tuple[str, ...], str]:
    """Skills in the last context snapshot of a run but not in the one before, and what triggered most of them."""
    names: list[str] = []
    triggers: Counter[str] = Counter()
    for record in records:
        ordered = sorted(record.run.snapshots, key=lambda one: one.sequence)
        if len(ordered) < 2:
            continue
        before = {name.strip().casefold() for name in ordered[-2].skills}
        late = [name for name in ordered[-1].skills if name.strip().casefold() not in before]
        if late:
            names += late
            triggers[ordered[-1].trigger] += 1
    trigger = min(triggers, key=lambda word: (-triggers[word], word), default="")
    return unique_names(names), trigger


def is_stable(pattern: Pattern, paths: Mapping[Path, int], min_runs: int = 2) -> bool:
    """Whether a winning path of two or more skills was taken often enough, by at least half of the runs with one."""
    count = paths.get(pattern.winning_path, 0)
    total = sum(number for path, number in paths.items() if path)
    return len(pattern.winning_path) >= 2 and count >= max(2, min_runs) and count >= STABLE * total


def _assumed(pattern: Pattern) -> dict[Path, int]:
    """The paths of earlier successes where nobody has counted them: all took the winning one."""
    return {pattern.winning_path: len(pattern.runs)} if pattern.winning_path else {}


GROWTH = 0.5
"""New successes, as a share of those a shipped draft was made from, that call for another one."""
FAULTS = frozenset(("apply-failed", "second-opinion-failed"))
"""Rules of findings that say nothing about the draft itself."""
SHIFT = 0.15
"""A change of the success ratio that calls for another draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """Draft it now."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """Recall, normalise and review its open draft again."""

    draft: Draft
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Nothing to do."""

    reason: str


Step = Generate | Refresh | Leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What the decision depends on besides the pattern and its drafts."""

    drafter: str
    """Who would draft now: `heuristic` or a model's name."""
    min_runs: int = 2
    ratio_then: float | None = None
    """The pattern's success ratio when its last draft was made, if it is known."""


def in_order(patterns: Iterable[Pattern]) -> list[Pattern]:
    """The ready patterns, oldest first, then by id."""
    return sorted((one for one in patterns if one.status == "ready"), key=lambda one: (one.created, one.id))


def next_step(pattern: Pattern, drafts: Sequence[Draft], now: Situation) -> Step:
    """What to do with a pattern, given its drafts, oldest first."""
    if pattern.status != "ready":
        return Leave(reason=f"the pattern is {pattern.status}")
    last = _last(pattern, drafts)
    if last is None:
        return Generate(reason="no draft yet")
    match last.status:
        case "candidate":
            return Refresh(draft=last, reason="its draft is open")
        case "quarantined" if is_held_by_fault(last):
            return Refresh(draft=last, reason="a fault that may have passed kept its draft back")
        case "quarantined" | "rejected":
            return _again(pattern, last, now)
        case "accepted":
            return _more(pattern, last, now)
        case "superseded":
            return Generate(reason="its draft was superseded")
        case _:
            assert_never(last.status)


def is_held_by_fault(draft: Draft) -> bool:
    """Whether nothing but a fault that may pass keeps a draft back: the disk, a second opinion that gave no answer."""
    blocking = {one.rule for one in draft.findings if blocks(one)}
    return draft.status == "quarantined" and bool(blocking) and blocking <= FAULTS


def new_runs(pattern: Pattern, draft: Draft) -> tuple[str, ...]:
    """The successful runs of a pattern that a draft does not know."""
    known = set(draft.provenance.runs)
    return tuple(run for run in pattern.runs if run not in known)


def _last(pattern: Pattern, drafts: Sequence[Draft]) -> Draft | None:
    """The draft that decides: an open one if there is one, else the newest that was not superseded."""
    mine = [one for one in drafts if one.pattern == pattern.id]
    live = [one for one in mine if one.status != "superseded"]
    candidates = [one for one in live if one.status == "candidate"]
    return (candidates or live or mine or [None])[-1]


def _again(pattern: Pattern, last: Draft, now: Situation) -> Step:
    """A draft that was turned down comes again only with other evidence or another drafter."""
    if set(pattern.runs) != set(last.provenance.runs):
        return Generate(reason=f"its draft was {last.status}, and the evidence has changed since")
    if now.drafter not in last.provenance.model:
        return Generate(reason=f"its draft was {last.status}, and {now.drafter} has not tried yet")
    return Leave(reason=f"its draft was {last.status}; neither evidence nor model has changed")


def _more(pattern: Pattern, last: Draft, now: Situation) -> Step:
    """A skill that has shipped gets another draft once there is enough that its last one does not know."""
    fresh = len(new_runs(pattern, last))
    wanted = max(now.min_runs, round(GROWTH * len(last.provenance.runs)))
    if fresh >= wanted:
        return Generate(reason=f"{fresh} new successful runs since its skill shipped")
    if now.ratio_then is not None and abs(pattern.success_ratio - now.ratio_then) >= SHIFT:
        return Generate(reason=f"its success ratio went from {now.ratio_then:.2f} to {pattern.success_ratio:.2f}")
    return Leave(reason=f"shipped; {fresh} new successful runs of {wanted} that call for another draft")
