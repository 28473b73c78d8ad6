"""Many runs from one stream of JSON: what each line became."""

from __future__ import annotations

import io
import itertools
import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from metier.errors import InputError, StoreError
from metier.formats.run_json import parse_run
from metier.formats.strict_json import TOO_DEEP, is_too_deep
from metier.runs.record import record_runs, size_of
from metier.types import Delivery, Run

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from metier.context.context import Context

CHUNK = 500
"""Lines per transaction."""
LISTED = 10_000
"""Refused lines that are listed one by one."""
HELD = 8 * 1024 * 1024
"""Characters of runs held before they are stored."""
NOTHING = 'The input is empty. A run is a JSON object such as {"message": "fix the login test"}.'
WHOLE = 32 * 1024 * 1024
"""Bytes of the largest document that is not one object a line."""


@dataclass(kw_only=True)
class StreamReport:
    """What became of every run of a stream, by line."""

    recorded: int = 0
    updated: int = 0
    duplicates: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    refused_more: int = 0
    """Refusals beyond those listed: a file of a million bad lines must not fill the memory."""
    skipped: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    warnings: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    ids: list[str] = field(default_factory=list[str])

    def take(self, line: int, delivery: Delivery) -> None:
        """Count one delivery."""
        match delivery.how:
            case "refused" if len(self.refused) >= LISTED:
                self.refused_more += 1
            case "refused":
                self.refused.append((line, delivery.reason))
            case "skipped":
                self.skipped.append((line, delivery.reason))
            case "new":
                self.recorded += 1
            case "updated":
                self.updated += 1
            case "duplicate":
                self.duplicates += 1
        self.ids += [delivery.id] if delivery.kept else []
        self.warnings += [(line, note) for note in delivery.notes]

    def counts(self) -> dict[str, int]:
        """How many runs became what."""
        found = {"new": self.recorded, "updated": self.updated, "duplicate": self.duplicates}
        found |= {"refused": len(self.refused) + self.refused_more, "skipped": len(self.skipped)}
        return {how: number for how, number in found.items() if number}

    def document(self) -> dict[str, object]:
        """The machine-readable form."""
        listed = {"refused": self.refused, "skipped": self.skipped, "warnings": self.warnings}
        return {
            "recorded": self.recorded,
            "updated": self.updated,
            "duplicates": self.duplicates,
            "refused_more": self.refused_more,
            **{name: [{"line": line, "reason": reason} for line, reason in rows] for name, rows in listed.items()},
            "ids": self.ids,
        }


@contextmanager
def open_source(file: str) -> Generator[BinaryIO]:
    """A named file, or standard input for `-`."""
    if file == "-":
        if sys.stdin is None or sys.stdin.isatty():  # pyright: ignore[reportUnnecessaryComparison]
            raise InputError("Nothing to record: give a FILE, or pipe JSON into `metier record`.")
        yield _not_empty(sys.stdin.buffer)
        return
    try:
        stream = Path(file).expanduser().open("rb")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    with stream:
        yield _not_empty(stream)


def _not_empty(stream: BinaryIO) -> BinaryIO:
    """The stream, provided that it holds anything; looked at before a workspace is made for it."""
    buffered = cast("io.BufferedReader", stream)
    try:
        if not buffered.peek(1):
            raise InputError(NOTHING)
    except OSError as error:
        raise InputError(f"The input cannot be read: {error.strerror}.") from None
    return stream


def record_stream(ctx: Context, stream: BinaryIO) -> StreamReport:
    """Record every run of a stream; one bad line never stops the others."""
    batch = StreamReport()
    waiting: list[tuple[int, Run]] = []
    held = 0
    for line, found in runs_in(stream, ctx.config.max_record_mb * 1024 * 1024):
        if isinstance(found, str):
            batch.take(line, Delivery(how="refused", reason=found))
            continue
        waiting.append((line, found))
        held += size_of(found)
        if len(waiting) == CHUNK or held > HELD:
            held = 0
            if not _flush(ctx, batch, waiting):
                batch.take(line + 1, Delivery(how="refused", reason="this line and the lines after it were not read"))
                return batch
    _flush(ctx, batch, waiting)
    if not (batch.ids or batch.refused or batch.skipped):
        raise InputError(NOTHING)
    return batch


