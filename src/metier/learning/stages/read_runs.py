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
    from collections.abc import Iterable, Sequence

    from metier.context.context import Context
    from metier.learning.patterns import Path
    from metier.learning.stages.group import Grouped
    from metier.store.engines.engine import Transaction
    from metier.types import Record, Run, ToolCall

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


def lessons_of(ctx: Context, pattern: str, cache: RunCache, unsaved: Grouped | None = None) -> Lessons:
    """The newest runs of a pattern, those that went well and those that did not.

    `cache` holds runs that the pass has read already, `unsaved` is what a dry run has grouped and not saved.
    """
    with ctx.store.read() as transaction:
        won, lost = (_newest(transaction, pattern, unsaved, success=success) for success in (True, False))
        found = {run: _readable(one) for run, one in cache.take(transaction, [*won, *lost]).items()}
    return Lessons(
        successes=tuple(found[run] for run in won if run in found),
        failures=tuple(found[run] for run in lost if run in found),
    )


def runs_around(
    ctx: Context, pattern: str, sessions: SessionCache, unsaved: Grouped | None = None
) -> tuple[Run, ...] | None:
    """The other runs of the sessions that a pattern's runs come from; None: there are too many to read.

    Runs that name no session stand alone.
    """
    found: list[Run] = []
    with ctx.store.read() as transaction:
        ids = [run for success in (True, False) for run in _newest(transaction, pattern, unsaved, success=success)]
        for part in sorted({runs.session_part(run) for run in ids}):
            found += (record.run for record in sessions.take(transaction, part) if record.id not in ids)
            if len(found) > AROUND:
                return None
    return tuple(map(_readable, found))


def in_short(lessons: Lessons) -> Lessons:
    """As much of the runs as can teach: what is longer or more than that takes time and says nothing."""
    return Lessons(successes=tuple(map(_short, lessons.successes)), failures=tuple(map(_short, lessons.failures)))


def paths_of(ctx: Context, pattern: str, unsaved: Grouped | None = None) -> dict[Path, int]:
    """The paths a pattern's successes took, counted."""
    with ctx.store.read() as transaction:
        counts = Counter(members.paths(transaction, pattern))
    new = unsaved.members if unsaved else ()
    counts.update(one.path for one in new if one.pattern == pattern and one.success and one.path)
    return dict(counts)


def _newest(transaction: Transaction, pattern: str, unsaved: Grouped | None, *, success: bool) -> list[str]:
    there = members.newest(transaction, pattern, success=success, limit=SHOWN)
    new = unsaved.members if unsaved else ()
    more = [one for one in new if one.pattern == pattern and one.success == success]
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

    def take(self, transaction: Transaction, ids: Sequence[str]) -> dict[str, Run]:
        """Runs as they are in the store now; what was kept of them, and has not changed since, is not read again."""
        kept = [record for run in ids if (record := self.kept.pop(run, None)) is not None]
        self.room += sum(_size(record.run) for record in kept)
        found = {record.id: record.run for record in runs.still_unchanged(transaction, kept)}
        missing = [run for run in ids if run not in found]
        return found | {record.id: record.run for record in runs.get_many(transaction, missing)}


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
