"""Who was the first to say something: a person, the agent by doing it, or a text that anybody may have written."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from metier.review.layers.evidence import FOREIGN, PEOPLE, RunText, run_texts
from metier.review.text.tokens import WINDOW, blocks_of, shared_blocks, shared_windows, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
    order: int
    """The same for texts of which one knows which came first."""


class Timeline:
    """The texts of runs in the order in which they were said.

    `around` are other runs of the same sessions: what they heard may have moved the agent, what they did does not
    count. `known` are texts that a person has agreed to before.
    """

    def __init__(self, evidence: Sequence[Run], around: Sequence[Run] = (), known: Iterable[str] = ()) -> None:
        numbers = {id(run): number for number, run in enumerate(evidence)}
        self._said: list[_Said] = []
        self._trusted = [_joined(text) for text in dict.fromkeys(known)]
        runs, ordered = _in_order([*around, *evidence])
        for place, run in enumerate(runs):
            number = numbers.get(id(run), -1)
            for told in run_texts([run]):
                if told.origin in FOREIGN or (told.origin == "action" and number >= 0):
                    self._said.append(_said(told._replace(run=number), 0 if ordered else place))
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
        return self._first_heard(lambda one: said[0] in one.joined and key in one.joined)

    def is_trusted(self, squeezed: str) -> bool:
        """Whether a person wrote these letters, whatever stands between them."""
        return any(squeezed in one for one in self._trusted_letters)

    def did_first(self, squeezed: str) -> bool:
        """Whether the agent did something with these letters before any untrusted text had them."""
        return self._first_heard(lambda one: squeezed in one.squeezed) is None

    def heard_windows(self, windows: set[str], size: int) -> dict[str, RunText]:
        """Those of some stretches of words that an untrusted text said first, each with that text."""
        left = set(windows)
        vocabulary = frozenset(word for window in windows for word in window.split())
        for text in self._trusted:
            left -= shared_windows(left, vocabulary, text.split(), size)
        done: dict[int, set[str]] = {}
        heard: dict[str, RunText] = {}
        seen: dict[str, set[str]] = {}
        for one in self._said:
            if one.joined not in seen:
                seen[one.joined] = shared_windows(left, vocabulary, one.words, size)
            own = done.setdefault(one.order, set())
            if one.told.origin in FOREIGN:
                heard |= dict.fromkeys(seen[one.joined] - own - heard.keys(), one.told)
            else:
                own |= seen[one.joined] - heard.keys()
        return heard

    def heard_lines(self, lines: Sequence[str]) -> set[int]:
        """The numbers of those lines that have a part which an untrusted text said first."""
        said = [(word, number) for number, line in enumerate(lines) for word in words(line)]
        owners = [number for word, number in said for _ in word]
        heard = set(self._lines_with_windows(said))
        for left, right in self._heard_blocks("".join(word for word, _ in said)):
            heard.update(owners[left:right])
        return heard

    def _lines_with_windows(self, said: Sequence[tuple[str, int]]) -> Iterator[int]:
        """The lines that have a part in a row of words which an untrusted text said first."""
        places: dict[str, list[int]] = {}
        for at in range(len(said) - WINDOW + 1):
            places.setdefault(" ".join(word for word, _ in said[at : at + WINDOW]), []).append(at)
        for window in self.heard_windows(set(places), WINDOW):
            for at in places[window]:
                yield from (number for _, number in said[at : at + WINDOW])

    def _heard_blocks(self, letters: str) -> Iterator[tuple[int, int]]:
        """Where a row of letters is what an untrusted text said first, whatever stood between them there."""
        blocks = blocks_of(letters)
        for text in dict.fromkeys(one.text for one in self.foreign()):
            for left, right in shared_blocks(letters, blocks, "".join(words(text))):
                part = letters[left:right]
                if not (self.is_trusted(part) or self.did_first(part)):
                    yield left, right

    def _first_heard(self, says: Callable[[_Said], bool]) -> RunText | None:
        """The untrusted text that says something before the agent did it; a run without a date stands for itself."""
        done: set[int] = set()
        for one in self._said:
            if one.order not in done and says(one):
                if one.told.origin in FOREIGN:
                    return one.told
                done.add(one.order)
        return None

    def foreign(self) -> list[RunText]:
        """Every untrusted text."""
        return [one.told for one in self._said if one.told.origin in FOREIGN]


def _in_order(runs: Sequence[Run]) -> tuple[list[Run], bool]:
    """Runs by when they began, and whether all of them say so; else they stay as they came."""
    try:
        moments = [datetime.fromisoformat(run.started or "") for run in runs]
        return [runs[at] for at in sorted(range(len(runs)), key=lambda at: (moments[at], at))], True
    except (ValueError, TypeError):
        return list(runs), False


def _said(told: RunText, order: int) -> _Said:
    found = _short_words(told.text) if len(told.text) <= SHORT_TEXT else tuple(words(told.text))
    return _Said(told, found, f" {' '.join(found)} ", "".join(found), order)


def _joined(text: str) -> str:
    return f" {' '.join(words(text))} "


@lru_cache(maxsize=4096)
def _short_words(text: str) -> tuple[str, ...]:
    return tuple(words(text))
