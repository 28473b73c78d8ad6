"""One HTTP exchange over a pooled connection, within a time limit and a size limit."""

from __future__ import annotations

import ssl
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpcore2

from tacit.errors import ConfigError
from tacit.models.deadline import DeadlineBackend
from tacit.models.failures import Malformed, Refused, TimedOut, Unreachable, short
from tacit.models.proxy import proxy_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tacit.models.failures import Failure
    from tacit.models.proxy import Proxy

IDLE = 30.0
"""Seconds an unused connection is kept."""
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
        self.scheme, self.host, self.port = parts.scheme.encode(), (parts.hostname or "").encode(), parts.port
        self.path = parts.path.rstrip("/")
        self.host_header = (b"host", parts.netloc.encode())
        self.backend = DeadlineBackend(clock)
        context = _context(environ) if base_url.startswith("https:") else None
        proxy = proxy_for(base_url, environ)
        self._open = lambda: _pool(context, proxy, self.backend)
        self._pools: list[httpcore2.ConnectionPool] = [self._open()]
        self._free = list(self._pools)
        """Pools of one connection each: one that all threads share looks through all connections at every call."""
        self._lock = threading.Lock()
        self.closed = False

    def post(self, path: str, headers: list[tuple[bytes, bytes]], body: bytes, deadline: float) -> Answer | Failure:
        """Send a body and read what comes back, all before the deadline."""
        url = httpcore2.URL(scheme=self.scheme, host=self.host, port=self.port, target=(self.path + path).encode())
        left = deadline - self.clock()
        if self.closed:
            return CLOSED
        if left <= 0:
            return TimedOut(reason="no time was left to ask")
        length = (b"content-length", b"%d" % len(body))
        times = {"connect": deadline, "read": deadline, "write": deadline, "pool": left}
        pool = self._borrowed()
        try:
            with pool.stream(
                "POST",
                url,
                headers=[self.host_header, *headers, length],
                content=body,
                extensions={"timeout": times},
            ) as response:
                return self._read(response)
        except (
            httpcore2.TimeoutException,
            httpcore2.NetworkError,
            httpcore2.ProtocolError,
            httpcore2.ProxyError,
            httpcore2.UnsupportedProtocol,
        ) as error:
            return CLOSED if self.closed else _translated(error)
        finally:
            with self._lock:
                self._free.append(pool)

    def close(self) -> None:
        """End all connections, and with them the calls under way."""
        self.closed = True
        self.backend.opened.cut()
        with self._lock:
            pools = list(self._pools)
        for pool in pools:
            pool.close()

    def _borrowed(self) -> httpcore2.ConnectionPool:
        """A pool that nobody uses, the last one given back first: its connection is the warmest."""
        with self._lock:
            if self._free:
                return self._free.pop()
            pool = self._open()
            self._pools.append(pool)
            return pool

    def _read(self, response: httpcore2.Response) -> Answer | Failure:
        parts: list[bytes] = []
        size = 0
        for part in response.iter_stream():
            parts.append(part)
            size += len(part)
            if size > self.largest:
                return Malformed(reason=f"the answer is longer than {self.largest} bytes; it was not read", billed=True)
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        return Answer(status=response.status, headers=headers, body=b"".join(parts))


def _pool(context: ssl.SSLContext | None, proxy: Proxy | None, backend: DeadlineBackend) -> httpcore2.ConnectionPool:
    if proxy is None:
        return httpcore2.ConnectionPool(
            ssl_context=context, max_connections=1, keepalive_expiry=IDLE, network_backend=backend
        )
    return httpcore2.HTTPProxy(
        proxy.url,
        proxy_auth=proxy.login,
        ssl_context=context,
        max_connections=1,
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
