"""The slow update: two epochs compared on the same train cases, and what that teaches, in a protected region."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from metier.skills.document.regions import inner, with_inner
from metier.training.proposing.answers import Guidance, Strategy
from metier.training.proposing.optimiser import OptimiserQuestion, prompt
from metier.training.proposing.prompt import (
    cut_middle,
    document_of,
    fence,
    is_passed,
    outcome_text,
    rollout_text,
    skill_text,
    with_document,
)
from metier.types.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.skills.package import Package
    from metier.training.spec import Pairing
    from metier.types.trials import Case, Rollout

Category = Literal["regressed", "persistent_fail", "improved", "stable_success"]
CATEGORIES: tuple[Category, ...] = ("regressed", "persistent_fail", "improved", "stable_success")
"""In the order of their weight."""
TRAJECTORY = 3_000
TASK = 300
NO_GUIDANCE = "There is none yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochPair:
    """One case under the last epoch's skill and under this epoch's."""

    case: Case
    before: Rollout
    after: Rollout

    @property
    def category(self) -> Category:
        """What became of the case."""
        if is_passed(self.after):
            return "stable_success" if is_passed(self.before) else "improved"
        return "regressed" if is_passed(self.before) else "persistent_fail"


def pairs_of(cases: Sequence[Case], before: Sequence[Rollout], after: Sequence[Rollout]) -> tuple[EpochPair, ...]:
    """The cases with a score under both skills."""
    return tuple(
        EpochPair(case=case, before=one, after=other)
        for case, one, other in zip(cases, before, after, strict=True)
        if isinstance(one.score, Scored) and isinstance(other.score, Scored)
    )


def pairs_for_policy(pairs: Sequence[EpochPair], policy: Pairing) -> tuple[EpochPair, ...]:
    """The pairs that the policy looks at."""
    match policy:
        case "mixed":
            return tuple(pairs)
        case "changed":
            return tuple(pair for pair in pairs if pair.category in ("improved", "regressed"))
        case "unchanged":
            return tuple(pair for pair in pairs if pair.category in ("persistent_fail", "stable_success"))
        case _:
            assert_never(policy)


def category_counts(pairs: Sequence[EpochPair]) -> tuple[tuple[Category, int], ...]:
    """How many there are of each category."""
    found = Counter(pair.category for pair in pairs)
    return tuple((category, found[category]) for category in CATEGORIES)


def guidance_question(previous: Package, current: Package, pairs: Sequence[EpochPair]) -> OptimiserQuestion[Guidance]:
    """What the optimiser is asked to write for whoever uses the skill."""
    text = prompt(
        "slow",
        previous=skill_text(previous),
        current=skill_text(current),
        guidance=fence("guidance", inner(document_of(current), "slow_update") or NO_GUIDANCE),
        pairs=fence("comparison", pairs_text(pairs)),
    )
    return OptimiserQuestion(stage="slow", prompt=text, kind=Guidance, max_tokens=8_192)


def strategy_question(
    previous: Package, current: Package, pairs: Sequence[EpochPair], notes: str
) -> OptimiserQuestion[Strategy]:
    """What the optimiser is asked to write for itself."""
    text = prompt(
        "meta",
        previous=skill_text(previous),
        current=skill_text(current),
        notes=fence("notes", notes or "There are none yet."),
        pairs=fence("comparison", pairs_text(pairs)),
    )
    return OptimiserQuestion(stage="meta", prompt=text, kind=Strategy, max_tokens=3_072)


def with_guidance(skill: Package, guidance: str) -> Package:
    """The skill with this guidance in its protected region, in place of what stood there."""
    return with_document(skill, with_inner(document_of(skill), "slow_update", guidance))


def pairs_text(pairs: Sequence[EpochPair]) -> str:
    """The pairs by category, the weightiest first; those that went well both times without what happened."""
    parts = ["; ".join(f"{count} {category}" for category, count in category_counts(pairs))]
    for category in CATEGORIES:
        found = [_shown_pair(pair) for pair in pairs if pair.category == category]
        parts.append(f"## {category}\n" + ("\n\n".join(found) or "none"))
    return "\n\n".join(parts)


def _shown_pair(pair: EpochPair) -> str:
    lines = [f"task: {cut_middle(pair.case.input, TASK)}"]
    lines.append(f"before: {outcome_text(pair.before)}; after: {outcome_text(pair.after)}")
    if pair.category != "stable_success":
        lines.append(f"before, in detail:\n{rollout_text(pair.before, TRAJECTORY)}")
        lines.append(f"after, in detail:\n{rollout_text(pair.after, TRAJECTORY)}")
    return "\n".join(lines)
