"""What can be said about a candidate without a model: numbers of which more always speaks more for it."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.selection.types import ScoredSkill, Selectable

NEAR = 0.02
"""Scores that differ by less are the same score."""
NEXT_BEST = 0.4
"""The score that the next best has at least: in a library of three, most skills that would be near are missing."""
MOST_WORDS = 200
"""Distinct words of a task that are looked at."""
LOOKED_AT = 8_000
"""Characters of a task, and of a body, that are looked at."""
ENOUGH = 30
"""The weight of words in common that is half of all evidence there can be."""
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Scripts that put no spaces between words."""


class Features(NamedTuple):
    """One candidate in numbers."""

    score: float
    """The score of retrieval, 0 to 1."""
    gap: float
    """How far it is ahead of the next best (`NEXT_BEST` at least), below 0 when another is ahead."""
    coverage: float
    """The share of the task's words that the skill holds, long words counting more."""
    evidence: float
    """How much it has in common with the task at all: 0 nothing, towards 1 many words that say much."""
    named: float
    """1 when every word of the skill's name stands in the task."""
    alone: float
    """1 when no other candidate has about the same score, 1/n when n have."""


def features(task: str, candidates: Sequence[ScoredSkill]) -> tuple[Features, ...]:
    """The numbers of each candidate, in the order given."""
    scores = [_unit(one.score) for one in candidates]
    wanted = word_weights(task[:LOOKED_AT])
    held = [_held(wanted, one) for one in candidates]
    return tuple(
        Features(
            score=score,
            gap=score - max((NEXT_BEST, *(other for at, other in enumerate(scores) if at != index))),
            coverage=held[index][0],
            evidence=held[index][1],
            named=_named(wanted, candidates[index].skill),
            alone=1.0 / sum(abs(score - other) < NEAR for other in scores),
        )
        for index, score in enumerate(scores)
    )


def word_weights(text: str) -> dict[str, int]:
    """The distinct words of a text, each with its weight: its length, as short words say little."""
    found: dict[str, int] = {}
    for word in words(text):
        if word not in found:
            found[word] = 8 if _UNSPACED.search(word) else max(0, min(len(word), 12) - 2)
            if len(found) == MOST_WORDS:
                break
    return found


def words(text: str) -> Iterable[str]:
    """The words of a text in small letters; where a script has no spaces, every two signs that follow each other."""
    for found in _WORD.finditer(text.casefold()):
        word = found[0]
        if _UNSPACED.search(word) and len(word) > 2:
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        else:
            yield word


def _held(wanted: dict[str, int], candidate: ScoredSkill) -> tuple[float, float]:
    """Coverage and evidence as retrieval says, or else by the words themselves."""
    coverage, evidence = candidate.part("coverage"), candidate.part("evidence")
    if coverage is None or evidence is None:
        skill = candidate.skill
        there = set(words(f"{skill.name} {skill.description} {skill.body[:LOOKED_AT]}"))
        common = sum(weight for word, weight in wanted.items() if word in there)
        coverage = common / (sum(wanted.values()) or 1) if coverage is None else coverage
        evidence = common / (common + ENOUGH) if evidence is None else evidence
    return _unit(coverage), _unit(evidence)


def _named(wanted: dict[str, int], skill: Selectable) -> float:
    name = list(words(skill.name))
    return float(bool(name) and all(word in wanted for word in name))


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value)) if isfinite(value) else 0.0
