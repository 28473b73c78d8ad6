"""What can be said about a candidate without a model: numbers of which more always speaks more for it."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tacit.selection.values import Scored, Selectable

NEAR = 0.02
"""Scores that differ by less are the same score."""
MOST_WORDS = 200
"""Distinct words of a task that are looked at."""
LOOKED_AT = 8_000
"""Characters of a task, and of a body, that are looked at."""
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Scripts that put no spaces between words."""


class Features(NamedTuple):
    """One candidate in numbers."""

    score: float
    """The score of retrieval, 0 to 1."""
    gap: float
    """How far it is ahead of the next best, below 0 when another is ahead."""
    coverage: float
    """The share of the task's words that the skill holds, long words counting more."""
    named: float
    """1 when every word of the skill's name stands in the task."""
    alone: float
    """1 when no other candidate has about the same score, 1/n when n have."""


def features(task: str, candidates: Sequence[Scored]) -> tuple[Features, ...]:
    """The numbers of each candidate, in the order given."""
    scores = [_unit(one.score) for one in candidates]
    wanted = weighted(task[:LOOKED_AT])
    return tuple(
        Features(
            score=score,
            gap=score - max((other for at, other in enumerate(scores) if at != index), default=0.0),
            coverage=_coverage(wanted, candidates[index]),
            named=_named(wanted, candidates[index].skill),
            alone=1.0 / sum(abs(score - other) < NEAR for other in scores),
        )
        for index, score in enumerate(scores)
    )


def weighted(text: str) -> dict[str, int]:
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


def _coverage(wanted: dict[str, int], candidate: Scored) -> float:
    given = candidate.part("coverage")
    if given is not None:
        return _unit(given)
    total = sum(wanted.values())
    if not total:
        return 0.0
    skill = candidate.skill
    held = set(words(f"{skill.name} {skill.description} {skill.body[:LOOKED_AT]}"))
    return sum(weight for word, weight in wanted.items() if word in held) / total


def _named(wanted: dict[str, int], skill: Selectable) -> float:
    name = list(words(skill.name))
    return float(bool(name) and all(word in wanted for word in name))


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value)) if isfinite(value) else 0.0
