"""The source `openclaw`, from documentation: exported trajectories, and session files of older versions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture import Tokens
from metier.capture.reading.dialogue import Dialogue, text_of_blocks
from metier.capture.reading.fields import Map, compact, elements, flag, mapping, moment, number, text
from metier.capture.reading.lines import FileLine, read_records
from metier.capture.source import Captured, Found, Rewound, Session, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from metier.capture.reading.run_builder import RunBuilder


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenClaw:
    """`events.jsonl` of `openclaw sessions export-trajectory`, or session files of older versions."""

    name: str = "openclaw"
    title: str = "OpenClaw"
    proven: bool = False

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:  # noqa: ARG002
        """Where older versions store sessions; sessions of newer versions must be exported."""
        return (f"{home}/.openclaw/agents/*/sessions/*.jsonl",)

    def claims(self, path: str, head: bytes) -> bool:
        """Whether a file begins like a trajectory or a session."""
        first = head.split(b"\n", 1)[0]
        trajectory = b"openclaw-trajectory" in first
        return path.endswith(".jsonl") and (trajectory or (b'"type":"session"' in first and b'"cwd"' in first))

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:  # noqa: ARG002
        """One session per file."""
        yield from (Session(main=path) for path in sorted(set(paths)) if path.endswith(".jsonl"))

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """The runs of one export or session."""
        main = next(iter(files))
        if start:
            yield Rewound(file=main, reason="an export is written anew each time")
            return
        talk = Dialogue(source=self.name, session=PurePath(main).stem, file=main)
        for found in read_records(main, files[main]):
            if isinstance(found, Skipped):
                yield found
                continue
            line, record = found
            if text(record, "type") == "message":
                yield from _add_message(talk, line, record)
            else:
                yield from _add_event(talk, line, record)
        yield from talk.end_run()
        if not talk.count:
            yield Skipped(file=main, line=0, reason="no request from a person")


def _add_message(talk: Dialogue, line: FileLine, record: Map) -> Iterator[Captured]:
    message = mapping(record, "message")
    role, content = text(message, "role"), message.get("content")
    when = moment(record, "timestamp")
    if role == "user" and text_of_blocks(content).strip():
        yield from talk.add_request(text_of_blocks(content), name=text(record, "id"), moment=when, offset=line.offset)
    elif role == "assistant" and talk.run is not None:
        calls = [part for part in elements(content) if text(part, "type") in ("toolCall", "tool_use")]
        talk.add_answer(text_of_blocks(content), calls)
        talk.run.set_model(text(message, "model"))
        talk.run.add_usage(text(record, "id") or line.offset, _tokens_of(mapping(message, "usage")))
        talk.run.add_time(when)
    elif role in ("toolResult", "tool"):
        call = text(message, "toolCallId") or text(message, "tool_call_id")
        failed = flag(message, "isError")
        talk.add_result(call, text_of_blocks(content), failed=failed, name=text(message, "toolName"))


def _add_event(talk: Dialogue, line: FileLine, record: Map) -> Iterator[Captured]:
    kind = text(record, "type") or text(record, "event")
    body = mapping(record, "data") or mapping(record, "payload") or record
    when = moment(record, "timestamp") or moment(record, "ts")
    if kind == "prompt.submitted":
        said = text(body, "prompt") or text(body, "text") or text_of_blocks(body.get("message"))
        place = text(record, "id") or f"line:{line.number}"
        yield from talk.add_request(said, name=place, moment=when, offset=line.offset)
    elif talk.run is not None:
        _add_work(talk, talk.run, kind, body, line)
        talk.run.add_time(when)


def _add_work(talk: Dialogue, run: RunBuilder, kind: str, body: Map, line: FileLine) -> None:
    """Add a tool call, a tool output, an answer or the end."""
    call = text(body, "toolCallId") or text(body, "callId") or text(body, "id")
    name = text(body, "toolName") or text(body, "tool") or text(body, "name")
    if kind == "tool.call":
        run.add_call(call, name, compact(body.get("args", body.get("arguments", body.get("input")))))
    elif kind == "tool.result":
        said = text_of_blocks(mapping(body, "result").get("content")) or compact(body.get("result", body.get("output")))
        talk.add_result(call, said, failed=flag(body, "isError") or bool(body.get("error")), name=name)
    elif kind == "model.completed":
        _add_answer(talk, run, body, line)
    elif kind == "session.ended":
        word = text(body, "status") or text(body, "reason")
        run.status = {"error": "error", "aborted": "aborted", "cancelled": "aborted"}.get(word, run.status)


def _add_answer(talk: Dialogue, run: RunBuilder, body: Map, line: FileLine) -> None:
    """Add an answer of the model with its tokens."""
    talk.add_answer(text(body, "text") or text_of_blocks(body.get("content")) or text(body, "output"))
    run.set_model(text(body, "model"))
    run.add_usage(line.offset, _tokens_of(mapping(body, "usage")))


def _tokens_of(used: Map) -> Tokens:
    return Tokens(
        input=number(used, "input") or number(used, "inputTokens"),
        output=number(used, "output") or number(used, "outputTokens"),
        cache_read=number(used, "cacheRead"),
        cache_write=number(used, "cacheWrite"),
    )
