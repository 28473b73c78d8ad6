"""A model server on this machine that behaves, or misbehaves, as told: real sockets, one thread a connection."""

from __future__ import annotations

import json
import socket
import struct
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    Act = Callable[["Handler"], None]

DATE = "Mon, 05 Jan 2026 12:00:00 GMT"


@dataclass(frozen=True)
class Seen:
    """A request that arrived."""

    path: str
    headers: dict[str, str]
    body: bytes
    port: int = 0
    """The client's: another one is another connection."""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Handler(BaseHTTPRequestHandler):
    """Takes a request and does the server's next act."""

    protocol_version = "HTTP/1.1"
    server: Loopback
    asked: Seen

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked = Seen(self.path, headers, body, self.client_address[1])
        self.server.next_act(self.asked)(self)

    def send(self, raw: bytes) -> None:
        try:
            self.wfile.write(raw)
            self.wfile.flush()
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


class Loopback(ThreadingHTTPServer):
    """The server; its acts are done in order, the last one again and again."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *acts: Act, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tls = tls
        self.acts = list(acts)
        self.seen: list[Seen] = []
        self.over = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def next_act(self, seen: Seen) -> Act:
        with self.lock:
            self.seen.append(seen)
            return self.acts[min(len(self.seen), len(self.acts)) - 1]

    def __enter__(self) -> Loopback:
        threading.Thread(target=lambda: self.serve_forever(poll_interval=0.01), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.shutdown()
        self.server_close()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the connection's own thread: one that never does would hold up the server, and its end."""
        if self.tls is None:
            super().finish_request(request, client_address)
            return
        request.settimeout(30)
        with self.tls.wrap_socket(request, server_side=True) as secure:
            secure.settimeout(None)
            super().finish_request(secure, client_address)

    def handle_error(self, *_: object) -> None:
        pass


def answers(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Act:
    """A well-formed response holding JSON, or the given bytes."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    lines = [f"HTTP/1.1 {status} Whatever", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {text}" for name, text in ({"Date": DATE} | (headers or {})).items()]
    return raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def raw(data: bytes, *, close: bool = False) -> Act:
    """Bytes as they are, whether they are HTTP or not."""

    def act(handler: Handler) -> None:
        handler.send(data)
        handler.close_connection = handler.close_connection or close

    return act


def hangs(handler: Handler) -> None:
    """Nothing at all, until the test is over."""
    handler.server.over.wait(30)
    handler.close_connection = True


def trickles(before: bytes, piece: bytes, pause: float = 0.02) -> Act:
    """Some bytes, then a piece again and again, slowly: each read succeeds, the answer never ends."""

    def act(handler: Handler) -> None:
        handler.send(before)
        while not handler.close_connection and not handler.server.over.wait(pause):
            handler.send(piece)

    return act


def floods(handler: Handler) -> None:
    """A body that never ends, as fast as it goes."""
    handler.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not handler.close_connection and not handler.server.over.is_set():
        handler.send(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")


def resets(handler: Handler) -> None:
    """The connection is cut off, not closed."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True
    raise ConnectionResetError


def completion(text: object, **more: object) -> dict[str, object]:
    """What an OpenAI-compatible server answers."""
    content = text if isinstance(text, str) or text is None else json.dumps(text)
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    usage = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
    return {"id": "x", "object": "chat.completion", "model": "served", "choices": [choice], "usage": usage} | more


def message(text: object, **more: object) -> dict[str, object]:
    """What Anthropic's server answers."""
    content = [{"type": "text", "text": text if isinstance(text, str) else json.dumps(text)}]
    usage = {"input_tokens": 12, "output_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": None}
    return {"type": "message", "model": "served", "content": content, "stop_reason": "end_turn", "usage": usage} | more


def embeddings(*vectors: list[float]) -> dict[str, object]:
    """What an OpenAI-compatible server answers to texts."""
    data = [{"object": "embedding", "index": index, "embedding": one} for index, one in enumerate(vectors)]
    return {"object": "list", "data": data, "model": "served", "usage": {"prompt_tokens": 4, "total_tokens": 4}}
