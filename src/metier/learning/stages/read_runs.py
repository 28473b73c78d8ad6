"""The runs a pattern's draft is made from, without what no skill may hold and no reader could bear."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.learning.procedures.procedure import SHOWN, Lessons
from metier.store.tables.learning import members
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.context.context import Context
    from metier.learning.patterns import Path
    from metier.learning.stages.group import Grouped
    from metier.store.engines.engine import Transaction
    from metier.types import Record, Run, ToolCall
    from metier.types.grouping import Member

TEXT = 4_000
"""Characters of a request, an answer or a correction that can teach."""
INPUT, CALLS = 20_000, 500
"""Characters of a command, and commands of a run, that can teach."""
_UNSEEN = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
"""Orders to a terminal, other control characters, and those that change the direction of writing."""
_SIGN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""One of these stands in each of them; most texts have none, which is quicker to see."""
AROUND = 500
"""Other runs of the same sessions that are read, to see what the agent had heard before."""
ROOM = 32 * 1024 * 1024
"""Bytes, roughly, that kept runs may take."""
EACH = 1_500
"""What a run takes besides its texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRuns:
    """What the store holds of a pattern's newest runs, read at once."""

    ids: tuple[str, ...]
    sessions: tuple[str, ...]
    """The parts that the ids of each session share."""
    lessons: Lessons
    """The runs, those that went well and those that did not."""
    paths: Mapping[Path, int]
    """The paths that all its successes took, counted."""


def read_pattern(ctx: Context, pattern: str, cache: RunCache, unsaved: Grouped | None = None) -> PatternRuns:
    """The newest runs of a pattern; `cache` holds runs that the pass has read already.

    `unsaved` is what a dry run has grouped and not saved.
    """
    new = [one for one in unsaved.members if one.pattern == pattern] if unsaved else []
    with ctx.store.read() as transaction:
        won, lost = (_newest(transaction, pattern, new, success=success) for success in (True, False))
        paths = Counter(members.paths(transaction, pattern))
        found = runs.get_current(transaction, [*won, *lost], cache.kept)
        sessions = sorted({runs.session_part(run) for run in (*won, *lost)})
    cache.drop((*won, *lost))
    paths.update(one.path for one in new if one.success and one.path)
    readable = {record.id: _readable(record.run) for record in found}
    return PatternRuns(
        ids=(*won, *lost),
        sessions=tuple(sessions),
        lessons=Lessons(
            successes=tuple(readable[run] for run in won if run in readable),
            failures=tuple(readable[run] for run in lost if run in readable),
        ),
        paths=paths,
    )


def runs_around(ctx: Context, read: PatternRuns, sessions: SessionCache) -> tuple[Run, ...] | None:
    """The other runs of the sessions that a pattern's runs come from; None: there are too many to read.

    Runs that name no session stand alone.
    """
    found: list[Run] = []
    with ctx.store.read() as transaction:
        for part in read.sessions:
            found += (record.run for record in sessions.take(transaction, part) if record.id not in read.ids)
            if len(found) > AROUND:
                return None
    return tuple(map(_readable, found))


def in_short(lessons: Lessons) -> Lessons:
    """As much of the runs as can teach: what is longer or more than that takes time and says nothing."""
    return Lessons(successes=tuple(map(_short, lessons.successes)), failures=tuple(map(_short, lessons.failures)))


def _newest(transaction: Transaction, pattern: str, new: Sequence[Member], *, success: bool) -> list[str]:
    there = members.newest(transaction, pattern, success=success, limit=SHOWN)
    more = [one for one in new if one.success == success]
    return [*there, *(one.run for one in sorted(more, key=lambda one: one.sequence))][-SHOWN:]


def _readable(run: Run) -> Run:
    """A run whose texts hold nothing that a person would not see."""
    message, output = visible_text(run.message), visible_text(run.output)
    correction = None if run.correction is None else visible_text(run.correction)
    tools = tuple(map(_readable_call, run.tools))
    if (message, output, correction, tools) == (run.message, run.output, run.correction, run.tools):
        return run
    return replace(run, message=message, output=output, correction=correction, tools=tools)


def _readable_call(call: ToolCall) -> ToolCall:
    given = (call.input, call.output, call.error, call.said)
    if not any(text and _SIGN.search(text) for text in given):
        return call
    error = None if call.error is None else visible_text(call.error)
    return replace(
        call,
        input=visible_text(call.input),
        output=visible_text(call.output),
        error=error,
        said=visible_text(call.said),
    )


def visible_text(text: str) -> str:
    """A text without what a person would not see in it."""
    return text if text.isprintable() else _UNSEEN.sub("", text)


def _short(run: Run) -> Run:
    texts = (run.message, run.output, run.correction or "")
    if max(map(len, texts)) <= TEXT and len(run.tools) <= CALLS and all(len(one.input) <= INPUT for one in run.tools):
        return run
    return replace(
        run,
        message=run.message[:TEXT],
        output=run.output[:TEXT],
        correction=None if run.correction is None else run.correction[:TEXT],
        tools=tuple(call if len(call.input) <= INPUT else _cut(call) for call in run.tools[:CALLS]),
    )


def _cut(call: ToolCall) -> ToolCall:
    return replace(call, input=call.input[:INPUT])


@dataclass(slots=True, kw_only=True)
class RunCache:
    """Runs as they were read, each for one draft."""

    room: int = ROOM
    kept: dict[str, Record] = field(default_factory=dict[str, "Record"])

    def keep(self, records: Iterable[Record]) -> None:
        """Keep records, as many as there is room for."""
        for record in records:
            size = _size(record.run)
            if size <= self.room:
                self.kept[record.id] = record
                self.room -= size

    def drop(self, ids: Iterable[str]) -> None:
        """Make room: these runs were used."""
        for run in ids:
            record = self.kept.pop(run, None)
            self.room += 0 if record is None else _size(record.run)


@dataclass(slots=True, kw_only=True)
class SessionCache:
    """Sessions as they were read: many drafts come from the same ones."""

    room: int = ROOM
    kept: dict[str, tuple[Record, ...]] = field(default_factory=dict[str, "tuple[Record, ...]"])

    def take(self, transaction: Transaction, part: str) -> tuple[Record, ...]:
        """The runs of a session by the part that their ids share, one more than can be used at most."""
        if part not in self.kept:
            found = runs.with_session_part(transaction, part, AROUND + SHOWN * 2 + 1)
            named = tuple(record for record in found if record.run.session)
            size = sum(_size(record.run) for record in named)
            if size > self.room:
                return named
            self.kept[part] = named
            self.room -= size
        return self.kept[part]


def _size(run: Run) -> int:
    texts = sum(len(call.input) + len(call.output) + len(call.said) for call in run.tools)
    shown = sum(len(one.text) for one in run.context) + sum(len(one.body) for one in run.skills.shown)
    return EACH + len(run.message) + len(run.output) + texts + shown
