"""The run that shows best how the work is done, trimmed; and scripts that several sessions wrote and ran."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.learning.procedures.actions import shell_line, written_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.procedures.recurring import Common, RunLine
    from metier.types import Run

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
    for number, run in enumerate(runs):
        for script in _ran(run):
            sessions[script].add(run.session or str(number))
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
