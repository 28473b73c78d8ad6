"""One HTTP exchange over a pooled connection, within a time limit and a size limit."""

from __future__ import annotations

import ssl
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import httpcore2

from metier.errors import ConfigError
from metier.models.failures import Malformed, Refused, TimedOut, Unreachable, short
from metier.models.http.deadline import DeadlineBackend
from metier.models.http.proxy import proxy_for
from metier.models.line import IDLE, PORTS, Line, TooLongError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metier.models.failures import Failure
    from metier.models.http.proxy import Proxy

CONNECTIONS = 64
"""The most a proxy is asked for at once."""
LARGEST = 8 * 1024 * 1024
"""Bytes of a response; a longer one is not read."""
CLOSED = Refused(reason="the model was closed", billed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a server sent: its status, headers in lower case, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Posts to one server; safe for many threads, follows no redirect."""

    def __init__(
        self, base_url: str, environ: Mapping[str, str], clock: Callable[[], float], largest: int = LARGEST
    ) -> None:
        parts = urlsplit(base_url)
        self.clock = clock
        self.largest = largest
        self.scheme, self.host, self.port = parts.scheme, parts.hostname or "", parts.port
        self.path = parts.path.rstrip("/")
        self.host_header = (b"host", parts.netloc.rpartition("@")[2].encode())
        self.backend = DeadlineBackend(clock)
        context = _context(environ) if self.scheme == "https" else None
        proxy = proxy_for(base_url, environ)
        self._proxied = _pool(context, proxy, self.backend) if proxy else None
        address = (self.host, self.port or PORTS.get(self.scheme, 0))
        self._open = lambda: Line(address, context, self.backend, largest)
        self._lines: list[Line] = []
        self._free: list[Line] = []
        self._lock = threading.Lock()
        self.closed = False

    def post(self, path: str, headers: list[tuple[bytes, bytes]], body: bytes, deadline: float) -> Answer | Failure:
        """Send a body and read what comes back, all before the deadline."""
        left = deadline - self.clock()
        if self.closed:
            return CLOSED
        if left <= 0:
            return TimedOut(reason="no time was left to ask")
        sent = [self.host_header, *headers, (b"content-length", b"%d" % len(body))]
        speak = self._direct if self._proxied is None else self._through
        try:
            return speak((self.path + path).encode(), sent, body, deadline)
        except TooLongError:
            return Malformed(reason=f"the answer is longer than {self.largest} bytes; it was not read", billed=True)
        except (
            httpcore2.TimeoutException,
            httpcore2.NetworkError,
            httpcore2.ProtocolError,
            httpcore2.ProxyError,
            httpcore2.UnsupportedProtocol,
        ) as error:
            return CLOSED if self.closed else _translated(error)

    def close(self) -> None:
        """End all connections, and with them the calls under way."""
        self.closed = True
        self.backend.opened.cut()
        with self._lock:
            lines = list(self._lines)
        for line in lines:
            line.close()
        if self._proxied is not None:
            self._proxied.close()

    def _direct(self, target: bytes, headers: list[tuple[bytes, bytes]], body: bytes, deadline: float) -> Answer:
        """Over a line that nobody uses, the last one given back first: it is the warmest."""
        with self._lock:
            line = self._free.pop() if self._free else None
            if line is None:
                line = self._open()
                self._lines.append(line)
        try:
            head = b"".join([b"POST ", target, b" HTTP/1.1\r\n", *(b"%s: %s\r\n" % one for one in headers), b"\r\n"])
            status, found, content = line.exchange(head + body, deadline)
        finally:
            with self._lock:
                self._free.append(line)
        return Answer(status=status, headers={name.lower(): value for name, value in found}, body=content)

    def _through(self, target: bytes, headers: list[tuple[bytes, bytes]], body: bytes, deadline: float) -> Answer:
        """Through the proxy."""
        pool = cast("httpcore2.ConnectionPool", self._proxied)
        url = httpcore2.URL(scheme=self.scheme.encode(), host=self.host.encode(), port=self.port, target=target)
        times = {"connect": deadline, "read": deadline, "write": deadline, "pool": deadline - self.clock()}
        with pool.stream("POST", url, headers=headers, content=body, extensions={"timeout": times}) as response:
            parts: list[bytes] = []
            for part in response.iter_stream():
                parts.append(part)
                if sum(map(len, parts)) > self.largest:
                    raise TooLongError
        found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        return Answer(status=response.status, headers=found, body=b"".join(parts))


def _pool(context: ssl.SSLContext | None, proxy: Proxy, backend: DeadlineBackend) -> httpcore2.ConnectionPool:
    return httpcore2.HTTPProxy(
        proxy.url,
        proxy_auth=proxy.login,
        ssl_context=context,
        max_connections=CONNECTIONS,
        keepalive_expiry=IDLE,
        network_backend=backend,
    )


def _context(environ: Mapping[str, str]) -> ssl.SSLContext:
    """The certificates to trust: the system's, or those of SSL_CERT_FILE."""
    file = environ.get("SSL_CERT_FILE", "")
    try:
        return ssl.create_default_context(cafile=file) if file else httpcore2.default_ssl_context()
    except OSError as error:
        raise ConfigError(f"SSL_CERT_FILE names no file of certificates: {error}.") from None


def _translated(error: Exception) -> Failure:
    """Our word for what the network did; foreign errors end here."""
    said = short(str(error)) or type(error).__name__
    match error:
        case httpcore2.ConnectTimeout() | httpcore2.PoolTimeout():
            return TimedOut(reason=f"no connection within the time limit ({said})")
        case httpcore2.TimeoutException():
            return TimedOut(reason="no whole answer within the time limit", billed=True)
        case httpcore2.ConnectError() | httpcore2.ProxyError():
            return Unreachable(reason=f"cannot connect: {said}")
        case httpcore2.LocalProtocolError() | httpcore2.UnsupportedProtocol():
            return Refused(reason=f"the request cannot be sent: {said}")
        case httpcore2.RemoteProtocolError():
            return Unreachable(reason=f"the server broke off or spoke no HTTP: {said}", billed=True)
        case _:
            return Unreachable(reason=f"the connection broke: {said}", billed=True)
