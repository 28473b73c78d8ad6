"""What the server counts, as Prometheus reads it and as OpenTelemetry takes it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Labels = tuple[tuple[str, str], ...]
BUCKETS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper ends of a histogram's buckets, in seconds."""


@dataclass(frozen=True, slots=True)
class MetricKind:
    """What a metric is."""

    kind: Literal["counter", "gauge", "histogram"]
    about: str


KNOWN: Mapping[str, MetricKind] = {
    "metier_requests_total": MetricKind("counter", "Requests, by route, method and status."),
    "metier_runs_total": MetricKind("counter", "Runs that were sent, by what became of them."),
    "metier_spans_total": MetricKind("counter", "Spans that were kept."),
    "metier_trace_runs_total": MetricKind("counter", "Runs that were made of traces, by what became of them."),
    "metier_turned_away_total": MetricKind("counter", "Batches answered with 429 or 503, by status."),
    "metier_commit_seconds": MetricKind("histogram", "Time of a transaction that stores batches."),
    "metier_waiting_batches": MetricKind("gauge", "Batches that wait to be stored."),
    "metier_held_bytes": MetricKind("gauge", "Bytes of batches that are being read or wait."),
    "metier_open_traces": MetricKind("gauge", "Traces that are not runs yet."),
    "metier_runs": MetricKind("gauge", "Runs in the store."),
    "metier_store_bytes": MetricKind("gauge", "Bytes of the store on disk."),
    "metier_up_seconds": MetricKind("gauge", "Seconds since the server started."),
}
"""Every metric; one that is not here cannot be counted."""


@dataclass(slots=True)
class _Histogram:
    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    total: float = 0.0


class Metrics:
    """Counters of one server; gauges are asked for when somebody reads."""

    def __init__(self) -> None:
        self.started = time.time()
        self._lock = threading.Lock()
        self._counters: dict[tuple[str, Labels], int] = {}
        self._histograms: dict[str, _Histogram] = {}
        self._gauges: dict[str, Callable[[], float | None]] = {
            "metier_up_seconds": lambda: time.time() - self.started,
        }

    def count(self, name: str, by: int = 1, **labels: str) -> None:
        """Add to a counter."""
        key = (_known(name, "counter"), tuple(sorted(labels.items())))
        with self._lock:
            self._counters[key] = self._counters.get(key, 0) + by

    def observe(self, name: str, seconds: float) -> None:
        """Add a value to a histogram."""
        with self._lock:
            found = self._histograms.setdefault(_known(name, "histogram"), _Histogram())
            place = next((at for at, end in enumerate(BUCKETS) if seconds <= end), len(BUCKETS))
            found.counts[place] += 1
            found.total += seconds

    def gauge(self, name: str, read: Callable[[], float | None]) -> None:
        """Say how a gauge is read; None: it cannot be read now, and is left out."""
        self._gauges[_known(name, "gauge")] = read

    def prometheus(self) -> str:
        """All of them in the text format of Prometheus."""
        lines: list[str] = []
        for name, rows in self._rows().items():
            lines += [f"# HELP {name} {KNOWN[name].about}", f"# TYPE {name} {KNOWN[name].kind}"]
            lines += [f"{name}{suffix}{_braces(labels)} {value:.10g}" for suffix, labels, value in rows]
        return "\n".join(lines) + "\n"

    def otlp(self) -> dict[str, object]:
        """All of them as an ExportMetricsServiceRequest in OTLP/JSON."""
        now, began = str(time.time_ns()), str(int(self.started * 1e9))
        found: list[dict[str, object]] = []
        with self._lock:
            counters, histograms = (
                dict(self._counters),
                {k: (list(h.counts), h.total) for k, h in self._histograms.items()},
            )
        for name in sorted({name for name, _ in counters}):
            points = [
                {
                    "asInt": str(value),
                    "attributes": _attributes(labels),
                    "timeUnixNano": now,
                    "startTimeUnixNano": began,
                }
                for (one, labels), value in sorted(counters.items())
                if one == name
            ]
            found.append(_metric(name, "sum", points, {"aggregationTemporality": 2, "isMonotonic": True}))
        for name, (counts, total) in sorted(histograms.items()):
            point = {
                "count": str(sum(counts)),
                "sum": total,
                "bucketCounts": [str(one) for one in counts],
                "explicitBounds": list(BUCKETS),
                "timeUnixNano": now,
                "startTimeUnixNano": began,
            }
            found.append(_metric(name, "histogram", [point], {"aggregationTemporality": 2}))
        for name, value in self._read_gauges():
            found.append(_metric(name, "gauge", [{"asDouble": value, "timeUnixNano": now}], {}))
        resource = {"attributes": _attributes((("service.name", "metier"),))}
        scope = {"scope": {"name": "metier.server"}, "metrics": found}
        return {"resourceMetrics": [{"resource": resource, "scopeMetrics": [scope]}]}

    def _rows(self) -> dict[str, list[tuple[str, Labels, float]]]:
        found: dict[str, list[tuple[str, Labels, float]]] = {}
        with self._lock:
            for (name, labels), value in sorted(self._counters.items()):
                found.setdefault(name, []).append(("", labels, value))
            for name, one in sorted(self._histograms.items()):
                found[name] = _histogram_rows(one)
        for name, value in self._read_gauges():
            found[name] = [("", (), value)]
        return found

    def _read_gauges(self) -> Iterator[tuple[str, float]]:
        for name, read in sorted(self._gauges.items()):
            value = read()
            if value is not None:
                yield name, float(value)


def _histogram_rows(one: _Histogram) -> list[tuple[str, Labels, float]]:
    rows: list[tuple[str, Labels, float]] = []
    below = 0
    for end, number in zip((*(f"{one:g}" for one in BUCKETS), "+Inf"), one.counts, strict=True):
        below += number
        rows.append(("_bucket", (("le", end),), below))
    return [*rows, ("_sum", (), one.total), ("_count", (), below)]


def _known(name: str, kind: str) -> str:
    if KNOWN[name].kind != kind:
        raise KeyError(name)
    return name


def _metric(name: str, kind: str, points: object, more: Mapping[str, object]) -> dict[str, object]:
    return {"name": name, "description": KNOWN[name].about, kind: {"dataPoints": points, **more}}


def _attributes(labels: Labels) -> list[dict[str, object]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in labels]


def _braces(labels: Labels) -> str:
    inner = ",".join(f'{key}="{_escape(value)}"' for key, value in labels)
    return f"{{{inner}}}" if inner else ""


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
