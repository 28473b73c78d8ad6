"""The routes for programs: runs and traces in, metrics out."""

from __future__ import annotations

import asyncio
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from metier.capture.reading.fields import decode
from metier.capture.traces.protobuf import decode_traces
from metier.errors import InputError, MetierError, StoreError
from metier.runs.json_stream import NOTHING, StreamReport, runs_in
from metier.runs.record import records_of, why_closed
from metier.server.bodies import LargeError, SlowError, held_body
from metier.server.intake import Batch, FullError
from metier.server.traces import kept_spans
from metier.types import Delivery, Record

if TYPE_CHECKING:
    from starlette.requests import Request

    from metier.context.context import Context
    from metier.server.intake import Intake
    from metier.server.metrics import Metrics
    from metier.store.tables.server.trace_spans import KeptSpan

RETRY = "2"
"""Seconds after which a client that was turned away should try again."""
PROTOBUF, JSON = "application/x-protobuf", "application/json"
RUN_TYPES = (JSON, "application/x-ndjson", "application/jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inlet:
    """What the routes for programs need."""

    ctx: Context
    intake: Intake
    metrics: Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Runs of a request, and what became of each so far, by line."""

    lines: tuple[tuple[int, Record | Delivery], ...]

    @property
    def records(self) -> tuple[Record, ...]:
        """Those that can be stored."""
        return tuple(one for _, one in self.lines if isinstance(one, Record))


async def receive_runs(request: Request) -> Response:
    """Take a batch of runs; answered when all of them are stored, or with the reason of each that is not."""
    inlet = _inlet(request)
    if _content_type(request) not in RUN_TYPES:
        return _say(415, f"Send runs as {' or '.join(RUN_TYPES)}.")
    try:
        async with held_body(request, inlet.intake) as raw:
            checked = await run_in_threadpool(check_runs, inlet.ctx, raw)
            stored = await _store(inlet, Batch(records=checked.records))
    except MetierError as error:
        return _say(*_turn_away(inlet, error))
    report = _report(checked, stored)
    for how, number in report.counts().items():
        inlet.metrics.count("metier_runs_total", number, how=how)
    kept = report.ids or report.skipped or not checked.lines
    return JSONResponse(report.document(), 200 if kept else 400)


def check_runs(ctx: Context, raw: bytes) -> Checked:
    """Every run of a body: parsed, redacted, or refused with a reason."""
    found = list(runs_in(io.BytesIO(raw), ctx.config.max_record_mb * 1024 * 1024, source="server"))
    if not found:
        raise InputError(NOTHING)
    good = iter(records_of(ctx, [one for _, one in found if not isinstance(one, str)], "parsed"))
    return Checked(
        lines=tuple(
            (line, Delivery(how="refused", reason=one) if isinstance(one, str) else next(good)) for line, one in found
        )
    )


def _report(checked: Checked, stored: list[Delivery]) -> StreamReport:
    report, kept = StreamReport(), iter(stored)
    for line, one in checked.lines:
        report.take(line, next(kept) if isinstance(one, Record) else one)
    return report


async def receive_traces(request: Request) -> Response:
    """Take spans by OTLP/HTTP; answered when they are stored. Runs are made of them when their trace is complete."""
    inlet, kind = _inlet(request), _content_type(request)
    if kind not in (PROTOBUF, JSON):
        return _say(415, f"Send traces as {PROTOBUF} or {JSON}.")
    try:
        async with held_body(request, inlet.intake) as raw:
            if closed := why_closed(inlet.ctx):
                return _partial(kind, closed)
            spans = await run_in_threadpool(_spans, inlet.ctx, kind, raw)
            await _store(inlet, Batch(spans=spans))
    except MetierError as error:
        return _otlp_error(kind, *_turn_away(inlet, error))
    inlet.metrics.count("metier_spans_total", len(spans))
    return Response(b"" if kind == PROTOBUF else b"{}", 200, media_type=kind)


def _spans(ctx: Context, kind: str, raw: bytes) -> tuple[KeptSpan, ...]:
    try:
        document = decode_traces(raw) if kind == PROTOBUF else decode(raw)
    except ValueError as error:
        raise InputError(f"The traces are {error}.") from None
    return kept_spans(ctx, document)


async def show_metrics(request: Request) -> Response:
    """All metrics, as Prometheus reads them."""
    text = await run_in_threadpool(_inlet(request).metrics.prometheus)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


ROUTES = (
    Route("/v1/runs", receive_runs, methods=["POST"]),
    Route("/v1/traces", receive_traces, methods=["POST"]),
    Route("/metrics", show_metrics, methods=["GET"]),
)


async def _store(inlet: Inlet, batch: Batch) -> list[Delivery]:
    """Wait until a batch is committed; a client that goes away does not stop it."""
    if not batch.size:
        return []
    return await asyncio.shield(asyncio.wrap_future(inlet.intake.put(batch)))


def _turn_away(inlet: Inlet, error: MetierError) -> tuple[int, str]:
    """The status and the sentence for an error."""
    status = _status_of(error)
    if status in (429, 503):
        inlet.metrics.count("metier_turned_away_total", status=str(status))
    return status, str(error)


def _status_of(error: MetierError) -> int:
    match error:
        case FullError():
            return 429
        case StoreError():
            return 503
        case LargeError():
            return 413
        case SlowError():
            return 408
        case _:
            return 400


def _say(status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status, headers=_retry(status))


def _otlp_error(kind: str, status: int, text: str) -> Response:
    """An error as OTLP wants it: a google.rpc.Status."""
    if kind == JSON:
        return JSONResponse({"message": text}, status, headers=_retry(status))
    return Response(_field(2, text.encode()), status, headers=_retry(status), media_type=PROTOBUF)


def _partial(kind: str, text: str) -> Response:
    """Everything was understood, and nothing of it is kept; sending it again would not help."""
    if kind == JSON:
        return JSONResponse({"partialSuccess": {"errorMessage": text}})
    return Response(_field(1, _field(2, text.encode())), media_type=PROTOBUF)


def _field(number: int, raw: bytes) -> bytes:
    """A protobuf field of bytes."""
    size, head = len(raw), bytearray([number << 3 | 2])
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes(head) + bytes([size]) + raw


def _retry(status: int) -> dict[str, str]:
    return {"retry-after": RETRY} if status in (429, 503) else {}


def _content_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _inlet(request: Request) -> Inlet:
    return cast("Inlet", request.app.state.inlet)
