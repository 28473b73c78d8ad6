"""What runs say and write again and again: sentences, plans, comments and lines of code that many of them have."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from metier.learning.drafting.sanitise import is_dictated, is_risky, without_hosts, without_marks
from metier.learning.procedures.actions import below_root, foreign_tool, input_texts, is_plan, shell_line, written_file
from metier.learning.procedures.shell import without_folder
from metier.review.reach.hosts import hosts_in
from metier.text.stop_words import ENGLISH, GERMAN
from metier.text.words import stem, words
from metier.types.runs import session_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.review.layers.timeline import Timeline
    from metier.types import Run, ToolCall

WritingKind = Literal["prose", "code"]
SAME = 0.6
"""Share of the words that two lines have in common when they say the same."""
SHARED = 0.7
"""Share of the words of a line that many runs know; the rest is of one run only."""
WORDS = 4
"""Different words that a recurring line has at least: less says nothing."""
LONGEST = 300
"""Characters of a line; longer ones are data."""
MANY = 800
"""Lines of a run that are looked at."""
_MARK = re.compile(r"^\s*(?:[-*+•>]|\d{1,2}[.)]|#{1,6})\s+|[*_]{2}|^\s*\|\s*|\s*\|\s*$")
_CELL = re.compile(r"\s*\|\s*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ID = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}\b|\d{5,}|[\w.]+@[\w.]+\.\w+|\d{4}-\d\d-\d\d")
"""What stands for one case only, unless many runs know it: ids, long numbers, people, days."""
_CASE = re.compile(r"\b(?=[A-Z\d]*\d[A-Z\d]*[A-Z])[A-Z\d]{5,}\b|\b[a-z]+_\d{4,}\b")
"""An id, however many runs know it: a booking, a customer, a card."""
_TOKEN = re.compile(r"[\w$#]+(?:[.,:'’/-][\w]+)*")
_VALUE = re.compile(r"[\d\W]|[A-Z]")
_QUOTES = "\"'`“«„"
_SLOTS = re.compile(r"…(?:[ ,;:&/-]*…)+")
"""Places in a row that each run fills in its own way."""
_STOPS = ENGLISH | GERMAN


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A sentence or a line of code of a run."""

    kind: WritingKind
    text: str
    """As it was written; code keeps its indentation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """A line that several runs have, in the words of the most typical of them."""

    line: RunLine
    runs: int


def lines_of(run: Run, told: frozenset[str], root: str) -> list[RunLine]:
    """What a run said and wrote, line by line, each once, in order.

    `told` are the hosts that people have named, lines with others are left out, and so is code that a page or a tool
    dictated; `root` is the project's folder.
    """
    every = (
        line
        for at, call in enumerate(run.tools)
        for line in _of_call(call)
        if line.kind == "prose" or not is_dictated(line.text, at, run)
    )
    found = dict.fromkeys(_clean(line, told, root) for line in (*every, *_prose(run.output)) if line.text)
    return [line for line in found if len(line.text) <= LONGEST and told.issuperset(hosts_in(line.text))][:MANY]


def unheard(lines: Sequence[RunLine], timeline: Timeline) -> list[RunLine]:
    """The lines without those that a tool, page or file had said before anybody else."""
    heard = timeline.heard_lines([line.text for line in lines])
    kept = [line for number, line in enumerate(lines) if number not in heard]
    return [line for line in kept if not (is_risky(line.text) and timeline.heard_before(line.text))]


def _clean(line: RunLine, told: frozenset[str], root: str) -> RunLine:
    text = without_folder(below_root(line.text, root)) if root and root in line.text else line.text
    return RunLine(kind=line.kind, text=without_hosts(without_marks(text), told))


def request_lines(message: str) -> list[RunLine]:
    """The sentences of a request."""
    return [line for line in _prose(without_marks(message)) if len(line.text) <= LONGEST]


def _of_call(call: ToolCall) -> Iterator[RunLine]:
    yield from _prose(call.said)
    if call.ok and call.error is None:
        if is_plan(call.name):
            for text in input_texts(call):
                yield from _prose(text)
        elif (command := shell_line(call)) is not None:
            yield from _code(command)
        elif (tool := foreign_tool(call)) is not None:
            yield from _code(f"{tool} {' '.join(call.input.split())}")
        elif (text := written_file(call)[1]) and "\n" in text:  # a change of what is there is of one case
            yield from _code(text)


def _prose(text: str) -> Iterator[RunLine]:
    for line in text.splitlines():
        plain = _MARK.sub("", line)
        for sentence in _SENTENCE.split(_CELL.sub(": ", plain) if "|" in plain else plain):
            yield RunLine(kind="prose", text=" ".join(sentence.split()))


def _code(text: str) -> Iterator[RunLine]:
    for line in text.splitlines():
        yield RunLine(kind="code", text=line.rstrip())


@lru_cache(maxsize=32_768)
def stems(text: str) -> frozenset[str]:
    """The words of a sentence or a line of code without their endings; names in code fall into their words."""
    found = words(_CAMEL.sub(" ", text).replace("_", " "))
    return frozenset(stem(word) for word in found if word not in _STOPS and (len(word) > 1 or word.isdigit()))


def is_telling(text: str) -> bool:
    """Whether a line has enough words to say something."""
    return len(stems(text)) >= WORDS


def names_a_case(text: str) -> bool:
    """Whether a text has the id of one case."""
    return _CASE.search(text) is not None


class Common:
    """What more than one run knows: words and ids."""

    def __init__(self, runs: Sequence[Sequence[str]]) -> None:
        self._words = _shared({word for text in texts for word in stems(text)} for texts in runs)
        self._ids = _shared({one for text in texts for one in _ID.findall(text)} for texts in runs)

    def share(self, text: str) -> float:
        """Which share of a text's words other runs know; nothing at all where it has an id of its own."""
        if names_a_case(text) or any(one not in self._ids for one in _ID.findall(text)):
            return 0.0
        mine = stems(text)
        return len(mine & self._words) / len(mine) if mine else 1.0

    def holds(self, text: str) -> bool:
        """Whether a text is about more than one run."""
        return self.share(text) >= SHARED

    def words_in(self, text: str) -> frozenset[str]:
        """Those of a text's words that other runs know."""
        return stems(text) & self._words


