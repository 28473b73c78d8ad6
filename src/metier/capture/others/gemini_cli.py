"""The source `gemini-cli`, from documentation: one record per line; later records can change or undo earlier ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture import Tokens
from metier.capture.reading.dialogue import Dialogue, text_of_blocks
from metier.capture.reading.fields import Map, compact, elements, items, mapping, moment, number, text
from metier.capture.reading.lines import FileLine, read_records
from metier.capture.source import Captured, Found, Rewound, Session, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiCli:
    """Sessions under `~/.gemini/tmp/<project>/chats`."""

    name: str = "gemini-cli"
    title: str = "Gemini CLI"
    proven: bool = False

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:  # noqa: ARG002
        """Where Gemini CLI keeps its chats."""
        return (f"{home}/.gemini/tmp/*/chats/**/*.jsonl",)

    def claims(self, path: str, head: bytes) -> bool:
        """Whether the first line describes a chat."""
        return path.endswith(".jsonl") and b'"projectHash"' in head.split(b"\n", 1)[0]

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:  # noqa: ARG002
        """One session per chat; chats of sub-agents, in a folder below, are left out."""
        for path in sorted({path for path in paths if path.endswith(".jsonl")}):
            if PurePath(path).parent.name == "chats" or "chats" not in PurePath(path).parts:
                yield Session(main=path)

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """The runs of one chat, without those that the person undid."""
        main = next(iter(files))
        if start:
            yield Rewound(file=main, reason="a later line can change an earlier one")
            return
        order, session = _last_lines(main, files[main])
        talk = Dialogue(source=self.name, session=session or PurePath(main).stem, file=main)
        for found in read_records(main, files[main]):
            if isinstance(found, Skipped):
                yield found
            elif order.get(text(found[1], "id")) == found[0].offset:
                yield from _add_record(talk, found[0], found[1])
        yield from talk.end_run()
        if not talk.count:
            yield Skipped(file=main, line=0, reason="no request from a person")


def _last_lines(name: str, file: BinaryIO) -> tuple[dict[str, int], str]:
    """The offset of the last line for each message that was not undone, and the session's id."""
    order: dict[str, int] = {}
    session = ""
    for found in read_records(name, file):
        if isinstance(found, Skipped):
            continue
        line, record = found
        session = session or text(record, "sessionId")
        back = text(record, "$rewindTo")
        if back:
            names = list(order)
            kept = names[: names.index(back) + 1] if back in order else names
            order = {key: order[key] for key in kept}
        elif text(record, "id") and "type" in record:
            order[text(record, "id")] = line.offset
    return order, session


def _add_record(talk: Dialogue, line: FileLine, record: Map) -> Iterator[Captured]:
    kind, said = text(record, "type"), text_of_blocks(record.get("content"))
    if kind == "user" and said.strip():
        when = moment(record, "timestamp")
        yield from talk.add_request(said, name=text(record, "id"), moment=when, offset=line.offset)
    elif talk.run is not None and kind == "gemini":
        talk.add_answer(said, items(record, "toolCalls"))
        for call in items(record, "toolCalls"):
            failed = text(call, "status") in ("error", "cancelled")
            talk.add_result(text(call, "id"), _output_of(mapping(call).get("result")), failed=failed)
        talk.run.set_model(text(record, "model"))
        talk.run.add_time(moment(record, "timestamp"))
        used = mapping(record, "tokens")
        cached = number(used, "cached")
        made = number(used, "output") + number(used, "thoughts")
        tokens = Tokens(input=max(0, number(used, "input") - cached), output=made, cache_read=cached)
        talk.run.add_usage(text(record, "id"), tokens)
    elif talk.run is not None and kind == "error":
        talk.run.status = "error"


def _output_of(result: object) -> str:
    """What a tool answered, without the `functionResponse` around it."""
    parts = [mapping(mapping(part, "functionResponse"), "response") for part in elements(result)]
    if not parts or not all(parts):
        return compact(result)
    return "\n".join(text(part, "output") or text(part, "error") or compact(part) for part in parts)
