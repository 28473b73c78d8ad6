"""Many calls against a check: how often it applied and was violated, before a moment and after it, with examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from metier.formats.handed_text import is_denial
from metier.learning.lessons.checks.hold import check_call
from metier.learning.procedures.actions import shell_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.types import Record, ToolCall
    from metier.types.lessons import LessonCheck

EXAMPLES = 3
"""Calls of each kind that are shown."""
SECOND = 19
"""Characters of a moment up to its seconds: not everybody writes more."""
SHOWN = 160
"""Characters of a call that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often a check applied, and how often it was violated."""

    applies: int = 0
    violated: int = 0
    denied: int = 0
    """Calls that would have violated it, but were denied before they ran; they count among neither of the others."""

    @property
    def share(self) -> float:
        """Violations among the calls to which it applied; 0 where there were none."""
        return self.violated / self.applies if self.applies else 0.0


class SessionCalls(NamedTuple):
    """How often a check was violated in one session, and how often it applied."""

    violated: int
    applies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What calls say about a check."""

    before: Rate = Rate()
    after: Rate = Rate()
    """Since the lesson was approved."""
    obeyed: tuple[str, ...] = ()
    violated: tuple[str, ...] = ()
    """Examples, the newest."""
    sessions_before: tuple[SessionCalls, ...] = ()
    """The same by session: the calls of one session are alike, and no independent witnesses."""
    sessions_after: tuple[SessionCalls, ...] = ()
    against: tuple[str, ...] = ()
    """The sessions since then in which a call violated it."""


class CallTally:
    """Counts calls against one check while runs go by, oldest first."""

    def __init__(self, check: LessonCheck, approved: str = "") -> None:
        self._check = check
        self._approved = approved[:SECOND]
        self._counts = {False: [0, 0, 0], True: [0, 0, 0]}
        self._sessions: dict[bool, dict[str, SessionCalls]] = {False: {}, True: {}}
        self._examples: dict[str, dict[str, None]] = {"obeyed": {}, "violated": {}}

    def add(self, record: Record) -> None:
        """Count the calls of a run."""
        late = bool(self._approved) and (record.run.started or record.recorded)[:SECOND] > self._approved
        for call in record.run.tools:
            held = check_call(self._check, call) if may_apply(self._check, call.input) else None
            if held is not None:
                self._count(record, call, held, late=late)

    def result(self) -> Tally:
        """What the calls so far say."""
        good, bad = tuple(reversed(self._examples["obeyed"])), tuple(reversed(self._examples["violated"]))
        return Tally(
            before=_rate(self._counts[False]),
            after=_rate(self._counts[True]),
            obeyed=good[:EXAMPLES],
            violated=bad[:EXAMPLES],
            sessions_before=tuple(self._sessions[False].values()),
            sessions_after=tuple(self._sessions[True].values()),
            against=tuple(name for name, seen in self._sessions[True].items() if seen.violated),
        )

    def _count(self, record: Record, call: ToolCall, held: Literal["obeyed", "violated"], *, late: bool) -> None:
        counts, violated = self._counts[late], held == "violated"
        if violated and _was_denied(call):
            counts[2] += 1
            return
        counts[0] += 1
        counts[1] += violated
        name = record.run.session or record.id
        seen = self._sessions[late].get(name, SessionCalls(0, 0))
        self._sessions[late][name] = SessionCalls(seen.violated + violated, seen.applies + 1)
        text = _call_text(call)
        examples = self._examples[held]
        examples.pop(text, None)
        examples[text] = None
        if len(examples) > EXAMPLES:
            del examples[next(iter(examples))]


def tally(check: LessonCheck, records: Iterable[Record], approved: str = "") -> Tally:
    """The calls of some runs, oldest first, against a check; `approved`: since when it counts, empty: not yet."""
    counter = CallTally(check, approved)
    for record in records:
        counter.add(record)
    return counter.result()


def _was_denied(call: ToolCall) -> bool:
    return not call.ok and is_denial(call.error or call.output)


def _call_text(call: ToolCall) -> str:
    return " ".join((shell_line(call) or call.input).split())[:SHOWN]


def _rate(counts: Sequence[int]) -> Rate:
    applies, violated, denied = counts
    return Rate(applies=applies, violated=violated, denied=denied)


def may_apply(check: LessonCheck, text: str) -> bool:
    """Whether a call is worth parsing: a word of the check stands in it."""
    if check.path:
        return check.path.strip("/").rpartition("/")[2] in text
    words = (check.program[0], check.instead.split()[0] if check.instead else check.program[0])
    return any(word in text for word in words)
