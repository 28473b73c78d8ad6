"""Patterns: what a group of runs with one meaning adds up to, and when it is ready to be learned from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from metier.runs.derive import unique
from metier.types import Pattern, PatternStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from metier.types import Record

Path = tuple[str, ...]
"""The skills a run used, in order."""


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
        late_added=unique((*pattern.late_added, *late)),
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
    return unique(names), trigger


def _assumed(pattern: Pattern) -> dict[Path, int]:
    """The paths of earlier successes where nobody has counted them: all took the winning one."""
    return {pattern.winning_path: len(pattern.runs)} if pattern.winning_path else {}
