"""The sources `otel` and `openinference`: files of spans, as OTLP/JSON or as rows that a trace viewer exported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.source import Captured, Found, Rewound, Session, Skipped
from metier.capture.traces.genai import genai_step
from metier.capture.traces.openinference import openinference_step
from metier.capture.traces.spans import read_spans
from metier.capture.traces.trace_runs import TraceCollector, TraceStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from metier.capture.traces.spans import TraceSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class Otel:
    """Files of spans that use the GenAI semantic conventions."""

    name: str = "otel"
    title: str = "OpenTelemetry GenAI spans"
    proven: bool = True

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:  # noqa: ARG002
        """No places: a collector writes such files anywhere."""
        return ()

    def claims(self, path: str, head: bytes) -> bool:  # noqa: ARG002
        """Whether a file begins as OTLP/JSON without OpenInference attributes."""
        return is_otlp(head) and b"openinference.span.kind" not in head

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:  # noqa: ARG002
        """One session per file."""
        yield from (Session(main=path) for path in sorted(set(paths)))

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """One run per topmost agent span, or per trace without an agent."""
        yield from parse_spans(files, start, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenInference:
    """Files of spans with OpenInference attributes."""

    name: str = "openinference"
    title: str = "OpenInference spans"
    proven: bool = True

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:  # noqa: ARG002
        """No places: people export such files anywhere."""
        return ()

    def claims(self, path: str, head: bytes) -> bool:  # noqa: ARG002
        """Whether a file has OpenInference attributes near the beginning."""
        marks = (b"openinference.span.kind", b'"openinference"', b"llm.input_messages", b'"span_kind"')
        return any(mark in head for mark in marks)

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:  # noqa: ARG002
        """One session per file."""
        yield from (Session(main=path) for path in sorted(set(paths)))

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """One run per topmost agent span, or per trace without an agent."""
        yield from parse_spans(files, start, self.name)


def is_otlp(head: bytes) -> bool:
    """Whether a file begins like OTLP/JSON traces."""
    return b'"resourceSpans"' in head or b'"resource_spans"' in head


def parse_spans(files: Mapping[str, BinaryIO], start: int, source: str) -> Iterator[Found]:
    """The runs in files of spans; always from the beginning, because a trace can continue anywhere in a file."""
    for name, file in files.items():
        if start:
            yield Rewound(file=name, reason="a trace can continue anywhere in the file")
            return
        yield from _parse_file(name, file, TraceCollector(source))


def _parse_file(name: str, file: BinaryIO, traces: TraceCollector) -> Iterator[Captured | Skipped]:
    count, read = 0, 0
    seen: set[int] = set()
    for span in read_spans(name, file):
        if isinstance(span, Skipped):
            yield span
            continue
        mark = hash((span.trace, span.id))
        if mark in seen:
            continue
        seen.add(mark)
        read += 1
        for run, offset in traces.add(step_of(span)):
            count += 1
            yield Captured(run=run, file=name, offset=offset)
    for run, offset in traces.close():
        count += 1
        yield Captured(run=run, file=name, offset=offset)
    if traces.late_spans:
        reason = f"spans that came after their trace was finished: {traces.late_spans}"
        yield Skipped(file=name, line=0, reason=reason)
    if not count:
        reason = f"none of the spans ({read}) is from an agent, a model or a tool" if read else "no spans in the file"
        yield Skipped(file=name, line=0, reason=reason)


def step_of(span: TraceSpan) -> TraceStep:
    """The step that a span describes, read with the conventions it uses."""
    if "openinference.span.kind" in span.attributes:
        return openinference_step(span)
    return genai_step(span)
