"""Traces by OTLP/HTTP, as the OpenTelemetry SDK sends them: spans in pieces, one run when the trace is complete."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from server_world import serve_workspace

from metier.capture.traces.protobuf import decode_traces
from metier.capture.traces.spans import spans_in
from metier.maintenance.retention import remove_runs
from metier.server.traces import ROOTLESS, SILENT, build_runs, forget_old_spans, kept_spans
from metier.store.tables.server import trace_spans
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from server_world import Served

SECRET = "ghp_" + "A1b2C3d4" * 4 + "Zz99"
PROTOBUF = "application/x-protobuf"


def work(tracer_provider: TracerProvider, question: str = "Fix the login test") -> None:
    """What an instrumented agent does: an agent span, a model call and a tool below it."""
    tracer = tracer_provider.get_tracer("agent")
    said = json.dumps([{"role": "user", "parts": [{"type": "text", "content": question}]}])
    done = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "It passes now."}]}])
    with tracer.start_as_current_span("invoke_agent shop") as agent:
        agent.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shop"})
        with tracer.start_as_current_span("chat m1") as chat:
            chat.set_attributes(
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": "m1",
                    "gen_ai.input.messages": said,
                    "gen_ai.output.messages": done,
                    "gen_ai.usage.input_tokens": 120,
                    "gen_ai.usage.output_tokens": 7,
                    "numbers": [1, 2, -3],
                    "share": 0.25,
                    "good": True,
                }
            )
            chat.add_event("retry", {"why": "slow"})
        with tracer.start_as_current_span("execute_tool Bash") as tool:
            tool.set_attributes({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "Bash"})


def spans_of_work(question: str = "Fix the login test") -> Sequence[ReadableSpan]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "shop"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    work(provider, question)
    provider.shutdown()
    return exporter.get_finished_spans()


def open_at(tmp_path: Path, clock: list[datetime]) -> Workspace:
    (tmp_path / "p").mkdir()
    return Workspace.open(tmp_path / "p", environ={"HOME": str(tmp_path)}, clock=lambda: clock[0])


def keep(ws: Workspace, spans: Sequence[ReadableSpan]) -> None:
    document = decode_traces(encode_spans(spans).SerializeToString())
    with ws.context.store.write() as transaction:
        trace_spans.put(transaction, kept_spans(ws.context, document), ws.context.now())


def test_the_real_exporter_sends_a_trace_and_a_run_comes_of_it(tmp_path: Path) -> None:
    clock = [datetime(2026, 1, 5, 12, tzinfo=UTC)]
    with serve_workspace(open_at(tmp_path, clock)) as served:
        exporter = OTLPSpanExporter(
            endpoint=f"{served.binding.origin}/v1/traces",
            headers={"Authorization": f"Bearer {served.tokens['record']}"},
            compression=None,
            timeout=20,
        )
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        work(provider, f"Fix the login test with {SECRET}")
        provider.shutdown()
        raw = (served.ws.state / "metier.db").read_bytes() + (served.ws.state / "metier.db-wal").read_bytes()
        assert SECRET.encode() not in raw
        assert build_runs(served.ws.context) == 0  # the trace may go on
        clock[0] += SILENT
        build_runs(served.ws.context)
        [record] = served.ws.runs()
        assert record.run.agent == "shop"
        assert record.run.message.startswith("Fix the login test with [REDACTED:")
        assert record.run.output == "It passes now."
        assert record.run.tokens.input == 120
        assert [one.name for one in record.run.tools] == ["Bash"]
        assert "metier_spans_total 3" in served.parts.metrics.prometheus()


@pytest.mark.parametrize("kind", [PROTOBUF, "application/json"])
@pytest.mark.parametrize("packed", [True, False])
def test_protobuf_and_json_plain_and_packed_are_the_same(tmp_path: Path, kind: str, packed: bool) -> None:
    clock = [datetime(2026, 1, 5, 12, tzinfo=UTC)]
    request = encode_spans(spans_of_work())
    body = request.SerializeToString()
    if kind != PROTOBUF:
        body = json.dumps(as_otlp_json(request)).encode()
    with serve_workspace(open_at(tmp_path, clock)) as served:
        more = {"content_encoding": "gzip"} if packed else {}
        answer = served.send("/v1/traces", gzip.compress(body) if packed else body, kind, **more)
        assert answer.status == 200
        assert answer.headers["content-type"] == kind
        assert answer.text == ("" if kind == PROTOBUF else "{}")
        clock[0] += SILENT
        build_runs(served.ws.context)
        [record] = served.ws.runs()
        assert (record.run.message, record.run.model) == ("Fix the login test", "m1")


def as_otlp_json(request: ExportTraceServiceRequest) -> object:
    """The request in OTLP/JSON, in which ids are hexadecimal."""
    found = MessageToDict(request)
    for group in found["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for span in scope["spans"]:
                for key in ("traceId", "spanId", "parentSpanId"):
                    if key in span:
                        span[key] = b64decode(span[key]).hex()
    return found


def test_our_reader_finds_what_the_protobuf_library_finds() -> None:
    request = encode_spans([*spans_of_work(), *spans_of_work("naïve ünïcode 日本")])
    assert list(spans_in(decode_traces(request.SerializeToString()))) == list(spans_in(as_otlp_json(request)))


def reason_of(raw: bytes) -> str:
    """Why bytes cannot be read; empty: they can."""
    try:
        list(spans_in(decode_traces(raw)))
    except ValueError as error:
        return str(error)
    return ""


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    assert reason_of(raw)[:12] in ("", "not readable")


@given(st.integers(0, 600))
def test_a_request_that_is_cut_anywhere_is_read_or_refused(at: int) -> None:
    assert reason_of(WHOLE[:at])[:12] in ("", "not readable")


WHOLE = encode_spans(spans_of_work()).SerializeToString()


def test_nesting_and_tiny_fields_are_bounded() -> None:
    deep = b""
    for _ in range(200):
        deep = b"\x2a" + _size(len(deep) + 1 + len(_size(len(deep)))) + b"\x0a" + _size(len(deep)) + deep
    pair = b"\x0a\x01k\x12" + _size(len(deep)) + deep
    with pytest.raises(ValueError, match="not readable"):
        decode_traces(_inside(pair))
    with pytest.raises(ValueError, match="smaller batches"):
        decode_traces(b"\x0a\x00" * 1001, most=1000)


def _inside(pair: bytes) -> bytes:
    resource = b"\x0a" + _size(len(pair)) + pair
    group = b"\x0a" + _size(len(resource)) + resource
    return b"\x0a" + _size(len(group)) + group


def _size(number: int) -> bytes:
    head = bytearray()
    while number > 0x7F:
        head.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(head) + bytes([number])


def test_spans_in_pieces_late_ones_and_the_same_twice_make_one_run(tmp_path: Path) -> None:
    clock = [datetime(2026, 1, 5, 12, tzinfo=UTC)]
    ws = open_at(tmp_path, clock)
    chat, tool, agent = spans_of_work()
    keep(ws, [chat])
    clock[0] += timedelta(minutes=5)
    assert build_runs(ws.context) == 0  # its agent still works
    keep(ws, [agent, agent])
    clock[0] += SILENT
    assert build_runs(ws.context) == 1
    assert [len(one.run.tools) for one in ws.runs()] == [0]
    keep(ws, [tool])
    clock[0] += SILENT
    assert build_runs(ws.context) == 1
    [record] = ws.runs()
    assert [one.name for one in record.run.tools] == ["Bash"]
    assert record.revision == 2
    assert build_runs(ws.context) == 0
    clock[0] += timedelta(hours=2)
    forget_old_spans(ws.context)
    with ws.context.store.read() as transaction:
        assert transaction.all("SELECT count(*) FROM trace_spans") == [(0,)]
        assert transaction.all("SELECT count(*) FROM traces") == [(0,)]
    ws.close()


def test_a_trace_whose_agent_died_is_a_run_after_a_while(tmp_path: Path) -> None:
    clock = [datetime(2026, 1, 5, 12, tzinfo=UTC)]
    ws = open_at(tmp_path, clock)
    keep(ws, spans_of_work()[:1])
    clock[0] += ROOTLESS
    assert build_runs(ws.context) == 1
    assert len(ws.runs()) == 1
    ws.close()


def test_a_run_that_is_removed_takes_its_spans_with_it(tmp_path: Path) -> None:
    clock = [datetime(2026, 1, 5, 12, tzinfo=UTC)]
    ws = open_at(tmp_path, clock)
    keep(ws, spans_of_work())
    clock[0] += SILENT
    build_runs(ws.context)
    list(remove_runs(ws.context, [ws.runs()[0].id], reason="private"))
    with ws.context.store.read() as transaction:
        assert transaction.all("SELECT count(*) FROM trace_spans") == [(0,)]
    ws.close()


def test_broken_traces_are_refused_as_otlp_wants_it(team: Served) -> None:
    for body in (b"\xff", b"{", b"\x0a\xff\xff\xff\xff\x0f", b"[" * 50_000):
        answer = team.send("/v1/traces", body, "application/json")
        assert answer.status == 400
        assert "not" in answer.json["message"]
        if body[:1] != b"[":  # a long list of unknown fields is a request without spans
            answer = team.send("/v1/traces", body, PROTOBUF)
            assert (answer.status, answer.headers["content-type"]) == (400, PROTOBUF)
            assert "protobuf" in answer.text
    assert team.send("/v1/traces", b"{}", "text/plain").status == 415
