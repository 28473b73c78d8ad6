"""Read one Claude Code session in two passes: first an index of its lines, then its runs."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.claude_code.branch import Branch, LiveBranch, RecordKind
from metier.capture.claude_code.records import is_human, parse_user_record, program_of
from metier.capture.claude_code.run_content import add_record, add_subagent_record, message_group
from metier.capture.reading.corrections import is_correction, is_own_prompt
from metier.capture.reading.fields import Map, flag, mapping, moment, text
from metier.capture.reading.lines import FileLine, read_lines, read_records
from metier.capture.reading.lines import parse_record as record_of
from metier.capture.reading.run_builder import RunBuilder
from metier.capture.source import HEADLESS, Captured, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SOURCE = "claude-code"
BY_PROGRAM = "sent by a program"
_KNOWN = frozenset(
    {
        *("user", "assistant", "attachment", "system"),
        *("progress", "file-history-snapshot", "file-history-delta", "queue-operation", "summary", "custom-title"),
        *("ai-title", "tag", "last-prompt", "relocated", "agent-name", "agent-color", "agent-setting", "mode", "ended"),
        *("permission-mode", "isolation-latch", "atis-latch", "attribution-snapshot", "content-replacement"),
        *("worktree-state", "cost-state", "bridge-session", "pr-link", "speculation-accept", "saved_hook_context"),
        *("artifact-comment-monitor", "artifact-autoreact-ledger", "task-summary", "marble-origami-commit"),
        *("api-request", "api-request-shape", "api-request-blob", "tools-used"),
    }
)
"""Known types of records; runs need only those in the first line."""
_KINDS = {
    "queue-operation": RecordKind.QUEUE,
    "assistant": RecordKind.ASSISTANT,
    "attachment": RecordKind.ATTACHMENT,
    "system": RecordKind.SYSTEM,
}
_UUID, _PARENT = b'"uuid":"', b'"parentUuid":"'


@dataclass(kw_only=True)
class SessionReader:
    """Reads one session: `index` first, then `runs`."""

    headless: bool
    files: Mapping[str, BinaryIO]
    main: str
    start: int
    branch: Branch = field(init=False)
    agents: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """For each sub-agent file: the agent's id and the first time in it."""
    links: dict[str, str] = field(default_factory=dict[str, str])
    """For each agent id: when the tool call that started the agent ended."""
    skips: Counter[str] = field(default_factory=Counter[str])
    counted_groups: set[int] = field(default_factory=set[int])
    """Hashes of the messages whose tokens are counted already."""
    queued_messages: list[str] = field(default_factory=list[str])
    side_records: int = 0
    """The number of sub-agents' records in the main file."""
    has_only_side_records: bool = True

    def __post_init__(self) -> None:
        self.branch = Branch(tail=self.start > 0)

    def index(self) -> Iterator[Skipped]:
        """Read the main file once and index its records; yield what cannot be used."""
        unknown: set[str] = set()
        for line in read_lines(self.main, self.files[self.main], self.start):
            if isinstance(line, Skipped):
                yield line
            elif not self._add_progress(line):
                found, problem = record_of(self.main, line)
                if problem is not None:
                    yield problem
                if found is None:
                    continue
                kind = text(found, "type")
                if kind not in _KNOWN and kind not in unknown:
                    unknown.add(kind)
                    yield Skipped(file=self.main, line=line.number, reason=f"unknown record type {kind[:60]!r}")
                self._add_record(line, found)
        for name in list(self.files)[1:]:
            self._add_subagent(name)

    def _add_progress(self, line: FileLine) -> bool:
        """Index a line without parsing it if it is a progress report; False if it is not."""
        raw = line.raw
        if b'"type":"progress"' not in raw or raw.count(_UUID) != 1 or raw.count(_PARENT) != 1 or not line.whole:
            return False
        if b'"isSidechain":false' not in raw or b'"type":"user"' in raw or b'"type":"assistant"' in raw:
            return False
        uuid, parent, when = (_text_after(raw, mark) for mark in (_UUID, _PARENT, b'"timestamp":"'))
        if not uuid or not parent:
            return False
        self.branch.add(uuid, parent=parent, kind=RecordKind.PLAIN, offset=line.offset, moment=when)
        return True

    def _add_record(self, line: FileLine, record: Map) -> None:
        kind = text(record, "type")
        if kind not in _KINDS and kind != "user" and "uuid" not in record:
            return
        link = text(mapping(record, "toolUseResult"), "agentId")
        if link:
            self.links.setdefault(link, text(record, "timestamp"))
        side = flag(record, "isSidechain")
        self.side_records += side
        self.has_only_side_records = self.has_only_side_records and (side or kind == "queue-operation")
        self.branch.add(
            text(record, "uuid") or f"line:{hashlib.sha256(line.raw.strip()).hexdigest()[:32]}",
            parent=_parent_of(record),
            kind=RecordKind.SIDE if side else self._kind_of(kind, record),
            offset=line.offset,
            moment=text(record, "timestamp"),
            group=message_group(record),
        )

    def _kind_of(self, kind: str, record: Map) -> RecordKind:
        if text(record, "subtype") == "compact_boundary":
            return RecordKind.BOUNDARY
        if kind != "user":
            return _KINDS.get(kind, RecordKind.PLAIN)
        told = parse_user_record(record)
        if told.local:
            self.branch.mark_local_command(text(record, "parentUuid"))
            return RecordKind.SYSTEM
        if not is_human(record, told):
            return RecordKind.REPLY
        return RecordKind.COMMAND if told.command else RecordKind.HUMAN

    def _add_subagent(self, name: str) -> None:
        """Note the id and the first time of a sub-agent's file."""
        agent = PurePath(name).name.removeprefix("agent-").partition(".")[0]
        for found in read_records(name, self.files[name]):
            if not isinstance(found, Skipped) and text(found[1], "timestamp"):
                self.agents[name] = text(found[1], "agentId") or agent, text(found[1], "timestamp")
                return

    def runs(self, live: LiveBranch) -> Iterator[Captured | Skipped]:
        """Read the live lines again and yield the runs."""
        asides = self._subagents_of_runs(live)
        self.counted_groups = set(self.branch.groups) - {0}
        run: RunBuilder | None = None
        command, offset, count, number = "", 0, 0, -1
        for index, record in self._records_in_order(live):
            if live.runs[index] == number:
                self._add_to_run(run, index, record, command)
                continue
            told = parse_user_record(record)
            if run is not None:
                if is_correction(told.words):
                    run.corrections.append(told.words[:4000])
                yield from self._finish_run(run, offset, asides.get(number, ()), command)
                count += 1
            number, offset, command = live.runs[index], self.branch.offsets[index], told.command
            run = self._begin_run(record, told.words)
        if run is not None:
            yield from self._finish_run(run, offset, asides.get(number, ()), command)
            count += 1
        yield from self._skips_of_file(count)

    def _add_to_run(self, run: RunBuilder | None, index: int, record: Map, command: str) -> None:
        kind = self.branch.kinds[index]
        if kind == RecordKind.QUEUE:
            self._add_queue_operation(run, record)
        elif run is not None and kind == RecordKind.SIDE:
            add_subagent_record(run, record)
        elif run is not None:
            add_record(run, record, command)

    def _add_queue_operation(self, run: RunBuilder | None, record: Map) -> None:
        """Add what the person typed during a run; older versions write it only as a queue operation."""
        operation = text(record, "operation")
        if operation == "enqueue":
            self.queued_messages.append(text(record, "content"))
        elif operation == "popAll":
            self.queued_messages.clear()
        elif operation == "remove":
            waiting = next((one for one in self.queued_messages if not one.lstrip().startswith("<")), "")
            typed = (text(record, "content") or waiting).strip()
            self.queued_messages = [one for one in self.queued_messages if one.strip() != typed]
            if run is not None and typed and not typed.startswith(("<", "/", "!")):
                run.add_message(typed)
                run.corrections += [typed[:4000]] if is_correction(typed) else []
        elif self.queued_messages:
            self.queued_messages.pop(0)

    def _records_in_order(self, live: LiveBranch) -> Iterator[tuple[int, Map]]:
        """The live records in order; a line that comes too early in the file is held back."""
        waiting: dict[int, tuple[int, Map]] = {}
        index, turn = 0, 0
        offsets, ranks = self.branch.offsets, live.ranks
        for line in read_lines(self.main, self.files[self.main], self.start):
            if isinstance(line, Skipped) or index >= len(offsets) or line.offset != offsets[index]:
                continue
            if ranks[index] >= 0:
                waiting[ranks[index]] = index, record_of(self.main, line)[0] or {}
            index += 1
            while turn in waiting:
                yield waiting.pop(turn)
                turn += 1

    def _subagents_of_runs(self, live: LiveBranch) -> dict[int, list[str]]:
        """For each run: the files of its sub-agents."""
        found: dict[int, list[str]] = {}
        for name, (agent, began) in self.agents.items():
            number = live.run_at(self.links.get(agent) or began)
            if number >= 0:
                found.setdefault(number, []).append(name)
        return found

    def _begin_run(self, record: Map, words: str) -> RunBuilder | None:
        program = program_of(record)
        if program and not self.headless:
            self.skips[f"{BY_PROGRAM} (entrypoint {program}), not by a person"] += 1
            return None
        if is_own_prompt(words):
            self.skips["sent by Metier itself"] += 1
            return None
        copied = mapping(record, "forkedFrom")
        run = RunBuilder(
            source=SOURCE,
            session=text(copied, "sessionId")
            or text(record, "sessionId")
            or PurePath(self.main).name.partition(".")[0],
            message=words,
            external_id=text(copied, "messageUuid") or text(record, "uuid") or None,
            started=moment(record, "timestamp"),
        )
        run.set_turn(text(record, "promptId"))
        return run

    def _finish_run(
        self, run: RunBuilder, offset: int, asides: Sequence[str], command: str
    ) -> Iterator[Captured | Skipped]:
        if command and not run.has_activity:
            self.skips[f"/{command}: the command was not sent to the model"] += 1
            return
        for name in asides:
            yield from self._add_subagent_file(run, name)
        yield Captured(run=run.build(), file=self.main, offset=offset)

    def _add_subagent_file(self, run: RunBuilder, name: str) -> Iterator[Skipped]:
        """Add a sub-agent's file to its run, without the messages that are counted already."""
        here: set[int] = set()
        for found in read_records(name, self.files[name]):
            if isinstance(found, Skipped):
                yield found
                continue
            group = hash(message_group(found[1]))
            if group not in self.counted_groups:
                here.add(group)
                add_subagent_record(run, found[1])
        self.counted_groups |= here - {0}

    def _skips_of_file(self, count: int) -> Iterator[Skipped]:
        for reason, times in self.skips.items():
            setting = HEADLESS if reason.startswith(BY_PROGRAM) else ""
            said = f"{reason} ({times} requests)" if times > 1 else reason
            yield Skipped(file=self.main, line=0, reason=said, setting=setting)
        if not count and not self.skips:
            aside = self.has_only_side_records and self.side_records
            alone = "this file is from a sub-agent: import the session it belongs to"
            reason = alone if aside else "no request from a person"
            yield Skipped(file=self.main, line=0, reason=reason)


def _parent_of(record: Map) -> str | None:
    """The id of the record before this one; None if the record says that it is the first, empty if it says nothing."""
    named = text(record, "logicalParentUuid") or text(record, "parentUuid")
    return named or (None if record.get("parentUuid", "") is None else "")


def _text_after(raw: bytes, mark: bytes) -> str:
    """The text after a mark, up to the next quotation mark."""
    at = raw.find(mark)
    if at < 0:
        return ""
    begin = at + len(mark)
    return raw[begin : raw.find(b'"', begin)].decode("ascii", "replace")