def _shared(runs: Iterable[set[str]]) -> frozenset[str]:
    counts = Counter(one for known in runs for one in known)
    return frozenset(one for one, count in counts.items() if count > 1)


def recurring(runs: Sequence[Sequence[RunLine]], least: int) -> list[Recurring]:
    """The lines that at least so many runs have, each in the words that are nearest to the others, in order."""
    groups: list[dict[int, RunLine]] = []
    index: dict[str, list[int]] = {}
    for number, lines in enumerate(runs):
        for line in lines:
            mine = stems(line.text)
            if not is_telling(line.text):
                continue
            at = _home(mine, groups, index)
            if at is None:
                for word in mine:
                    index.setdefault(word, []).append(len(groups))
                groups.append({number: line})
            else:
                groups[at].setdefault(number, line)
    found = [_typical(group) for group in groups if len(group) >= least]
    return [one for one in found if is_telling(one.line.text)]


def _home(mine: frozenset[str], groups: Sequence[dict[int, RunLine]], index: dict[str, list[int]]) -> int | None:
    """The group whose first line is nearest to a line, if it says the same."""
    shared = Counter(at for word in mine for at in index.get(word, ()))
    likely = [(count, at) for at, count in shared.items() if count >= SAME * len(mine)]
    near = [(count / max(len(mine), len(stems(_first(groups[at]).text))), -at) for count, at in likely]
    share, at = max(near, default=(0.0, 0))
    return -at if share >= SAME else None


def _first(group: dict[int, RunLine]) -> RunLine:
    return next(iter(group.values()))


def _typical(group: dict[int, RunLine]) -> Recurring:
    """The line of a group that is nearest to the others, with `…` for what less than half of them have."""
    counts = Counter(word for line in group.values() for word in stems(line.text))

    def strangeness(line: RunLine) -> tuple[float, int, str]:
        mine = stems(line.text)
        return (-sum(counts[word] for word in mine) / len(mine), len(line.text), line.text)

    def shared(token: re.Match[str]) -> str:
        mine = stems(token[0])
        known = not mine or max(counts[word] for word in mine) * 2 > len(group)
        return token[0] if known or not (_VALUE.search(token[0]) or token.string[token.start() - 1] in _QUOTES) else "…"

    best = min(group.values(), key=strangeness)
    text = _SLOTS.sub("…", _TOKEN.sub(shared, best.text))
    return Recurring(line=RunLine(kind=best.kind, text=text), runs=len(group))


ROOM = 8_000
"""Characters of an example."""
LEAST = 8
"""Lines that an example has at least: less is said by the steps already."""
SESSIONS = 2
"""Sessions that have to write a script with the same text and run it with success."""
SCRIPT = 8_000
"""Characters of a script."""
_NAME = re.compile(r"[\w-][\w.-]{0,60}\.(?:py|sh|js|ts|rb|pl|R)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A program that the agent wrote and ran."""

    name: str
    text: str


def example_of(runs: Sequence[Sequence[RunLine]], common: Common) -> tuple[RunLine, ...]:
    """The run that has most of what many runs have, without what is of this run only; empty: there is little to show.

    A line stays where most of its words are known to many runs.
    """
    trimmed = [[line for line in lines if common.holds(line.text)] for lines in runs]
    worth = [len({word for line in lines for word in common.words_in(line.text)}) for lines in trimmed]
    best = max(range(len(runs)), key=lambda number: (worth[number], -len(trimmed[number]), -number), default=None)
    found = trimmed[best] if best is not None else []
    kept: list[RunLine] = []
    room = ROOM
    for line in found:
        room -= len(line.text) + 1
        if room < 0:
            break
        kept.append(line)
    return tuple(kept) if len(kept) >= LEAST else ()


def scripts_of(runs: Sequence[Run]) -> tuple[Script, ...]:
    """The scripts that runs of several sessions wrote with the very same text, and ran without an error."""
    sessions: dict[Script, set[str]] = defaultdict(set)
    for session, run in zip(session_names(runs), runs, strict=True):
        for script in _ran(run):
            sessions[script].add(session)
    found = [script for script, seen in sessions.items() if len(seen) >= SESSIONS]
    return tuple({script.name: script for script in found}.values())


def _ran(run: Run) -> list[Script]:
    """The scripts that a run wrote and then ran."""
    written: dict[str, str] = {}
    found: list[Script] = []
    for call in run.tools:
        if call.error is not None or not call.ok:
            continue
        path, text = written_file(call)
        name = path.rpartition("/")[2]
        if text and len(text) <= SCRIPT and _NAME.fullmatch(name):
            written[name] = text
        command = shell_line(call) or ""
        found += [Script(name=one, text=written[one]) for one in written if one in command]
    return found
