"""Skills that are similar to a pattern: those it names, else the most relevant few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metier.text.words import stems_of
from metier.types.runs import unique_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.types import Pattern

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


class Index:
    """The skills there are, by name and by word: looking up costs what is found, not what there is."""

    def __init__(self, skills: Iterable[KnownSkill] = ()) -> None:
        self._by_name: dict[str, KnownSkill] = {}
        for skill in sorted(skills, key=lambda one: PLACES.index(one.place)):
            self._by_name.setdefault(skill.name.casefold(), skill)
        self._words: dict[str, list[tuple[str, float]]] = {}
        for name, skill in self._by_name.items():
            for word, weight in _weights(skill).items():
                self._words.setdefault(word, []).append((name, weight))

    def named(self, name: str) -> KnownSkill | None:
        """The skill of a name, whatever its case; the nearest place first."""
        return self._by_name.get(name.casefold())

    def names(self) -> tuple[str, ...]:
        """The names of all skills."""
        return tuple(skill.name for skill in self._by_name.values())

    def about(self, words: Iterable[str]) -> dict[str, float]:
        """The skills that have any of the words, with how much they have to do with them."""
        scores: dict[str, float] = {}
        for word in words:
            for name, weight in self._words.get(word, ()):
                scores[name] = scores.get(name, 0.0) + weight
        return scores


def recall(pattern: Pattern, skills: Index, matched: Sequence[str] = (), limit: int = LIMIT) -> tuple[KnownSkill, ...]:
    """The skills a pattern names, exactly those that exist, in that order; else the most relevant, best first."""
    named = unique_names((*pattern.winning_path, *matched, *pattern.late_added))
    if named:
        return tuple(skill for name in named if (skill := skills.named(name)))
    about = sorted(stems_of(f"{pattern.label.replace('-', ' ')} {pattern.summary}"))
    scored = [
        (score + _spoken(skill, pattern), skill)
        for name, score in skills.about(about).items()
        if (skill := skills.named(name))
    ]
    best = sorted(
        ((score, skill) for score, skill in scored if score >= LEAST),
        key=lambda pair: (-pair[0], PLACES.index(pair[1].place), pair[1].name),
    )
    return tuple(skill for _, skill in best[:limit])


def _spoken(skill: KnownSkill, pattern: Pattern) -> float:
    """What it counts that a pattern's summary says the skill's very name."""
    said = pattern.summary.casefold()
    name = skill.name.casefold()
    return 6.0 if name in said or name.replace("-", " ") in said else 0.0


def _weights(skill: KnownSkill) -> dict[str, float]:
    """What each word of a skill counts: those of its name most, those of its body least."""
    name = stems_of(skill.name.replace("-", " "))
    weights = dict.fromkeys(stems_of(skill.body[:BODY]), 0.25)
    for word in stems_of(skill.description):
        weights[word] = weights.get(word, 0.0) + 1.0
    for word in name:
        weights[word] = weights.get(word, 0.0) + 1.0 + 3.0 / len(name)
    return weights
