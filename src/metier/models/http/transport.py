"""One HTTP exchange over a pooled connection, directly or through a proxy, within a time limit and a size limit."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import httpcore2

from metier.errors import ConfigError
from metier.models.failures import Malformed, Refused, TimedOut, Unreachable, one_line
from metier.models.http.deadline import DeadlineBackend

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metier.models.failures import Failure
IDLE = 30.0
"""Seconds for which an unused connection is kept open."""
PROXIED = 64
"""Connections through a proxy at the same time; further calls wait for a free one."""
LARGEST = 8 * 1024 * 1024
"""Bytes of a response; a longer one is not read."""
CLOSED = Refused(reason="the model was closed", billed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """The address of a proxy, and its login if it wants one."""

    url: str
    login: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
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
        self._pool = _pool(context, proxy_for(base_url, environ), self.backend)
        self.closed = False

    def post(self, path: str, headers: list[tuple[bytes, bytes]], body: bytes, deadline: float) -> HttpAnswer | Failure:
        """Send a body and read what comes back, all before the deadline."""
        left = deadline - self.clock()
        if self.closed:
            return CLOSED
        if left <= 0:
            return TimedOut(reason="no time was left to ask")
        sent = [self.host_header, *headers, (b"content-length", b"%d" % len(body))]
        try:
            return self._exchange((self.path + path).encode(), sent, body, deadline)
        except _TooLongError:
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
        self.backend.opened.shut_down()
        self._pool.close()

    def _exchange(self, target: bytes, headers: list[tuple[bytes, bytes]], body: bytes, deadline: float) -> HttpAnswer:
        """Send the request and read the whole answer; raises what httpcore2 raises."""
        url = httpcore2.URL(scheme=self.scheme.encode(), host=self.host.encode(), port=self.port, target=target)
        times = {"connect": deadline, "read": deadline, "write": deadline, "pool": deadline - self.clock()}
        with self._pool.stream("POST", url, headers=headers, content=body, extensions={"timeout": times}) as response:
            content = bytearray()
            for part in response.iter_stream():
                content += part
                if len(content) > self.largest:
                    raise _TooLongError
        found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        return HttpAnswer(status=response.status, headers=found, body=bytes(content))


class _TooLongError(Exception):
    """The answer is longer than the size limit."""


def _pool(context: ssl.SSLContext | None, proxy: Proxy | None, backend: DeadlineBackend) -> httpcore2.ConnectionPool:
    return httpcore2.ConnectionPool(
        ssl_context=context,
        proxy=httpcore2.Proxy(proxy.url, auth=proxy.login) if proxy else None,
        max_connections=PROXIED if proxy else None,
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
    said = one_line(str(error)) or type(error).__name__
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


def proxy_for(url: str, environ: Mapping[str, str]) -> Proxy | None:
    """The proxy for an address, from HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY in either case."""
    parts = urlsplit(url)
    given = _variable(environ, f"{parts.scheme}_proxy") or _variable(environ, "all_proxy")
    if not given or _is_direct(parts.hostname or "", _variable(environ, "no_proxy")):
        return None
    proxy = urlsplit(given if "://" in given else f"http://{given}")
    if proxy.scheme not in ("http", "https") or not proxy.hostname:
        raise ConfigError(f"The proxy for {parts.hostname} must be an http:// address: check {parts.scheme}_proxy.")
    login = (unquote(proxy.username), unquote(proxy.password or "")) if proxy.username else None
    host = f"[{proxy.hostname}]" if ":" in proxy.hostname else proxy.hostname
    return Proxy(url=f"{proxy.scheme}://{host}:{proxy.port or 80}", login=login)


def _variable(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _is_direct(host: str, exceptions: str) -> bool:
    """Whether a host is reached without the proxy: named by NO_PROXY, or this machine."""
    if host in ("localhost", "::1") or host.startswith("127."):
        return True
    for entry in exceptions.lower().split(","):
        name = entry.strip().lstrip(".")
        if name and (name == "*" or host == name or host.endswith(f".{name}")):
            return True
    return False
