"""Skills that are similar to a pattern: those it names, else the most relevant few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tacit.learning.terms import stems_of
from tacit.runs.recorder import unique

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tacit.types import Pattern

Place = Literal["workspace", "global", "built-in"]
PLACES: tuple[Place, ...] = ("workspace", "global", "built-in")
"""Which of two equally relevant skills comes first."""
LIMIT = 5
LEAST = 3.0
"""What a skill scores at least to be recalled; one shared word is chance."""
BODY = 6_000
"""Characters of a body that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSkill:
    """A skill that exists, and where."""

    name: str
    description: str
    body: str
    """The document behind its frontmatter."""
    place: Place = "workspace"


def recall(
    pattern: Pattern, skills: Sequence[KnownSkill], matched: Sequence[str] = (), limit: int = LIMIT
) -> tuple[KnownSkill, ...]:
    """The skills a pattern names, exactly those that exist, in that order; else the most relevant, best first."""
    named = unique((*pattern.winning_path, *matched, *pattern.late_added))
    if named:
        by_name = _by_name(skills)
        return tuple(by_name[name.casefold()] for name in named if name.casefold() in by_name)
    about = stems_of(f"{pattern.label.replace('-', ' ')} {pattern.summary}")
    scored = [(relevance(skill, pattern, about), skill) for skill in _by_name(skills).values()]
    best = sorted(
        ((score, skill) for score, skill in scored if score >= LEAST),
        key=lambda pair: (-pair[0], PLACES.index(pair[1].place), pair[1].name),
    )
    return tuple(skill for _, skill in best[:limit])


def relevance(skill: KnownSkill, pattern: Pattern, about: frozenset[str]) -> float:
    """How much a skill has to do with a pattern: its name in the summary, and shared words, the name's first."""
    name = stems_of(skill.name.replace("-", " "))
    score = 3.0 * len(about & name) / max(1, len(name)) + 1.0 * len(about & name)
    score += 1.0 * len(about & stems_of(skill.description))
    score += 0.25 * len(about & stems_of(skill.body[:BODY]))
    spoken = skill.name.replace("-", " ").casefold()
    said = pattern.summary.casefold()
    return score + (6.0 if skill.name.casefold() in said or spoken in said else 0.0)


def _by_name(skills: Iterable[KnownSkill]) -> dict[str, KnownSkill]:
    """One skill for each name, the nearest place first."""
    found: dict[str, KnownSkill] = {}
    for skill in sorted(skills, key=lambda one: PLACES.index(one.place)):
        found.setdefault(skill.name.casefold(), skill)
    return found
