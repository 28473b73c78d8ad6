"""Where requests stand in a Codex rollout, and which of them were rolled back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import BinaryIO

from tacit.capture.codex_items import content_text, is_injected, request_of
from tacit.capture.fields import Map, mapping, number, text
from tacit.capture.lines import parse_line, read
from tacit.capture.source import Skipped

_MAYBE = re.compile(rb'"user_message"|"UserMessage"|"userMessage"|"thread_rolled_back"|"role"\s*:\s*"user"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Where requests stand in a rollout."""

    starts: dict[int, str]
    """Byte offset of the line: the person's words."""
    dead: frozenset[int]
    """Those that were rolled back."""


def request(record: Map) -> tuple[str, str] | None:
    """The way a line tells of a person's request (event, item or message), and the words."""
    payload = payload_of(record)
    kind = text(payload, "type")
    if text(record, "type") == "event_msg" and kind == "user_message":
        said = request_of(text(payload, "message")) or ("[image]" if payload.get("images") else "")
        return ("event", said) if said and not is_injected(said) else None
    if kind == "item_completed" and text(mapping(payload, "item"), "type").lower() == "usermessage":
        said = request_of(content_text(mapping(payload, "item").get("content")))
        return ("item", said) if said and not is_injected(said) else None
    if kind == "message" and text(payload, "role") == "user":
        said = content_text(payload.get("content"))
        return None if is_injected(said) else ("message", request_of(said))
    return None


def survey(name: str, file: BinaryIO, start: int) -> Turns | None:
    """Find the requests and what was rolled back; None when that reaches to before `start`."""
    found: list[tuple[int, str, str]] = []
    undone: list[tuple[int, int]] = []
    for line in read(name, file, start):
        if isinstance(line, Skipped) or not _MAYBE.search(line.raw):
            continue
        record = parse_line(line.raw, mend=True)
        if isinstance(record, str):
            continue
        payload = payload_of(record)
        if text(payload, "type") == "thread_rolled_back":
            undone.append((line.offset, number(payload, "num_turns")))
        elif (told := request(record)) is not None:
            found.append((line.offset, *told))
    starts = _starts(found)
    dead: set[int] = set()
    for offset, count in undone:
        before = [place for place in starts if place < offset and place not in dead]
        if start and count > len(before):
            return None
        dead.update(before[len(before) - count :] if count else ())
    return Turns(starts=starts, dead=frozenset(dead))


def _starts(found: list[tuple[int, str, str]]) -> dict[int, str]:
    """One start for each request: plain messages count only in files that have no better word for them."""
    ways = {way for _, way, _ in found}
    told = [one for one in found if one[1] != "message"] if ways - {"message"} else found
    starts: dict[int, str] = {}
    last = ("", "")
    for offset, way, said in told:
        if last[1] == said and last[0] not in ("", way):
            last = ("", "")
            continue
        starts[offset] = said
        last = (way, said)
    return starts


def payload_of(record: Map) -> Map:
    """What a line is about; the oldest files have no envelope."""
    return mapping(record, "payload") if "payload" in record else record
