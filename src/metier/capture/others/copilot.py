"""The source `copilot`: sessions of GitHub Copilot CLI, one event per line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture import Tokens
from metier.capture.reading.dialogue import Dialogue
from metier.capture.reading.fields import Map, flag, items, mapping, moment, number, text
from metier.capture.reading.lines import FileLine, read_records
from metier.capture.source import HEADLESS, Captured, Found, Rewound, Session, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from metier.capture.reading.run_builder import RunBuilder

FILE = "events.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copilot:
    """Sessions under `~/.copilot/session-state`."""

    name: str = "copilot"
    title: str = "Copilot CLI"
    proven: bool = True
    headless: bool = False
    """Whether sessions that a program started (`copilot -p`) are read, too."""

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Where Copilot CLI keeps its sessions."""
        return (f"{env.get('COPILOT_HOME') or f'{home}/.copilot'}/session-state/*/{FILE}",)

    def claims(self, path: str, head: bytes) -> bool:
        """Whether the first line begins a session of it."""
        first = head.split(b"\n", 1)[0]
        return path.endswith(".jsonl") and b'"session.start"' in first and b"copilot" in first

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:  # noqa: ARG002
        """One session per file."""
        yield from (Session(main=path) for path in sorted(set(paths)) if path.endswith(".jsonl"))

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """The runs of one session; what sub-agents said is left out."""
        main = next(iter(files))
        if start:
            yield Rewound(file=main, reason="the session's name stands in its first line")
            return
        talk = Dialogue(source=self.name, session=PurePath(main).parent.name, file=main)
        records = list(read_records(main, files[main]))
        if not self.headless and any(_ends_a_program_run(one[1]) for one in records if not isinstance(one, Skipped)):
            yield Skipped(file=main, line=0, reason="started by a program (copilot -p)", setting=HEADLESS)
            return
        handed: list[str] = []
        for found in records:
            if isinstance(found, Skipped):
                yield found
            elif not text(mapping(found[1], "data"), "parentToolCallId"):
                yield from _add_event(talk, found[0], found[1], handed)
        yield from talk.end_run()
        if not talk.count:
            yield Skipped(file=main, line=0, reason="no request from a person")


def _ends_a_program_run(event: Map) -> bool:
    """Whether a session ended by itself: a person's ends when they leave. It stands in what hooks were told."""
    data = mapping(event, "data")
    return (
        text(event, "type") == "hook.start"
        and text(data, "hookType") == "sessionEnd"
        and text(mapping(data, "input"), "reason") == "complete"
    )


def _add_event(talk: Dialogue, line: FileLine, event: Map, handed: list[str]) -> Iterator[Captured]:
    """Add one event; `handed`: what hooks handed over for the next request, which stands before it."""
    data, when = mapping(event, "data"), moment(event, "timestamp")
    if text(event, "type") == "user.message":
        said = text(data, "content")
        if said.strip():
            yield from talk.add_request(said, name=text(event, "id"), moment=when, offset=line.offset)
        while handed:
            one = handed.pop()
            if talk.run is not None:
                talk.run.add_handed_text(one)
    elif text(event, "type") == "hook.end" and text(data, "hookType") == "userPromptSubmitted":
        handed.append(text(mapping(data, "output"), "additionalContext"))
    elif talk.run is not None:
        _add_work(talk, talk.run, text(event, "type"), data)
        talk.run.add_time(when)


def _add_work(talk: Dialogue, run: RunBuilder, kind: str, data: Map) -> None:
    """Add an answer, a tool's output, tokens or the end."""
    if kind == "assistant.message":
        calls = [dict(mapping(one)) | {"id": text(one, "toolCallId")} for one in items(data, "toolRequests")]
        talk.add_answer(text(data, "content"), calls)
        run.set_model(text(data, "model"))
    elif kind == "tool.execution_complete":
        failed = not flag(data, "success") or number(mapping(data, "shellExecution"), "exitCode") != 0
        said = text(mapping(data, "result"), "content") or text(mapping(data, "error"), "message")
        talk.add_result(text(data, "toolCallId"), said, failed=failed, name=text(data, "toolName"))
    elif kind == "session.usage_record":
        used = mapping(data, "usage")
        run.add_usage(text(used, "apiCallId"), _tokens_of(used))
    elif kind == "abort":
        run.status = "aborted"
    elif kind == "session.error":
        run.status = "error"


def _tokens_of(used: Map) -> Tokens:
    cached, written = number(used, "cacheReadTokens"), number(used, "cacheWriteTokens")
    return Tokens(
        input=max(0, number(used, "inputTokens") - cached - written),
        output=number(used, "outputTokens"),
        cache_read=cached,
        cache_write=written,
    )
