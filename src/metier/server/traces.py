"""Traces on their way to runs: spans come in pieces, and a trace is a run when it has been silent for a moment."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, cast

from metier.capture.reading.fields import Map, elements, json_without_secrets, mapping
from metier.capture.traces.source import step_of
from metier.capture.traces.spans import TraceSpan, spans_in, without_attributes
from metier.capture.traces.trace_runs import TraceCollector
from metier.errors import StoreError
from metier.runs.record import records_of, store_records
from metier.store.tables.server import trace_spans
from metier.store.tables.server.trace_spans import KeptSpan
from metier.types import Record

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from metier.context.context import Context
    from metier.server.metrics import Metrics
    from metier.store.tables.server.trace_spans import ReadyTrace

SILENT = timedelta(seconds=3)
"""A trace whose first span has arrived is a run after so long without a further one."""
ROOTLESS = timedelta(minutes=15)
"""The same for a trace whose first span is still missing: its agent works on, or died."""
KEPT = timedelta(hours=1)
"""How long spans are kept after that: one that comes late is added to its run."""
PACE = 1.0
"""Seconds between two looks."""
AT_ONCE = 50
"""Traces that become runs in one transaction."""
LONGEST = 64
"""Characters of a trace's or a span's id."""


def kept_spans(ctx: Context, document: object) -> tuple[KeptSpan, ...]:
    """The spans of an OTLP request, redacted; of those that tell nothing about an agent, only their place is kept."""
    return tuple(_kept(span, ctx.redact) for span in spans_in(document))


def _kept(span: TraceSpan, redact: Callable[[str], str]) -> KeptSpan:
    told = span if step_of(span).kind != "other" else without_attributes(span)
    fields = cast("Map", json_without_secrets(asdict(told), redact))
    trace, own = span.trace[:LONGEST], span.id[:LONGEST]
    body = json.dumps({**fields, "trace": trace, "id": own}, ensure_ascii=False, sort_keys=True)
    return KeptSpan(trace=trace, span=own, is_root=not span.parent, body=body)


def _span_of(body: str) -> TraceSpan:
    """The span that was kept."""
    found = cast("Map", json.loads(body))
    events = tuple((str(elements(one)[0]), mapping(elements(one)[1])) for one in elements(found.pop("events")))
    return TraceSpan(**cast("dict[str, str]", found), events=events)  # pyright: ignore[reportArgumentType]


def build_runs(ctx: Context, metrics: Metrics | None = None) -> int:
    """Make runs of the traces that are ready; returns how many traces that were. A crash in between repeats nothing."""
    now = ctx.clock().astimezone(UTC)
    rooted, rootless = (_text(now - age) for age in (SILENT, ROOTLESS))
    with ctx.store.read() as transaction:
        found = trace_spans.ready(transaction, rooted=rooted, rootless=rootless, limit=AT_ONCE)
    made = [(one, _records(ctx, one)) for one in found]
    if not made:
        return 0
    with ctx.store.write() as transaction:
        for one, records in made:
            if trace_spans.claim(transaction, one.trace, one.changed, ctx.now()):
                for delivery in store_records(transaction, records):
                    if metrics is not None:
                        metrics.count("metier_trace_runs_total", how=delivery.how)
    return len(made)


def _records(ctx: Context, ready: ReadyTrace) -> list[Record]:
    spans = [_span_of(body) for body in ready.bodies]
    named = any("openinference.span.kind" in span.attributes for span in spans)
    traces = TraceCollector("openinference" if named else "otel")
    runs = [run for span in spans for run, _ in traces.add(step_of(span))] + [run for run, _ in traces.close()]
    return [one for one in records_of(ctx, runs, "parsed") if isinstance(one, Record)]


class TraceBuilder:
    """A thread that makes runs of traces as long as the server runs."""

    def __init__(self, ctx: Context, metrics: Metrics) -> None:
        self._ctx = ctx
        self._metrics = metrics
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="traces", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Stop looking; what is not a run yet becomes one at the next start."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(20)

    def _work(self) -> None:
        number = 0
        while not self._ended.wait(PACE):
            number += 1
            with suppress(StoreError):  # the next look tries again
                while build_runs(self._ctx, self._metrics) == AT_ONCE and not self._ended.is_set():
                    pass
                if number % 60 == 1:
                    forget_old_spans(self._ctx)


def forget_old_spans(ctx: Context) -> None:
    """Drop the spans of traces that became runs long ago."""
    before = _text(ctx.clock().astimezone(UTC) - KEPT)
    with ctx.store.write() as transaction:
        trace_spans.forget_built(transaction, before)


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
