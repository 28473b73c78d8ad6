"""Who was the first to say something: a person, the agent by doing it, or a text that anybody may have written."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from metier.review.layers.evidence import FOREIGN, PEOPLE, RunText, run_texts
from metier.review.text.tokens import shared_windows, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.types import Run

SHORT_TEXT = 2000
"""Characters of a text whose words are remembered: tools say the same again and again."""


class _Said(NamedTuple):
    """A text of the runs, as its words."""

    told: RunText
    words: Sequence[str]
    joined: str
    """The words with a blank around each."""
    squeezed: str
    """The words without anything between them."""


class Timeline:
    """The texts of runs in the order in which they were said.

    `around` are other runs of the same sessions: what they heard may have moved the agent, what they did does not
    count. `known` are texts that a person has agreed to before.
    """

    def __init__(self, evidence: Sequence[Run], around: Sequence[Run] = (), known: Iterable[str] = ()) -> None:
        numbers = {id(run): number for number, run in enumerate(evidence)}
        self._said: list[_Said] = []
        self._trusted = [_joined(text) for text in dict.fromkeys(known)]
        for run in _in_order([*around, *evidence]):
            number = numbers.get(id(run), -1)
            for told in run_texts([run]):
                if told.origin in FOREIGN or (told.origin == "action" and number >= 0):
                    self._said.append(_said(told._replace(run=number)))
                elif told.origin in PEOPLE and number >= 0:
                    self._trusted.append(_joined(told.text))
        self._trusted = list(dict.fromkeys(self._trusted))
        self._trusted_letters = [text.replace(" ", "") for text in self._trusted]

    def heard_before(self, part: str) -> RunText | None:
        """The untrusted text that said a part before the agent did it; None: a person said it, or the agent first."""
        said = words(part)
        key = f" {' '.join(said)} "
        if not said or any(key in one for one in self._trusted):
            return None
        for one in self._said:
            if said[0] in one.joined and key in one.joined:
                return one.told if one.told.origin in FOREIGN else None
        return None

    def is_trusted(self, squeezed: str) -> bool:
        """Whether a person wrote these letters, whatever stands between them."""
        return any(squeezed in one for one in self._trusted_letters)

    def did_first(self, squeezed: str) -> bool:
        """Whether the agent did something with these letters before any untrusted text had them."""
        for one in self._said:
            if squeezed in one.squeezed:
                return one.told.origin not in FOREIGN
        return False

    def heard_windows(self, windows: set[str], size: int) -> dict[str, RunText]:
        """Those of some stretches of words that an untrusted text said first, each with that text."""
        left = set(windows)
        vocabulary = frozenset(word for window in windows for word in window.split())
        for text in self._trusted:
            left -= shared_windows(left, vocabulary, text.split(), size)
        done: set[str] = set()
        heard: dict[str, RunText] = {}
        seen: dict[str, set[str]] = {}
        for one in self._said:
            if one.joined not in seen:
                seen[one.joined] = shared_windows(left, vocabulary, one.words, size)
            if one.told.origin in FOREIGN:
                heard |= dict.fromkeys(seen[one.joined] - done - heard.keys(), one.told)
            else:
                done |= seen[one.joined] - heard.keys()
        return heard

    def foreign(self) -> list[RunText]:
        """Every untrusted text."""
        return [one.told for one in self._said if one.told.origin in FOREIGN]


def _in_order(runs: Sequence[Run]) -> list[Run]:
    """Runs by when they began, where all of them say so; else as they came, those around the evidence first."""
    try:
        moments = [datetime.fromisoformat(run.started or "") for run in runs]
        return [runs[at] for at in sorted(range(len(runs)), key=lambda at: (moments[at], at))]
    except (ValueError, TypeError):
        return list(runs)


def _said(told: RunText) -> _Said:
    found = _short_words(told.text) if len(told.text) <= SHORT_TEXT else tuple(words(told.text))
    return _Said(told, found, f" {' '.join(found)} ", "".join(found))


def _joined(text: str) -> str:
    return f" {' '.join(words(text))} "


@lru_cache(maxsize=4096)
def _short_words(text: str) -> tuple[str, ...]:
    return tuple(words(text))
