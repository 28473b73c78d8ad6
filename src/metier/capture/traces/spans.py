"""Read spans from files: OTLP/JSON as a document or as lines, and flat rows that trace viewers export."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.reading.fields import Map, decode, elements, is_list, is_map, mapping, text
from metier.capture.reading.lines import read_lines
from metier.capture.source import Skipped
from metier.capture.traces.attributes import attributes_of, flatten

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENT_LIMIT = 32 * 1024 * 1024
"""Bytes of the largest JSON document that spans several lines."""
_SPAN_START = re.compile(r'\{\s*"(?:traceId|trace_id|spanId|span_id|context|name)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSpan:
    """One span with plain attributes, from a file of any format."""

    trace: str
    id: str
    parent: str
    name: str
    started: str | None
    ended: str | None
    attributes: Map
    """By dotted name; includes the resource attributes that the span does not have itself."""
    events: tuple[tuple[str, Map], ...] = ()
    error: str | None = None
    offset: int = 0


def without_attributes(span: TraceSpan) -> TraceSpan:
    """The span without its attributes and events, which takes less memory."""
    return TraceSpan(
        trace=span.trace,
        id=span.id,
        parent=span.parent,
        name=span.name,
        started=span.started,
        ended=span.ended,
        attributes=_NOTHING,
        error=span.error,
        offset=span.offset,
    )


_NOTHING: Map = {}


def read_spans(name: str, file: BinaryIO) -> Iterator[TraceSpan | Skipped]:
    """Yield every span of a file, and a `Skipped` for what cannot be read."""
    documents = _read_lines(name, file) if _has_json_lines(name, file) else _read_document(name, file)
    for found in documents:
        if isinstance(found, Skipped):
            yield found
        else:
            offset, value = found
            yield from spans_in(value, offset)


def _has_json_lines(name: str, file: BinaryIO) -> bool:
    """Whether the first line is a complete JSON value."""
    for line in read_lines(name, file):
        if isinstance(line, Skipped):
            return True
        if line.raw.strip():
            try:
                return isinstance(decode(line.raw.decode("utf-8-sig", "replace").strip()), dict | list)
            except ValueError:
                return False
    return True


def _read_lines(name: str, file: BinaryIO) -> Iterator[tuple[int, object] | Skipped]:
    for line in read_lines(name, file):
        if isinstance(line, Skipped):
            yield line
            continue
        content = line.raw.decode("utf-8-sig", "replace").strip("\0 \t\r\n")
        if not content:
            continue
        try:
            yield line.offset, decode(content)
        except ValueError as error:
            yield Skipped(file=name, line=line.number, reason=f"{error}; the complete spans in it were read")
            yield from ((line.offset, value) for value in _find_whole_spans(content))


def _read_document(name: str, file: BinaryIO) -> Iterator[tuple[int, object] | Skipped]:
    """Yield JSON values that span several lines, one after the other."""
    file.seek(0)
    raw = file.read(DOCUMENT_LIMIT + 1)
    if len(raw) > DOCUMENT_LIMIT:
        reason = f"the JSON document is larger than {DOCUMENT_LIMIT:,} bytes: write one JSON value per line"
        yield Skipped(file=name, line=0, reason=reason)
        return
    content = raw.decode("utf-8-sig", "replace")
    decoder, at = json.JSONDecoder(), 0
    while at < len(content):
        if content[at] in " \t\r\n,\0":
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(content, at)
        except (ValueError, RecursionError):
            line = content.count("\n", 0, at) + 1
            reason = "the JSON is damaged from here on; the complete spans in it were read"
            yield Skipped(file=name, line=line, reason=reason)
            yield from ((0, value) for value in _find_whole_spans(content[at:]))
            return
        yield 0, value


def _find_whole_spans(content: str) -> Iterator[object]:
    """The complete spans in a damaged document."""
    decoder, at = json.JSONDecoder(), 0
    while found := _SPAN_START.search(content, at):
        try:
            value, at = decoder.raw_decode(content, found.start())
        except (ValueError, RecursionError):
            at = found.end()
            continue
        if is_map(value):
            yield mapping(value)


def spans_in(value: object, offset: int = 0, resource: Map = _NOTHING) -> Iterator[TraceSpan]:
    """Every span in a JSON value, whatever the shape around it."""
    if is_list(value):
        for element in elements(value):
            yield from spans_in(element, offset, resource)
        return
    obj = mapping(value)
    if "resourceSpans" in obj or "resource_spans" in obj:
        for group in elements(obj.get("resourceSpans", obj.get("resource_spans"))):
            common = attributes_of(mapping(group, "resource").get("attributes"))
            scopes = mapping(group).get("scopeSpans", mapping(group).get("instrumentationLibrarySpans"))
            for scope in elements(scopes):
                yield from spans_in(mapping(scope).get("spans"), offset, common)
    elif span := _span_of(obj, offset, resource):
        yield span
    else:
        for key in ("data", "spans", "traces", "batches"):
            yield from spans_in(elements(obj.get(key)), offset, resource)


def _span_of(obj: Map, offset: int, resource: Map) -> TraceSpan | None:
    context = mapping(obj, "context")
    trace = _first_text(obj, "traceId", "trace_id", "context.trace_id") or _first_text(context, "trace_id", "traceId")
    span = _first_text(obj, "spanId", "span_id", "context.span_id") or _first_text(context, "span_id", "spanId")
    if not span:
        return None
    own = attributes_of(obj.get("attributes"))
    for key in [key for key in obj if key.startswith("attributes.")]:
        if obj[key] is not None:
            own.update(flatten(key.removeprefix("attributes."), obj[key]))
    if "span_kind" in obj:
        own.setdefault("openinference.span.kind", obj["span_kind"])
    common = resource or attributes_of(mapping(obj, "resource").get("attributes"))
    return TraceSpan(
        trace=trace or span,
        id=span,
        parent=_first_text(obj, "parentSpanId", "parent_span_id", "parent_id", "parentId"),
        name=text(obj, "name"),
        started=_time_of(obj, "startTimeUnixNano", "start_time", "startTime"),
        ended=_time_of(obj, "endTimeUnixNano", "end_time", "endTime"),
        attributes=common | own,
        events=tuple(_events_of(obj)),
        error=_error_of(obj, own),
        offset=offset,
    )


def _first_text(obj: Map, *keys: str) -> str:
    for key in keys:
        if key in obj and (found := text(obj, key)):
            return found
    return ""


def _events_of(obj: Map) -> Iterator[tuple[str, Map]]:
    for event in elements(obj.get("events")):
        yield text(event, "name"), attributes_of(mapping(event).get("attributes"))


def _error_of(obj: Map, attributes: Map) -> str | None:
    """Why a span failed; None if it did not."""
    status = obj.get("status")
    inner = mapping(status)
    code = inner.get("code", inner.get("status_code", obj.get("status_code", status)))
    if code in (2, "2") or str(code).upper().endswith("ERROR"):
        said = text(inner, "message") or text(inner, "description") or text(obj, "status_message")
        return said or text(attributes, "error.type") or "error"
    return text(attributes, "error.type") or None


def _time_of(obj: Map, nano: str, *keys: str) -> str | None:
    """An ISO time, from nanoseconds or from text."""
    given = obj.get(nano)
    if given is not None:
        try:
            seconds = int(str(given)) / 1e9
            return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z") if seconds else None
        except (ValueError, OverflowError, OSError):
            return None
    said = _first_text(obj, *keys)
    try:
        datetime.fromisoformat(said)
    except ValueError:
        return None
    return said
