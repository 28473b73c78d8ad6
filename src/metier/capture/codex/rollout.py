"""One Codex rollout being read: where its turns begin and which were rolled back, then its runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.codex.items import completed_item, event, item, strange
from metier.capture.codex.turns import Turns, payload_of
from metier.capture.reading.fields import Map, mapping, moment, number, text
from metier.capture.reading.lines import parse_line, read, records
from metier.capture.reading.people import is_correction, is_own
from metier.capture.run_builder import RunBuilder
from metier.capture.source import Captured, Skipped
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from metier.capture.reading.lines import Line

SOURCE = "codex"
_STATE = re.compile(rb'"session_meta"|"turn_context"|"token_count"')
_KNOWN = frozenset(
    {
        *("session_meta", "turn_context", "compacted", "response_item", "event_msg", "world_state", "state", ""),
        *("inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score"),
        "token_usage_record",
    }
)
_OPENING_LIMIT = 200
"""Records kept of what stands before a request."""


@dataclass(kw_only=True)
class Meter:
    """Turns running totals of tokens into what was used since the last look."""

    last: Map = field(default_factory=dict[str, object])

    def read(self, payload: Map) -> Tokens | None:
        """The tokens since the event before; None when nothing new is told."""
        info = mapping(payload, "info")
        total = mapping(info, "total_token_usage")
        if not total or total == self.last:
            return None
        before, self.last = self.last, total
        if number(total, "total_tokens") < number(before, "total_tokens"):
            before = {}
            total = mapping(info, "last_token_usage") or total
        used = {key: max(0, number(total, key) - number(before, key)) for key in _COUNTS}
        cached, written = used["cached_input_tokens"], used["cache_write_input_tokens"]
        return Tokens(
            input=max(0, used["input_tokens"] - cached - written),
            output=used["output_tokens"],
            cache_read=cached,
            cache_write=written,
        )


_COUNTS = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")


@dataclass(kw_only=True)
class Rollout:
    """The lines of a rollout, turned into runs one after the other."""

    files: Mapping[str, BinaryIO]
    main: str
    start: int
    turns: Turns
    meta: Map = field(default_factory=dict[str, object])
    model: str = ""
    meter: Meter = field(default_factory=Meter)
    run: RunBuilder | None = None
    closed: bool = True
    """Whether the run is over, so that what comes next belongs to the one after it."""
    opening: list[tuple[Line, Map]] = field(default_factory=list["tuple[Line, Map]"])
    """What stands before a request and belongs to it."""
    offset: int = 0
    unknown: set[str] = field(default_factory=set[str])
    asides: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """When each sub-agent began, and its file."""
    own: int = 0
    first: bool = True
    lifecycle: bool = False
    """Whether the file says when a turn begins and ends; older ones do not."""

    def remember(self) -> None:
        """Take in what was said before the place to start from: session, model, token totals."""
        for line in read(self.main, self.files[self.main]):
            if isinstance(line, Skipped):
                continue
            if line.offset >= self.start and (self.meta or line.number > 20):
                break
            if self.start and not _STATE.search(line.raw):
                continue
            record = parse_line(line.raw, mend=True)
            if not isinstance(record, str):
                self._recall(record, before=line.offset < self.start)
        self.asides = sorted((_began(name, self.files[name]), name) for name in list(self.files)[1:])

    def _recall(self, record: Map, *, before: bool) -> None:
        """Take in one of the first lines: the session it tells of, and what was said before the place to start from."""
        if before or text(record, "type") == "session_meta":
            self._state(record)
        if not self.meta and "payload" not in record and text(record, "id"):
            self.meta = record

    def _state(self, record: Map) -> Tokens | None:
        kind, payload = text(record, "type"), payload_of(record)
        if kind == "session_meta" and not self.meta:
            self.meta = payload
        elif kind == "turn_context":
            self.model = text(payload, "model") or self.model
        elif text(payload, "type") == "token_count":
            return self.meter.read(payload)
        return None

    def runs(self) -> Iterator[Captured | Skipped]:
        """Every run, in order."""
        count = 0
        for found in records(self.main, self.files[self.main], self.start):
            if isinstance(found, Skipped):
                yield found
                continue
            line, record = found
            if line.offset in self.turns.starts:
                yield from self._finished(record, self.turns.starts[line.offset])
                self._begin(line, record)
                count += self.run is not None
            else:
                yield from self._other(line, record)
        yield from self._finished({}, "")
        if self.own:
            yield Skipped(file=self.main, line=0, reason=f"{self.own} x sent by Metier itself")
        if not count and not self.own:
            yield Skipped(file=self.main, line=0, reason="no request by a person in it")

    def _begin(self, line: Line, record: Map) -> None:
        said = self.turns.starts[line.offset]
        opening, self.opening = self.opening, []
        self.offset = opening[0][0].offset if opening else line.offset
        self.run, self.closed = None, False
        for _, earlier in opening:
            self._state(earlier)
        if is_own(said) or line.offset in self.turns.dead:
            self.own += is_own(said)
            return
        self.run = RunBuilder(
            source=SOURCE,
            session=text(self.meta, "id") or PurePath(self.main).name.partition(".")[0],
            message=said,
            external_id=_turn_id(opening) or _place(line, record),
            started=moment(record, "timestamp"),
        )
        self.run.model(self.model)
        if self.start and self.first:
            self.asides = [one for one in self.asides if one[0] >= text(record, "timestamp")]
        self.first = False
        for place, earlier in opening:
            self._tell(place, earlier)

    def _other(self, line: Line, record: Map) -> Iterator[Skipped]:
        kind, payload = text(record, "type"), payload_of(record)
        odd = self._strange(kind, payload)
        if odd:
            yield Skipped(file=self.main, line=line.number, reason=odd)
        if text(payload, "type") in ("task_started", "turn_started"):
            self.opening, self.closed, self.lifecycle = [(line, record)], True, True
        elif self.closed and (kind == "turn_context" or text(payload, "type") == "message"):
            self.opening = [*self.opening[-_OPENING_LIMIT:], (line, record)]
        else:
            self._tell(line, record)

    def _strange(self, kind: str, payload: Map) -> str:
        """The name of a type nobody knows, the first time it comes."""
        known = kind in _KNOWN or kind == text(payload, "type")
        word = strange(kind, payload) if known else f"record type {kind[:60]!r}"
        if not word or word in self.unknown:
            return ""
        self.unknown.add(word)
        return f"unknown {word}"

    def _tell(self, line: Line, record: Map) -> None:
        kind, payload = text(record, "type"), payload_of(record)
        used = self._state(record)
        run = self.run
        if run is None:
            return
        run.at(moment(record, "timestamp"))
        run.model(self.model)
        if used is not None:
            run.usage(line.offset, used)
        elif kind == "event_msg":
            event(run, payload)
            self.closed = self.closed or text(payload, "type") in ("task_complete", "turn_complete", "turn_aborted")
        elif kind == "compacted":
            run.passage("model", text(payload, "message"))
        elif kind == "response_item" or "payload" not in record:
            item(run, payload)

    def _finished(self, following: Map, said: str) -> Iterator[Captured | Skipped]:
        run, self.run = self.run, None
        if run is None:
            return
        if run.status is None and not self.lifecycle and run.spoke_last:
            run.status = "completed"
        if is_correction(said):
            run.corrections.append(said[:4000])
        until = moment(following, "timestamp")
        while self.asides and (until is None or self.asides[0][0] < until):
            yield from self._fold(run, self.asides.pop(0)[1])
        yield Captured(run=run.finish(), file=self.main, offset=self.offset)

    def _fold(self, run: RunBuilder, name: str) -> Iterator[Skipped]:
        """Add a sub-agent's tools and tokens to the run that started it."""
        meter, own_from, began = Meter(), -1, ""
        for found in records(name, self.files[name]):
            if isinstance(found, Skipped):
                yield found
                continue
            record, payload = found[1], payload_of(found[1])
            if own_from < 0:
                own_from, began = number(payload, "subagent_history_start_ordinal"), text(record, "timestamp")
            used = meter.read(payload) if text(payload, "type") == "token_count" else None
            if number(record, "ordinal") < own_from or text(record, "timestamp") < began:
                continue
            if used is not None:
                run.usage((name, found[0].number), used)
            elif text(payload, "type") not in ("message", "item_completed"):
                item(run, payload)
            elif text(mapping(payload, "item"), "type") not in ("AgentMessage", "UserMessage"):
                completed_item(run, mapping(payload, "item"))


def _began(name: str, file: BinaryIO) -> str:
    for found in records(name, file):
        if not isinstance(found, Skipped):
            return text(found[1], "timestamp")
    return ""


def _turn_id(opening: list[tuple[Line, Map]]) -> str:
    return next(
        (text(payload_of(record), "turn_id") for _, record in opening if text(payload_of(record), "turn_id")), ""
    )


def _place(line: Line, record: Map) -> str:
    """A name for a request that has none: its ordinal, its time, or its line."""
    ordinal = record.get("ordinal")
    return f"ordinal:{ordinal}" if isinstance(ordinal, int) else text(record, "timestamp") or f"line:{line.number}"
