"""Read one Codex rollout and yield its runs, without the turns that were rolled back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.codex.items import add_completed_item, add_event, add_item, unknown_type_of
from metier.capture.codex.turns import Turns, payload_of
from metier.capture.reading.corrections import is_correction, is_own_prompt
from metier.capture.reading.fields import Map, mapping, moment, number, text
from metier.capture.reading.lines import parse_line, read_lines, read_records
from metier.capture.reading.run_builder import RunBuilder
from metier.capture.source import Captured, Skipped
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from metier.capture.reading.lines import FileLine

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
"""Records before a request that are kept."""


@dataclass(kw_only=True)
class TokenMeter:
    """Turns running totals of tokens into the tokens since the last event."""

    last: Map = field(default_factory=dict[str, object])

    def tokens_since(self, payload: Map) -> Tokens | None:
        """The tokens since the event before; None if nothing changed."""
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
class RolloutReader:
    """Reads the lines of a rollout and builds one run after the other."""

    files: Mapping[str, BinaryIO]
    main: str
    start: int
    turns: Turns
    meta: Map = field(default_factory=dict[str, object])
    model: str = ""
    meter: TokenMeter = field(default_factory=TokenMeter)
    run: RunBuilder | None = None
    is_run_over: bool = True
    """Whether the run is over; then the next records belong to the next run."""
    opening: list[tuple[FileLine, Map]] = field(default_factory=list["tuple[FileLine, Map]"])
    """Records before a request that belong to it."""
    offset: int = 0
    unknown: set[str] = field(default_factory=set[str])
    subagents: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The start time and the file of each sub-agent."""
    own_prompts: int = 0
    is_first_run: bool = True
    has_turn_events: bool = False
    """Whether the file says when a turn begins and ends; older files do not."""

    def read_earlier_state(self) -> None:
        """Read what lines before `start` say about session, model and token totals."""
        for line in read_lines(self.main, self.files[self.main]):
            if isinstance(line, Skipped):
                continue
            if line.offset >= self.start and (self.meta or line.number > 20):
                break
            if self.start and not _STATE.search(line.raw):
                continue
            record = parse_line(line.raw, replace_invalid=True)
            if not isinstance(record, str):
                self._take_early_line(record, before=line.offset < self.start)
        self.subagents = sorted((_start_time(name, self.files[name]), name) for name in list(self.files)[1:])

    def _take_early_line(self, record: Map, *, before: bool) -> None:
        """Read one early line: the session's description, and the state before `start`."""
        if before or text(record, "type") == "session_meta":
            self._take_state(record)
        if not self.meta and "payload" not in record and text(record, "id"):
            self.meta = record

    def _take_state(self, record: Map) -> Tokens | None:
        kind, payload = text(record, "type"), payload_of(record)
        if kind == "session_meta" and not self.meta:
            self.meta = payload
        elif kind == "turn_context":
            self.model = text(payload, "model") or self.model
        elif text(payload, "type") == "token_count":
            return self.meter.tokens_since(payload)
        return None

    def runs(self) -> Iterator[Captured | Skipped]:
        """Yield all runs in order."""
        count = 0
        for found in read_records(self.main, self.files[self.main], self.start):
            if isinstance(found, Skipped):
                yield found
                continue
            line, record = found
            if line.offset in self.turns.starts:
                yield from self._finish_run(record, self.turns.starts[line.offset])
                self._begin_run(line, record)
                count += self.run is not None
            else:
                yield from self._add_line(line, record)
        yield from self._finish_run({}, "")
        if self.own_prompts:
            count_text = f" ({self.own_prompts} requests)" if self.own_prompts > 1 else ""
            yield Skipped(file=self.main, line=0, reason=f"sent by Metier itself{count_text}")
        if not count and not self.own_prompts:
            yield Skipped(file=self.main, line=0, reason="no request from a person")

    def _begin_run(self, line: FileLine, record: Map) -> None:
        said = self.turns.starts[line.offset]
        opening, self.opening = self.opening, []
        self.offset = opening[0][0].offset if opening else line.offset
        self.run, self.is_run_over = None, False
        for _, earlier in opening:
            self._take_state(earlier)
        if is_own_prompt(said) or line.offset in self.turns.rolled_back:
            self.own_prompts += is_own_prompt(said)
            return
        self.run = RunBuilder(
            source=SOURCE,
            session=text(self.meta, "id") or PurePath(self.main).name.partition(".")[0],
            message=said,
            external_id=_turn_id(opening) or _name_of_request(line, record),
            started=moment(record, "timestamp"),
        )
        self.run.set_turn(_turn_id(opening))
        self.run.set_model(self.model)
        if self.start and self.is_first_run:
            self.subagents = [one for one in self.subagents if one[0] >= text(record, "timestamp")]
        self.is_first_run = False
        for place, earlier in opening:
            self._add_to_run(place, earlier)

    def _add_line(self, line: FileLine, record: Map) -> Iterator[Skipped]:
        kind, payload = text(record, "type"), payload_of(record)
        odd = self._new_unknown_type(kind, payload)
        if odd:
            yield Skipped(file=self.main, line=line.number, reason=odd)
        if text(payload, "type") in ("task_started", "turn_started"):
            self.opening, self.is_run_over, self.has_turn_events = [(line, record)], True, True
        elif self.is_run_over and (kind == "turn_context" or text(payload, "type") == "message"):
            self.opening = [*self.opening[-_OPENING_LIMIT:], (line, record)]
        else:
            self._add_to_run(line, record)

    def _new_unknown_type(self, kind: str, payload: Map) -> str:
        """The reason for a line of an unknown type, the first time the type appears; else empty."""
        known = kind in _KNOWN or kind == text(payload, "type")
        word = unknown_type_of(kind, payload) if known else f"record type {kind[:60]!r}"
        if not word or word in self.unknown:
            return ""
        self.unknown.add(word)
        return f"unknown {word}"

    def _add_to_run(self, line: FileLine, record: Map) -> None:
        kind, payload = text(record, "type"), payload_of(record)
        used = self._take_state(record)
        run = self.run
        if run is None:
            return
        run.add_time(moment(record, "timestamp"))
        run.set_model(self.model)
        if used is not None:
            run.add_usage(line.offset, used)
        elif kind == "event_msg":
            add_event(run, payload)
            self.is_run_over = self.is_run_over or text(payload, "type") in (
                "task_complete",
                "turn_complete",
                "turn_aborted",
            )
        elif kind == "compacted":
            run.add_passage("model", text(payload, "message"))
        elif kind == "response_item" or "payload" not in record:
            add_item(run, payload)

    def _finish_run(self, following: Map, said: str) -> Iterator[Captured | Skipped]:
        run, self.run = self.run, None
        if run is None:
            return
        if run.status is None and not self.has_turn_events and run.ends_with_answer:
            run.status = "completed"
        if is_correction(said):
            run.corrections.append(said[:4000])
        until = moment(following, "timestamp")
        while self.subagents and (until is None or self.subagents[0][0] < until):
            yield from self._add_subagent_file(run, self.subagents.pop(0)[1])
        yield Captured(run=run.build(), file=self.main, offset=self.offset)

    def _add_subagent_file(self, run: RunBuilder, name: str) -> Iterator[Skipped]:
        """Add a sub-agent's tools and tokens to the run that started it."""
        meter, own_from, began = TokenMeter(), -1, ""
        for found in read_records(name, self.files[name]):
            if isinstance(found, Skipped):
                yield found
                continue
            record, payload = found[1], payload_of(found[1])
            if own_from < 0:
                own_from, began = number(payload, "subagent_history_start_ordinal"), text(record, "timestamp")
            used = meter.tokens_since(payload) if text(payload, "type") == "token_count" else None
            if number(record, "ordinal") < own_from or text(record, "timestamp") < began:
                continue
            if used is not None:
                run.add_usage((name, found[0].number), used)
            elif text(payload, "type") not in ("message", "item_completed"):
                add_item(run, payload)
            elif text(mapping(payload, "item"), "type") not in ("AgentMessage", "UserMessage"):
                add_completed_item(run, mapping(payload, "item"))


def _start_time(name: str, file: BinaryIO) -> str:
    for found in read_records(name, file):
        if not isinstance(found, Skipped):
            return text(found[1], "timestamp")
    return ""


def _turn_id(opening: list[tuple[FileLine, Map]]) -> str:
    return next(
        (text(payload_of(record), "turn_id") for _, record in opening if text(payload_of(record), "turn_id")), ""
    )


def _name_of_request(line: FileLine, record: Map) -> str:
    """The id for a request that has none: its ordinal, its time, or its line."""
    ordinal = record.get("ordinal")
    return f"ordinal:{ordinal}" if isinstance(ordinal, int) else text(record, "timestamp") or f"line:{line.number}"
