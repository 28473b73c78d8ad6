"""Run the dashboard: a port on loopback, one server for each workspace, a link that opens once."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import socket
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from metier.errors import UsageError
from metier.web.access import Access
from metier.web.app import build_app
from metier.web.dashboard import Dashboard, SlowFigures
from metier.web.guard import FORM_TOKEN, PATIENCE
from metier.web.live import Live
from metier.web.shelf import SkillShelf

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from metier.workspace import Workspace

HOST = "127.0.0.1"
PORT, TRIES = 7341, 20
"""The usual port, and how many ports from there on are tried."""
CONNECTIONS = 64
"""Connections at once; a browser needs six."""
FILE = "dashboard.json"
SWITCH = 0.0005
"""Seconds after which a thread that counts something lets those that answer go on."""


class PatientProtocol(H11Protocol):
    """HTTP that drops a connection whose request does not arrive in time."""

    patience = PATIENCE
    """Seconds."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._deadline = asyncio.get_running_loop().call_later(self.patience, self._drop_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._deadline.cancel()
        super().connection_lost(exc)

    def _drop_idle(self) -> None:
        if self.cycle is None and not self.transport.is_closing():  # pyright: ignore[reportUnnecessaryComparison]
            self.transport.close()


def open_port(port: int | None) -> socket.socket:
    """A listening socket on loopback: the port that was asked for, or the first free one from the usual one on."""
    wanted = [port] if port is not None else [*range(PORT, PORT + TRIES), 0]
    for one in wanted:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else answers wait 40 ms
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, one))
            listening.listen(CONNECTIONS)
        except OSError:
            listening.close()
        else:
            return listening
    raise UsageError(f"Port {port} is taken. Choose another one, or leave --port out.")


def build_dashboard(ws: Workspace, port: int) -> Dashboard:
    """A dashboard of a workspace for a port; it is not served yet."""
    live = Live(ws)
    figures, shelf = SlowFigures(live.figures_changed), SkillShelf(ws)
    return Dashboard(ws=ws, access=Access(port), live=live, figures=figures, shelf=shelf)


def serve(board: Dashboard, listening: socket.socket, server: uvicorn.Server | None = None) -> None:
    """Answer until the process is told to stop."""
    sys.setswitchinterval(SWITCH)
    with _noted(board):
        (server or server_of(board)).run(sockets=[listening])


def server_of(board: Dashboard, protocol: type[PatientProtocol] = PatientProtocol) -> uvicorn.Server:
    """The server of a dashboard; it logs no request, for an address may be a link."""
    settings = uvicorn.Config(
        cast("Any", build_app(board)),
        http=protocol,
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(settings)


def link_of_running(state: Path) -> str:
    """A new link to the dashboard that runs for this workspace already; empty: none runs."""
    try:
        noted = json.loads((state / FILE).read_text(encoding="utf-8"))
        access = Access(int(noted["port"]), str(noted["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    connection = http.client.HTTPConnection(HOST, access.port, timeout=5)
    headers = {
        "Content-Type": "application/json",
        "Cookie": f"{access.cookie}={access.token}",
        "Sec-Fetch-Site": "same-origin",
        FORM_TOKEN: access.form_token,
    }
    try:
        connection.request("POST", "/link", "{}", headers)
        answer = connection.getresponse()
        link = json.loads(answer.read(10_000))["link"] if answer.status == 200 else ""
    except (OSError, ValueError, KeyError, http.client.HTTPException):
        return ""
    finally:
        connection.close()
    return link if isinstance(link, str) and link.startswith(access.origin) else ""


@contextmanager
def _noted(board: Dashboard) -> Generator[None]:
    """Write down where the dashboard is, for its owner alone, as long as it runs."""
    file = board.ws.state / FILE
    text = json.dumps({"port": board.access.port, "token": board.access.token})
    with suppress(OSError):  # then only a second `metier ui` is less helpful
        write_private(file, text)
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            if file.read_text(encoding="utf-8") == text:
                file.unlink()


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner can read; one that is there is replaced."""
    file.unlink(missing_ok=True)
    made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(made, "w", encoding="utf-8") as stream:
        stream.write(text)
