"""Find the requests in a Codex rollout, and which of them were rolled back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.codex.items import is_injected, request_of, text_of_content
from metier.capture.reading.fields import Map, mapping, number, text
from metier.capture.reading.lines import parse_line, read_lines
from metier.capture.source import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAYBE = re.compile(rb'"user_message"|"UserMessage"|"userMessage"|"thread_rolled_back"|"role"\s*:\s*"user"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The places of the requests in a rollout."""

    starts: dict[int, str]
    """The person's words, by the byte offset of the line."""
    rolled_back: frozenset[int]
    """The offsets of the requests that were rolled back."""


def parse_request(record: Map) -> tuple[str, str] | None:
    """The form of a person's request in a line (event, item or message) and its words; None if it is not a request."""
    payload = payload_of(record)
    way = _form_of(text(record, "type"), payload)
    if way == "event":
        said = request_of(text(payload, "message")) or ("[image]" if payload.get("images") else "")
    elif way == "item":
        said = request_of(text_of_content(mapping(payload, "item").get("content")))
    elif way == "message":
        said = text_of_content(payload.get("content"))
    else:
        return None
    return None if is_injected(said) else (way, request_of(said))


def _form_of(record_type: str, payload: Map) -> str:
    """The form of a user's message in a line: event, item or message; empty for all other lines."""
    kind = text(payload, "type")
    if kind == "user_message" and record_type == "event_msg":
        return "event"
    if kind == "item_completed" and text(mapping(payload, "item"), "type").lower() == "usermessage":
        return "item"
    return "message" if kind == "message" and text(payload, "role") == "user" else ""


def find_turns(name: str, file: BinaryIO, start: int) -> Turns | None:
    """Find the requests and the rollbacks; None if a rollback reaches back before `start`."""
    found: list[tuple[int, str, str]] = []
    undone: list[tuple[int, int]] = []
    for offset, record in _candidate_lines(name, file, start):
        payload = payload_of(record)
        if text(payload, "type") == "thread_rolled_back":
            undone.append((offset, number(payload, "num_turns")))
        elif (told := parse_request(record)) is not None:
            found.append((offset, *told))
    starts = _starts_of(found)
    dead: set[int] = set()
    for offset, count in undone:
        before = [place for place in starts if place < offset and place not in dead]
        if start and count > len(before):
            return None
        dead.update(before[max(0, len(before) - count) :])
    return Turns(starts=starts, rolled_back=frozenset(dead))


def _candidate_lines(name: str, file: BinaryIO, start: int) -> Iterator[tuple[int, Map]]:
    """The few lines that may contain a request or a rollback, each with its offset."""
    for line in read_lines(name, file, start):
        if isinstance(line, Skipped) or not _MAYBE.search(line.raw):
            continue
        record = parse_line(line.raw, replace_invalid=True)
        if not isinstance(record, str):
            yield line.offset, record


def _starts_of(found: list[tuple[int, str, str]]) -> dict[int, str]:
    """One start per request; plain messages count only if the file has no events and no items for requests."""
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
    """The payload of a line; in the oldest files it is the line itself."""
    return mapping(record, "payload") if "payload" in record else record
