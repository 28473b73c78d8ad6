"""Connections that end at a moment: no server can stretch a call by sending one byte at a time.

`httpcore2` hands its `timeout` numbers down to the network unseen and measures each read anew. Here the number is not a
length of time but the moment of the clock at which the call must be over, so every read gets only what is left.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import httpcore2

from metier.models.http.one_response import is_one_response

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable

PIECE = 64 * 1024
"""Bytes written between two looks at the clock."""


class OpenSockets:
    """The sockets in use, so that those who wait for them can be woken."""

    def __init__(self) -> None:
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._lock = threading.Lock()

    def add(self, one: socket.socket) -> None:
        """Remember a socket for as long as anybody uses it."""
        with self._lock:
            self._sockets.add(one)

    def shut_down(self) -> None:
        """Hang up on every socket: a thread that waits for one wakes, as if the server had gone."""
        with self._lock:
            sockets = list(self._sockets)
        for one in sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class DeadlineStream(httpcore2.NetworkStream):
    """A connection whose every operation ends at the given moment."""

    def __init__(self, inner: httpcore2.NetworkStream, clock: Callable[[], float], opened: OpenSockets) -> None:
        self.inner = inner
        self.clock = clock
        self.opened = opened
        self._received = bytearray()
        """What came in since something was sent."""
        self._is_clean: bool | None = None
        """Whether that is one response and nothing more; None: nobody has looked yet."""
        opened.add(inner.get_extra_info("socket"))

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has arrived, at most `max_bytes`."""
        data = self.inner.read(max_bytes, timeout=self._left(timeout, httpcore2.ReadTimeout))
        self._received += data
        self._is_clean = None
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        self._received.clear()
        for start in range(0, len(buffer), PIECE):
            self.inner.write(buffer[start : start + PIECE], timeout=self._left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        """End the connection."""
        self.inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """The same connection, encrypted."""
        left = self._left(timeout, httpcore2.ConnectTimeout)
        return DeadlineStream(self.inner.start_tls(ssl_context, server_hostname, left), self.clock, self.opened)

    def get_extra_info(self, info: str) -> Any:
        """What the connection below knows of itself.

        The pool closes an idle connection that is readable. One on which more than a response came in counts as such:
        its bytes are already in the parser, and would be the answer to the next call.
        """
        if info == "is_readable" and not self._has_one_response():
            return True
        return self.inner.get_extra_info(info)

    def _has_one_response(self) -> bool:
        if self._is_clean is None:
            self._is_clean = is_one_response(self._received)
            self._received = bytearray()
        return self._is_clean

    def _left(self, deadline: float | None, error: type[httpcore2.TimeoutException]) -> float | None:
        return None if deadline is None else left_until(deadline, self.clock, error)


class DeadlineBackend(httpcore2.NetworkBackend):
    """Opens connections whose time limits are moments; the name look-up is limited, too."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.inner = httpcore2.SyncBackend()
        self.opened = OpenSockets()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """A connection to the first of the host's addresses that answers."""
        failed: Exception = httpcore2.ConnectError(f"{host} has no address")
        addresses = _addresses(host, port, self._left(timeout))
        for index, address in enumerate(addresses):
            left = self._left(timeout)
            share = None if left is None else left / (len(addresses) - index)  # a dead one must leave time for the next
            try:
                stream = self.inner.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
            else:
                return DeadlineStream(stream, self.clock, self.opened)
        raise failed

    def _left(self, deadline: float | None) -> float | None:
        return None if deadline is None else left_until(deadline, self.clock, httpcore2.ConnectTimeout)


def left_until(deadline: float, clock: Callable[[], float], error: type[httpcore2.TimeoutException]) -> float:
    """Seconds until the moment; the error when there are none."""
    left = deadline - clock()
    if left <= 0:
        raise error("the time limit has passed")
    return left


def _addresses(host: str, port: int, wait: float | None) -> list[str]:
    """The host's addresses; a resolver that hangs is left behind in its own thread."""
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    found: list[str] = []
    failed: list[OSError] = []

    def look_up() -> None:
        try:
            found.extend(str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            failed.append(error if isinstance(error, OSError) else OSError(str(error)))

    thread = threading.Thread(target=look_up, name=f"look up {host}", daemon=True)
    thread.start()
    thread.join(wait)
    if thread.is_alive():
        raise httpcore2.ConnectTimeout(f"looking up {host} takes too long")
    if failed:
        raise httpcore2.ConnectError(f"{host} cannot be looked up: {failed[0].strerror or failed[0]}")
    return list(dict.fromkeys(found))
