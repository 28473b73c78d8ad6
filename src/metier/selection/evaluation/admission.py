"""The check before a skill is admitted: whether its neighbours' tasks still lead to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metier.selection.evaluation.labelled_queries import Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.selection.evaluation.evaluate import Answer
    from metier.selection.types import Selectable

Source = Literal["query", "description", "request"]
SHORTEST = 12
"""Characters below which a sentence says too little to be a task."""
LONGEST = 400
"""Characters of a sentence or a request that are taken as one."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
_WHEN = re.compile(
    r"(?:and\s+|also\s+)?use(?:\s+(?:it|this|this skill))?\s+(?:when|whenever|for|to|if)\b[:\s]*", re.IGNORECASE
)
_NOT = re.compile(r"(?:do\s+)?(?:not|never|don't)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A task that a skill of the library serves, and where it is known from."""

    query: Query
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Takeover:
    """A task whose first choice was the skill that serves it, and is the newcomer now."""

    probe: Probe
    skill: str
    """The neighbour that came first before."""
    still: bool
    """Whether the neighbour is activated all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What a newcomer would do to the tasks of its neighbours."""

    skill: str
    neighbours: tuple[str, ...]
    probes: int
    taken: tuple[Takeover, ...]

    @property
    def accepted(self) -> bool:
        """Whether it takes nothing over."""
        return not self.taken


def probes_of(skill: Selectable, requests: Iterable[str] = ()) -> tuple[Probe, ...]:
    """The tasks a skill is for in its own words, sentence by sentence, and requests that it served; each once."""
    found: dict[str, Probe] = {}
    said = [(_task(one), "description") for one in _SENTENCE.split(skill.description)]
    asked = [(" ".join(one.split())[:LONGEST], "request") for one in requests]
    for text, source in (*said, *asked):
        if len(text) >= SHORTEST and not _NOT.match(text):
            query = Query(text=text, gold=(skill.name,), kind=source)
            found.setdefault(text, Probe(query=query, source="request" if source == "request" else "description"))
    return tuple(found.values())


def _task(sentence: str) -> str:
    """A sentence of a description as somebody would say it who has the task: without *use when*."""
    text = " ".join(sentence.split())
    said = _WHEN.match(text)
    return text[said.end() if said else 0 :][:LONGEST].rstrip(".")


def admission(newcomer: str, probes: Sequence[Probe], before: Sequence[Answer], after: Sequence[Answer]) -> Admission:
    """Which tasks the newcomer takes over, from the answers without it and with it."""
    taken = [
        Takeover(probe=probe, skill=_first_of(was), still=_first_of(was) in now.chosen)
        for probe, was, now in zip(probes, before, after, strict=True)
        if _first_of(was) in probe.query.gold and _first_of(now) == newcomer and newcomer not in probe.query.gold
    ]
    names = dict.fromkeys(name for probe in probes for name in probe.query.gold)
    return Admission(skill=newcomer, neighbours=tuple(names), probes=len(probes), taken=tuple(taken))


def _first_of(said: Answer) -> str:
    """The first choice: of what was chosen, else of the candidates."""
    return next(iter((*said.chosen, *said.retrieved)), "")
