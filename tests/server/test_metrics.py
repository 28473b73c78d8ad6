"""What the server counts, as Prometheus and OpenTelemetry read it."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from metier.errors import ConfigError
from metier.server.metrics import KNOWN, Metrics
from metier.server.telemetry import MetricsPush
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from server_world import Served

LINE = re.compile(r'([a-z_]+)(\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})? (\S+)')


def test_prometheus_reads_every_line(team: Served) -> None:
    team.send("/v1/runs", b'{"message": "counted", "id": "m1"}')
    answer = team.ask("GET", "/metrics", team.bearer("metrics"))
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    names: set[str] = set()
    for line in answer.text.splitlines():
        if line.startswith("#"):
            assert line.split()[1] in ("HELP", "TYPE")
            names.add(line.split()[2])
        else:
            found = LINE.fullmatch(line)
            assert found, line
            float(found[3])
    assert names <= set(KNOWN)
    assert 'metier_runs_total{how="new"} ' in answer.text
    assert 'metier_requests_total{method="POST",route="/v1/runs",status="200"} ' in answer.text
    assert 'metier_commit_seconds_bucket{le="+Inf"} ' in answer.text
    with team.ws.context.store.read() as transaction:
        counted = float(answer.text.partition("\nmetier_runs ")[2].partition("\n")[0])
        assert 8 <= counted <= runs.count(transaction)  # counted within the last minute


def test_labels_cannot_break_out_of_their_line() -> None:
    metrics = Metrics()
    metrics.count("metier_runs_total", how='a"b\\c\nd 1')
    [line] = [one for one in metrics.prometheus().splitlines() if one.startswith("metier_runs_total{")]
    assert LINE.fullmatch(line)
    with pytest.raises(KeyError):
        metrics.count("metier_never_declared")


class Collector(BaseHTTPRequestHandler):
    """A collector that keeps what it is sent."""

    got: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        self.got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def test_metrics_reach_a_collector_in_its_own_format() -> None:
    kind = type("Kept", (Collector,), {"got": []})
    with HTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        metrics = Metrics()
        metrics.count("metier_runs_total", 3, how="new")
        metrics.observe("metier_commit_seconds", 0.03)
        push = MetricsPush(metrics, f"http://127.0.0.1:{server.server_port}")
        assert push.push()
        server.shutdown()
        thread.join(10)
    path, body = kind.got[0]
    assert path == "/v1/metrics"
    request = ParseDict(json.loads(body), ExportMetricsServiceRequest())
    found = {one.name: one for one in request.resource_metrics[0].scope_metrics[0].metrics}
    assert found["metier_runs_total"].sum.data_points[0].as_int == 3
    assert found["metier_runs_total"].sum.is_monotonic
    assert found["metier_commit_seconds"].histogram.data_points[0].count == 1
    assert found["metier_up_seconds"].gauge.data_points[0].as_double >= 0
    assert not push.push()  # it is gone: no error, the next push tries again


def test_a_collector_without_an_address_is_refused() -> None:
    for url in ("collector:4318", "ftp://x", ""):
        with pytest.raises(ConfigError, match="--otel"):
            MetricsPush(Metrics(), url)
