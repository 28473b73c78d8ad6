"""Run the server: the application with everything that works beside it, until the process is told to stop."""

from __future__ import annotations

import sys
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from starlette.concurrency import run_in_threadpool

from metier.errors import StoreError
from metier.server import endpoints
from metier.server.endpoints import Inlet
from metier.server.intake import Intake
from metier.server.issued_tokens import TokenCheck
from metier.server.key import server_key
from metier.server.metrics import Metrics
from metier.server.role_gate import RoleGate
from metier.server.telemetry import MetricsPush
from metier.server.traces import TraceBuilder
from metier.server.visitors import SignIn
from metier.store.tables.runs import runs
from metier.store.tables.server import trace_spans
from metier.web.app import pages_app, run_dashboard
from metier.web.serve import SWITCH, PatientProtocol, build_dashboard

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncGenerator, Callable

    from starlette.applications import Starlette

    from metier.server.binding import Binding
    from metier.store.engines.engine import Transaction
    from metier.workspace import Workspace

CONNECTIONS = 1024
"""Connections at once; beyond that they are turned away."""
COUNTED = 60.0
"""Seconds for which a count of the store stands: it goes through all its runs."""
GRACE = 15
"""Seconds for requests under way when the server ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerParts:
    """A server's application and what works beside it."""

    gate: RoleGate
    metrics: Metrics
    intake: Intake


def build_server(ws: Workspace, binding: Binding, *, otel: str = "") -> ServerParts:
    """The server of a workspace; it does not run yet. `otel`: where metrics are pushed to, if anywhere."""
    metrics = _metrics(ws)
    intake, builder = Intake(ws.context, metrics), TraceBuilder(ws.context, metrics)
    beside = [intake, builder, *([MetricsPush(metrics, otel)] if otel else [])]
    app = pages_app(build_dashboard(ws, binding.port), endpoints.ROUTES, lifespan=_lifespan(beside))
    app.state.inlet = Inlet(ctx=ws.context, intake=intake, metrics=metrics)
    sign_in = SignIn(
        key=server_key(ws.context),
        tokens=TokenCheck(ws.context),
        clock=ws.context.clock,
        secure=binding.is_secure,
        port=binding.port,
    )
    gate = RoleGate(app=app, binding=binding, sign_in=sign_in, metrics=metrics)
    return ServerParts(gate=gate, metrics=metrics, intake=intake)


def server_of(parts: ServerParts, binding: Binding) -> uvicorn.Server:
    """The HTTP server; it logs no request."""
    settings = uvicorn.Config(
        cast("Any", parts.gate),
        http=PatientProtocol,
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=binding.cert or None,
        ssl_keyfile=binding.key or None,
    )
    return uvicorn.Server(settings)


def serve(ws: Workspace, binding: Binding, listening: socket.socket, *, otel: str = "") -> None:
    """Answer until the process is told to stop."""
    sys.setswitchinterval(SWITCH)
    server_of(build_server(ws, binding, otel=otel), binding).run(sockets=[listening])


def _lifespan(beside: list[Intake | TraceBuilder | MetricsPush]) -> Callable[[Starlette], Any]:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with run_dashboard(app):
            for one in beside:
                one.start()
            try:
                yield
            finally:
                for one in beside:
                    await run_in_threadpool(one.close)

    return lifespan


def _metrics(ws: Workspace) -> Metrics:
    """Metrics whose gauges look at the store."""
    found = Metrics()

    def read(count: Callable[[Transaction], int]) -> Callable[[], float | None]:
        known: list[tuple[float, int]] = []

        def look() -> float | None:
            if known and time.monotonic() - known[-1][0] < COUNTED:
                return known[-1][1]
            try:
                with ws.context.store.read() as transaction:
                    known[:] = [(time.monotonic(), count(transaction))]
            except StoreError:
                return None
            return known[-1][1]

        return look

    found.gauge("metier_runs", read(runs.count))
    found.gauge("metier_open_traces", read(trace_spans.count_open))
    found.gauge("metier_store_bytes", ws.context.store.size)
    return found