def _flush(ctx: Context, batch: StreamReport, waiting: list[tuple[int, Run]]) -> bool:
    """Record what waits; when the store cannot take it and has taken others, each of these lines is refused."""
    try:
        deliveries = record_runs(ctx, [run for _, run in waiting], "parsed")
    except StoreError as error:
        if not batch.ids:
            raise
        deliveries = [Delivery(how="refused", reason=str(error)) for _ in waiting]
    for (line, _), delivery in zip(waiting, deliveries, strict=True):
        batch.take(line, delivery)
    failed = bool(waiting) and not any(delivery.kept or delivery.how == "skipped" for delivery in deliveries)
    waiting.clear()
    return not failed


def runs_in(stream: BinaryIO, limit: int, source: str = "cli") -> Iterator[tuple[int, Run | str]]:
    """Each run of a stream with its line, or why it is none; `limit`: bytes of one."""
    for line, value in _values(stream, limit):
        if isinstance(value, _Bad):
            yield line, value.reason
            continue
        try:
            yield line, parse_run(value, source=source)
        except InputError as error:
            yield line, str(error)


@dataclass(frozen=True, slots=True)
class _Bad:
    reason: str


def _one_a_line(lines: Iterable[tuple[int, bytes | _Bad]]) -> Iterator[tuple[int, object]]:
    """The values of all further lines of a large file whose first one was bad."""
    for number, (_, raw) in enumerate(lines, 2):
        if isinstance(raw, _Bad):
            yield number, raw
        elif text := raw.strip():
            yield from _spread(number, _decode(text))


WORDS = _Bad("not JSON: Expecting value at character 1")


def _values(stream: BinaryIO, limit: int) -> Iterator[tuple[int, object]]:
    """The JSON values of a stream with the line each begins on: one a line, or one document over many lines."""
    for number, raw in _lines(stream, limit):
        if isinstance(raw, _Bad):
            yield number, raw
            continue
        text = raw.strip()
        if not text:
            continue
        value = _decode(text)
        if isinstance(value, _Bad) and number == 1 and text[:1] in b"[{":
            yield from _document(raw, stream, value, limit)
            return
        yield from _spread(number, value)


def _document(first: bytes, stream: BinaryIO, problem: _Bad, limit: int) -> Iterator[tuple[int, object]]:
    """A document over several lines, unless its lines turn out to be runs of their own."""
    rest = stream.read(WHOLE + 1)
    if len(rest) > WHOLE:
        yield 1, problem
        rest += stream.readline(limit + 1)
        yield from _one_a_line(itertools.chain(_lines(io.BytesIO(rest), limit), _lines(stream, limit)))
        return
    whole = _decode(first + rest)
    if not isinstance(whole, _Bad):
        yield from _spread(1, whole)
        return
    others = [(number, line.strip()) for number, line in enumerate(rest.split(b"\n"), 2) if line.strip()]
    values = [(number, _decode(line)) for number, line in others]
    if any(isinstance(value, dict) for _, value in values):
        yield 1, problem
        yield from values
    else:
        yield 1, whole


def _spread(line: int, value: object) -> Iterator[tuple[int, object]]:
    if isinstance(value, list):
        yield from ((line, one) for one in cast("list[object]", value))
    else:
        yield line, value


def _lines(stream: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | _Bad]]:
    """Lines of bounded size; a longer one is passed over in pieces."""
    number = 0
    while raw := stream.readline(limit + 1):
        number += 1
        if len(raw) > limit:
            while not raw.endswith(b"\n") and raw:
                raw = stream.readline(1 << 20)
            yield number, _Bad(f"the run is larger than {limit // 2**20} MiB (max_record_mb)")
        else:
            yield number, raw


def _decode(raw: bytes) -> object:
    if raw[:1].isalpha() and raw[:1] not in b"tfnNI":  # no JSON begins so: prose is refused fast
        return WORDS
    try:
        value: object = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return _Bad(f"not UTF-8 text (byte {error.start + 1}); a run is a line of JSON")
    except json.JSONDecodeError as error:
        return _Bad(f"not JSON: {error.msg} at character {error.pos + 1}")
    except RecursionError:
        return _Bad(f"not readable: {TOO_DEEP}")
    except ValueError:
        return _Bad("not readable: a number with thousands of digits")
    return _Bad(f"not readable: {TOO_DEEP}") if is_too_deep(value) else value
