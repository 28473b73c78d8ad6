"""What a model is shown of runs and patterns when it groups them: few, short, under aliases, as data."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from metier.formats.strict_json import clean
from metier.learning.drafting.sanitise import without_marks
from metier.prompts import load, render
from metier.text.words import stems_of
from metier.types.questions import Question, as_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NEAR = 20
"""Waiting runs shown beside a batch, the most alike."""
KNOWN = 60
"""Patterns shown, the most alike."""
HEAD, TAIL, SUMMARY, SKILLS, NAME = 200, 100, 160, 5, 64
"""Characters of a request's beginning, its end and a pattern's summary; skills of a run, characters of their names."""
GAP = " … "
LOOKED = 1_500
"""Characters at either end of a request that are looked at."""
TOKENS = 6_000
"""Of an answer."""
_WENT = {True: "succeeded", False: "failed", None: "unknown"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInShort:
    """What a model is shown of a run."""

    id: str
    text: str
    """What the person asked."""
    success: bool | None = None
    """None: unknown."""
    used: tuple[str, ...] = ()
    """The skills that did the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A pattern as a model is shown it."""

    label: str
    summary: str
    words: frozenset[str]
    """Stems of both."""
    id: str = ""
    """Empty: formed just now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One batch as it is put before a model."""

    runs: Mapping[str, RunInShort]
    """New ones by alias: r1, r2, …"""
    waiting: Mapping[str, RunInShort]
    """By alias: w1, w2, …"""
    patterns: tuple[Named, ...]

    def question(self) -> Question:
        """What the model is asked; aliases instead of ids, so that the same requests are the same question."""
        prompt = render(
            _prompt(),
            patterns=_lines({"label": one.label, "summary": one.summary} for one in self.patterns),
            runs=_lines(_fields(alias, run) for alias, run in self.runs.items()),
            waiting=_lines(_fields(alias, run) for alias, run in self.waiting.items()),
        )
        return Question(prompt=prompt, stage="cluster", temperature=0.0, max_tokens=TOKENS)


def name_pattern(label: str, summary: str, pattern: str = "") -> Named:
    """A pattern with its words."""
    short = summary[:SUMMARY]
    return Named(id=pattern, label=label, summary=short, words=_words(f"{label.replace('-', ' ')} {short}"))


def shown_with(batch: Sequence[RunInShort], near: Sequence[RunInShort], patterns: Sequence[Named]) -> Shown:
    """A batch with the waiting runs and the patterns that are most like it; requests are cut already, as by `cut`."""
    said = [_words(run.text) for run in batch]
    beside = [near[at] for at in most_alike([_words(run.text) for run in near], said, NEAR)]
    return Shown(
        runs={f"r{number}": run for number, run in enumerate(batch, start=1)},
        waiting={f"w{number}": run for number, run in enumerate(beside, start=1)},
        patterns=tuple(patterns[at] for at in most_alike([one.words for one in patterns], said, KNOWN)),
    )


def most_alike(texts: Sequence[frozenset[str]], said: Sequence[frozenset[str]], limit: int) -> list[int]:
    """Which texts share most with what was said, in their order: first the best for each saying, then the best for all.

    A word counts less the more texts have it. Where too few share a word, the last texts fill up.
    """
    if len(texts) <= limit:
        return list(range(len(texts)))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(texts):
        for word in words:
            places[word].append(place)
    total: defaultdict[int, float] = defaultdict(float)
    chosen: dict[int, None] = {}
    for words in said:
        scores: defaultdict[int, float] = defaultdict(float)
        for word in sorted(words):
            for place in places.get(word, ()):
                scores[place] += 1 / len(places[word])
        if scores:
            chosen[min(scores, key=lambda place: (-scores[place], place))] = None
        for place, score in scores.items():
            total[place] += score
    best = sorted(total, key=lambda place: (-total[place], place))
    chosen.update(dict.fromkeys((*best, *reversed(range(len(texts))))))
    return sorted(list(chosen)[:limit])


def cut(runs: Iterable[RunInShort]) -> dict[str, RunInShort]:
    """Each run once, by id, its request cut to what is shown."""
    return {run.id: replace(run, text=excerpt(run.text)) for run in runs}


def excerpt(text: str) -> str:
    """A request in one line: its beginning and, where something long was pasted, its end."""
    looked = text if len(text) <= LOOKED else f"{text[:LOOKED]} {text[-LOOKED:]}"
    line = " ".join(without_marks(clean(looked)).split())
    return line if len(line) <= HEAD + TAIL + len(GAP) else f"{line[:HEAD].rstrip()}{GAP}{line[-TAIL:].lstrip()}"


@lru_cache(maxsize=16_384)
def _words(text: str) -> frozenset[str]:
    return stems_of(text)


def _fields(alias: str, run: RunInShort) -> dict[str, object]:
    shown: dict[str, object] = {"id": alias, "request": run.text, "went": _WENT[run.success]}
    return shown | ({"skills": [name[:NAME] for name in run.used[:SKILLS]]} if run.used else {})


def _lines(values: Iterable[Mapping[str, object]]) -> str:
    """A JSON list, one value a line."""
    return "[" + ",\n".join(map(as_data, values)) + "]"


@cache
def _prompt() -> str:
    return load("metier.learning", "cluster")
