"""What the tests of the server share: a workspace served for real on a port, with a token of each role."""

from __future__ import annotations

import http.client
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dashboard_world import Answer

from metier.server.binding import Binding, ServeOptions, checked_binding, open_socket
from metier.server.issued_tokens import add_token
from metier.server.launch import ServerParts, build_server, server_of
from metier.server.roles import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.workspace import Workspace

LOOPBACK = ServeOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A server on a port, and how programs talk to it."""

    ws: Workspace
    parts: ServerParts
    binding: Binding
    tokens: Mapping[str, str]
    """A token of each role."""

    def ask(
        self, method: str, path: str, headers: Sequence[tuple[str, str]] = (), body: bytes = b"", host: str = ""
    ) -> Answer:
        """Send exactly these headers, and the host."""
        connection = http.client.HTTPConnection("127.0.0.1", self.binding.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", host or self.binding.netloc)
            for name, value in headers:
                connection.putheader(name, value)
            if method == "POST" and not any(name.lower() == "content-length" for name, _ in headers):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            got = connection.getresponse()
            streams = got.getheader("content-type", "").startswith("text/event-stream")
            text = "" if streams else got.read().decode("utf-8", "replace")
            return Answer(status=got.status, headers={k.lower(): v for k, v in got.getheaders()}, text=text)
        finally:
            connection.close()

    def send(self, path: str, body: bytes, kind: str = "application/json", role: str = "record", **more: str) -> Answer:
        """Post a body as a program of a role does."""
        extra = [(name.replace("_", "-"), value) for name, value in more.items()]
        return self.ask("POST", path, [*self.bearer(role), ("Content-Type", kind), *extra], body)

    def bearer(self, role: str) -> list[tuple[str, str]]:
        """The header of a program with a role."""
        return [("Authorization", f"Bearer {self.tokens[role]}")]

    def sign_in(self, role: str) -> str:
        """The cookie of a person with a role."""
        body = f"token={self.tokens[role]}".encode()
        answer = self.ask("POST", "/signin", [("Origin", self.binding.origin)], body)
        assert answer.status == 303, answer.text
        return answer.headers["set-cookie"].partition(";")[0]


@contextmanager
def serve_workspace(ws: Workspace, asked: ServeOptions = LOOPBACK) -> Iterator[Served]:
    """The server of a workspace on a free port, in a thread of its own."""
    tokens = {role: add_token(ws.context, f"test {role}", role).text for role in ROLES}
    listening = open_socket(checked_binding(replace(asked, port=0), has_roles=True))
    binding = checked_binding(replace(asked, port=listening.getsockname()[1]), has_roles=True)
    parts = build_server(ws, binding)
    server = server_of(parts, binding)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="server")
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started and thread.is_alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        yield Served(ws=ws, parts=parts, binding=binding, tokens=tokens)
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
        ws.close()
    assert not thread.is_alive()
