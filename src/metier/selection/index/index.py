"""The skills of a library in memory, to be found by words and by meaning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from metier.models.embedder import unit
from metier.selection.assembly.token_budget import ends
from metier.selection.index.entries import EMBEDDER
from metier.selection.index.match_score import TOTAL, evidence, fuse, match_words, nearest, shared_weights
from metier.selection.index.postings import Postings
from metier.selection.index.tokens import pairs, parts, words_in
from metier.text.words import has_dense

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from metier.selection.index.entries import IndexEntry
    from metier.selection.index.match_score import Scores
    from metier.selection.index.postings import Held
    from metier.selection.index.tokens import Numbers

    Places = NDArray[np.intp]
    Parts = dict[str, Scores]

TASK_LENGTH: Final = 8_000
"""Characters of a task that are looked at: its beginning and, shorter, its end."""
DENSE: Final = 0.5
"""What two signs of a script without spaces say: each sign is part of two such pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedTask:
    """A task, analysed."""

    words: Mapping[int, float]
    """How much each word says, 0 to 1."""
    pairs: Mapping[int, float]
    vector: NDArray[np.float32]


def analyse_task(task: str) -> AnalysedTask:
    """What a task asks for; of a long one its two ends."""
    text = ends(task, TASK_LENGTH)
    said = [(number, _says(word)) for word in words_in(text) for number in parts(word)]
    words: dict[int, float] = {}
    for number, says in said:
        words[number] = min(says, words.get(number, 1.0))
    row = np.array([number for number, _ in said], dtype=np.uint32)
    between = [(one[1] * other[1]) ** 0.5 for one, other in pairwise(said)]
    return AnalysedTask(
        words=words,
        pairs=dict(zip(pairs(row).tolist(), between, strict=True)),
        vector=EMBEDDER.embed([text])[0],
    )


@lru_cache(maxsize=20_000)
def _says(word: str) -> float:
    return DENSE if has_dense(word) else EMBEDDER.weight(word)


LOOKED_AT: Final = 200
"""Skills whose single sentences are compared with a task."""
ROOM: Final = 256
"""Skills for whose meaning room is made at once."""
GRAIN: Final = 5
"""Decimals of a score that count: beyond them it is the order of additions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A skill that was found, its score from 0 to 1, and what the score is made of."""

    name: str
    score: float
    parts: tuple[tuple[str, float], ...]


