"""Calls counted against a check: before a lesson was approved, and since, while it was in use."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from metier.formats.handed_text import is_denial
from metier.learning.lessons.checks import check_call, may_apply
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
CALLS = 50
"""Calls before a lesson was approved, and since, that are kept one by one; the newest."""


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
class CountedCall:
    """A call that a check applied to."""

    run: str
    moment: str
    text: str
    held: Literal["obeyed", "violated", "denied"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What calls say about a check."""

    before: Rate = Rate()
    after: Rate = Rate()
    """Since the lesson was approved, while it was in use."""
    obeyed: tuple[str, ...] = ()
    violated: tuple[str, ...] = ()
    """Examples, the newest."""
    sessions_before: tuple[SessionCalls, ...] = ()
    """The same by session: the calls of one session are alike, and no independent witnesses."""
    sessions_after: tuple[SessionCalls, ...] = ()
    against: tuple[str, ...] = ()
    """The sessions since then in which a call violated it."""
    calls_before: tuple[CountedCall, ...] = ()
    calls_after: tuple[CountedCall, ...] = ()
    """The calls themselves, the newest first; of many the newest ones only."""


class CallTally:
    """Counts calls against one check while runs go by, oldest first."""

    def __init__(self, check: LessonCheck, periods: Sequence[tuple[str, str]] = ()) -> None:
        self._check = check
        self._periods = [(start[:SECOND], end[:SECOND]) for start, end in periods]
        self._counts = {False: [0, 0, 0], True: [0, 0, 0]}
        self._sessions: dict[bool, dict[str, SessionCalls]] = {False: {}, True: {}}
        self._examples: dict[str, dict[str, None]] = {"obeyed": {}, "violated": {}}
        self._calls: dict[bool, deque[CountedCall]] = {late: deque(maxlen=CALLS) for late in (False, True)}

    def add(self, record: Record) -> None:
        """Count the calls of a run; one while the lesson was out of use counts on neither side."""
        moment = (record.run.started or record.recorded)[:SECOND]
        known = min(moment, record.recorded[:SECOND])  # another machine's clock may be ahead
        late = any(start < moment and (not end or known <= end) for start, end in self._periods)
        if not late and self._periods and moment > self._periods[0][0]:
            return
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
            calls_before=tuple(reversed(self._calls[False])),
            calls_after=tuple(reversed(self._calls[True])),
        )

    def _count(self, record: Record, call: ToolCall, held: Literal["obeyed", "violated"], *, late: bool) -> None:
        counts, violated, text = self._counts[late], held == "violated", _call_text(call)
        denied = violated and _was_denied(call)
        moment = record.run.started or record.recorded
        self._calls[late].append(
            CountedCall(run=record.id, moment=moment, text=text, held="denied" if denied else held)
        )
        if denied:
            counts[2] += 1
            return
        counts[0] += 1
        counts[1] += violated
        name = record.run.session or record.id
        seen = self._sessions[late].get(name, SessionCalls(0, 0))
        self._sessions[late][name] = SessionCalls(seen.violated + violated, seen.applies + 1)
        examples = self._examples[held]
        examples.pop(text, None)
        examples[text] = None
        if len(examples) > EXAMPLES:
            del examples[next(iter(examples))]


def tally(check: LessonCheck, records: Iterable[Record], periods: Sequence[tuple[str, str]] = ()) -> Tally:
    """The calls of some runs, oldest first, against a check; `periods`: when it was in use, none: not yet."""
    counter = CallTally(check, periods)
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
