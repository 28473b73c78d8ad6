"""Read OTLP traces in the wire format of Protocol Buffers, into the same shape as OTLP/JSON has.

The format has few kinds of fields and needs no generated code. `SCHEMA` has those of `opentelemetry.proto.trace.v1`
that runs are made of; all others are passed over, as the format asks of every reader.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from metier.capture.reading.fields import Map

DEEPEST = 64
"""Messages inside each other."""
MOST = 250_000
"""Fields of one request: tiny ones would take far more memory than bytes on the wire."""
VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""How a field is written."""


@dataclass(frozen=True, slots=True)
class WireField:
    """A field of a message: its name in OTLP/JSON, and how its bytes are read."""

    name: str
    kind: str
    """A key of `PLAIN`, or of `SCHEMA` for a message inside."""
    repeated: bool = False


PLAIN: Mapping[str, tuple[int, Callable[[bytes | int], object]]] = {
    "text": (LENGTH, lambda raw: cast("bytes", raw).decode("utf-8", "replace")),
    "hex": (LENGTH, lambda raw: cast("bytes", raw).hex()),
    "bytes": (LENGTH, lambda raw: b64encode(cast("bytes", raw)).decode()),
    "time": (FIXED64, lambda raw: str(int.from_bytes(cast("bytes", raw), "little"))),
    "double": (FIXED64, lambda raw: struct.unpack("<d", cast("bytes", raw))[0]),
    "int": (VARINT, lambda raw: str(cast("int", raw) - (1 << 64) if cast("int", raw) >> 63 else raw)),
    "enum": (VARINT, lambda raw: cast("int", raw)),
    "bool": (VARINT, bool),
}
SCHEMA: Mapping[str, Mapping[int, WireField]] = {
    "request": {1: WireField("resourceSpans", "resource_spans", repeated=True)},
    "resource_spans": {1: WireField("resource", "resource"), 2: WireField("scopeSpans", "scope_spans", repeated=True)},
    "resource": {1: WireField("attributes", "pair", repeated=True)},
    "scope_spans": {2: WireField("spans", "span", repeated=True)},
    "span": {
        1: WireField("traceId", "hex"),
        2: WireField("spanId", "hex"),
        4: WireField("parentSpanId", "hex"),
        5: WireField("name", "text"),
        7: WireField("startTimeUnixNano", "time"),
        8: WireField("endTimeUnixNano", "time"),
        9: WireField("attributes", "pair", repeated=True),
        11: WireField("events", "event", repeated=True),
        15: WireField("status", "status"),
    },
    "event": {
        1: WireField("timeUnixNano", "time"),
        2: WireField("name", "text"),
        3: WireField("attributes", "pair", repeated=True),
    },
    "status": {2: WireField("message", "text"), 3: WireField("code", "enum")},
    "pair": {1: WireField("key", "text"), 2: WireField("value", "value")},
    "value": {
        1: WireField("stringValue", "text"),
        2: WireField("boolValue", "bool"),
        3: WireField("intValue", "int"),
        4: WireField("doubleValue", "double"),
        5: WireField("arrayValue", "values"),
        6: WireField("kvlistValue", "pairs"),
        7: WireField("bytesValue", "bytes"),
    },
    "values": {1: WireField("values", "value", repeated=True)},
    "pairs": {1: WireField("values", "pair", repeated=True)},
}


def decode_traces(raw: bytes, most: int = MOST) -> Map:
    """An ExportTraceServiceRequest as OTLP/JSON has it; a ValueError says what is wrong."""
    return _Reader(raw, most).message("request", 0, len(raw), 0)


class _Reader:
    """Reads messages of one request, within bounds."""

    def __init__(self, raw: bytes, most: int) -> None:
        self._raw = raw
        self._most = most
        self._count = 0

    def message(self, kind: str, start: int, end: int, depth: int) -> Map:
        if depth > DEEPEST:
            raise ValueError("not readable: nested too deeply")
        fields, found = SCHEMA[kind], cast("Map", {})
        for number, wire, value in self._fields(start, end):
            known = fields.get(number)
            if known is None:
                continue
            read = self._value(known, wire, value, depth)
            if known.repeated:
                cast("list[object]", found.setdefault(known.name, [])).append(read)
            else:
                found[known.name] = read
        return found

    def _value(self, known: WireField, wire: int, value: int | tuple[int, int], depth: int) -> object:
        wanted, read = PLAIN.get(known.kind, (LENGTH, None))
        if wire != wanted:
            raise ValueError(f"not readable: the field {known.name} is of another kind")
        if isinstance(value, int):
            return read(value) if read else _fail()
        return read(self._raw[value[0] : value[1]]) if read else self.message(known.kind, *value, depth + 1)

    def _fields(self, at: int, end: int) -> Iterator[tuple[int, int, int | tuple[int, int]]]:
        """Number, kind and content of each field: a number, or where its bytes begin and end."""
        while at < end:
            self._count += 1
            if self._count > self._most:
                raise ValueError(f"not readable: more than {self._most:,} fields; send smaller batches")
            tag, at = self._varint(at, end)
            wire = tag & 7
            if wire == VARINT:
                value, at = self._varint(at, end)
                yield tag >> 3, wire, value
                continue
            size = {FIXED64: 8, FIXED32: 4}.get(wire)
            if wire == LENGTH:
                size, at = self._varint(at, end)
            if size is None or at + size > end:
                _fail()
            yield tag >> 3, wire, (at, at + size)
            at += size

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if at >= end:
                _fail()
            byte = self._raw[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & (1 << 64) - 1, at
        return _fail()


def _fail() -> NoReturn:
    raise ValueError("not readable: this is no OTLP trace in protobuf, or it is cut off")