class SkillIndex:
    """Skills by words and meaning; `add` and `remove` cost one skill. Not safe for several threads."""

    def __init__(self) -> None:
        self._build({})

    @classmethod
    def of(cls, entries: Iterable[tuple[str, IndexEntry]]) -> SkillIndex:
        """An index of skills by name."""
        index = cls()
        index._build(dict(entries))
        return index

    def _build(self, listed: Mapping[str, IndexEntry]) -> None:
        found = list(listed.values())
        self._words = Postings([(one.words, one.weights) for one in found])
        self._pairs = Postings([_equal(one.pairs, 1) for one in found])
        self._titles = Postings([_equal(one.name, len(one.name)) for one in found])
        self._names: list[str] = list(listed)
        self._entries: list[IndexEntry] = found
        self._places: dict[str, int] = {name: at for at, name in enumerate(listed)}
        whole = [one.vectors[0] for one in found]
        self._whole = [unit(np.array(whole, dtype=np.float32).reshape(len(whole), EMBEDDER.dimensions))]

    def __len__(self) -> int:
        return len(self._places)

    def add(self, name: str, entry: IndexEntry) -> None:
        """Enter a skill, in the place of one of the same name."""
        self.remove(name)
        at = len(self._names)
        self._words.add(at, (entry.words, entry.weights))
        self._pairs.add(at, _equal(entry.pairs, 1))
        self._titles.add(at, _equal(entry.name, len(entry.name)))
        self._names.append(name)
        self._entries.append(entry)
        self._places[name] = at
        place = (at - len(self._whole[0])) % ROOM
        if place == 0:
            self._whole.append(np.zeros((ROOM, EMBEDDER.dimensions), dtype=np.float32))
        self._whole[-1][place] = unit(entry.vectors[:1].astype(np.float32))[0]

    def remove(self, name: str) -> None:
        """Forget a skill, if it is there."""
        at = self._places.pop(name, None)
        if at is None:
            return
        self._words.remove(self._entries[at].words)
        self._pairs.remove(self._entries[at].pairs)
        if len(self._names) > 64 + 2 * len(self._places):
            self._build({name: self._entries[at] for name, at in self._places.items()})

    def search(
        self, task: str, k: int, *, within: Collection[str] | None = None, near: Mapping[str, float] | None = None
    ) -> tuple[SearchHit, ...]:
        """The best k skills for a task, the best first; of equal scores the names decide.

        `near` says how near the meaning of each skill is by another embedder; a skill that it does not name is
        compared by the built-in one.
        """
        allowed = self._allowed(within)
        if not len(allowed) or k < 1 or not task.strip():
            return ()
        want, room = analyse_task(task), len(self._names)
        words = match_words(self._words, want.words, room, len(self))
        pairs = match_words(self._pairs, want.pairs, room, len(self))
        top = float(words.scores[allowed].max()) or 1.0
        parts = {
            "words": words.scores / top,
            "pairs": pairs.scores / top,
            "name": shared_weights(self._titles, list(want.words), room),
            "meaning": self._meaning(want.vector, near or {}),
        }
        best = self._best(fuse(parts), allowed, max(k, LOOKED_AT))
        found = {key: part[best] for key, part in parts.items()}
        if near is None:
            where: list[int] = best.tolist()
            found["nearest"] = nearest([self._entries[at].vectors for at in where], want.vector)
        else:
            found["nearest"] = found["meaning"]
        found["coverage"] = words.scores[best] / max(words.most, 1e-9)
        found["evidence"] = evidence(words.scores[best], len(self))
        return self._hits(best, found, k)

    def _allowed(self, within: Collection[str] | None) -> Places:
        """The places of the skills that may be found."""
        if within is None and len(self._names) == len(self._places):
            return np.arange(len(self._names))
        names = self._places.keys() if within is None else self._places.keys() & set(within)
        return np.array([self._places[name] for name in names], dtype=np.intp)

    def _meaning(self, own: Scores, near: Mapping[str, float]) -> Scores:
        """How near the meaning of every skill is."""
        found = np.concatenate([block @ own for block in self._whole])[: len(self._names)]
        told = {self._places[name]: value for name, value in near.items() if name in self._places}
        found[list(told)] = list(told.values())
        return found

    def _best(self, scores: Scores, allowed: Places, count: int) -> Places:
        """The places of the best; where the last of them have equals, the names decide."""
        if len(allowed) <= count:
            return allowed
        scores = np.round(scores[allowed], GRAIN)
        least = np.partition(scores, -count)[-count]
        above = allowed[scores > least]
        equal = sorted(allowed[scores == least].tolist(), key=self._names.__getitem__)
        return np.concatenate([above, np.array(equal[: count - len(above)], dtype=np.intp)])

    def _hits(self, places: Places, parts: Parts, k: int) -> tuple[SearchHit, ...]:
        scores = [round(score, GRAIN) for score in np.clip(fuse(parts) / TOTAL, 0, 1).tolist()]
        where: list[int] = places.tolist()
        names = [self._names[at] for at in where]
        order = sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], names[at]))
        listed = [(key, part.tolist()) for key, part in parts.items()]
        return tuple(
            SearchHit(name=names[at], score=scores[at], parts=tuple((key, part[at]) for key, part in listed))
            for at in order[:k]
        )


def _equal(words: Numbers, among: int) -> Held:
    """Words of equal weight."""
    return words, np.full(len(words), 255 // max(1, among), dtype=np.uint8)
