"""OpenInference: spans of Phoenix and its instrumentations, as OTLP/JSON or as flat rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.source import Found, Session
from metier.capture.traces.otel import parse_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenInference:
    """Files of spans with OpenInference attributes."""

    name: str = "openinference"
    title: str = "OpenInference spans"
    proven: bool = True

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:  # noqa: ARG002
        """Nowhere: such files are exported by hand."""
        return ()

    def claims(self, path: str, head: bytes) -> bool:  # noqa: ARG002
        """Whether OpenInference attributes stand at the beginning."""
        marks = (b"openinference.span.kind", b'"openinference"', b"llm.input_messages", b'"span_kind"')
        return any(mark in head for mark in marks)

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:  # noqa: ARG002
        """Each file stands for itself."""
        yield from (Session(main=path) for path in sorted(set(paths)))

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """One run for each topmost agent span, or for each trace without one."""
        yield from parse_spans(files, start, self.name)
