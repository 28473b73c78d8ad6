"""One connection to a server, spoken to directly: a request is one write, a response is read by the standard library.

A general client looks after many connections, protocols and streams at every call, which costs more than the call.
"""

from __future__ import annotations

import io
import re
import socket
from http.client import HTTPException, HTTPResponse
from struct import pack
from typing import TYPE_CHECKING, Any, cast

import httpcore2

from metier.models.http.deadline import left_until

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from typing_extensions import Buffer

    from metier.models.http.deadline import DeadlineBackend

IDLE = 30.0
"""Seconds an unused connection is kept."""
BUSY = 0.2
"""Seconds after use within which nobody asks whether the server has hung up meanwhile."""
PIECE = 64 * 1024
PORTS = {"http": 80, "https": 443}


Got = tuple[int, list[tuple[str, str]], bytes]
"""Status, headers and body of a response."""
HEAD = re.compile(rb"HTTP/1\.1 ([2-5]\d\d)(?: [^\r\n]*)?\r\n((?:[!-9;-~]+:[^\r\n]*\r\n)+)\r\n")
"""The head of a response that anybody understands the same way."""


class TooLongError(Exception):
    """The response is longer than anybody wants to read."""


class Line:
    """A connection that is opened when it is needed, and kept for the next call if the server lets it."""

    def __init__(
        self, address: tuple[str, int], context: ssl.SSLContext | None, backend: DeadlineBackend, largest: int
    ) -> None:
        self._address = address
        self._context = context
        self._backend = backend
        self._largest = largest
        self._stream: httpcore2.NetworkStream | None = None
        self._used = 0.0

    def exchange(self, sent: bytes, deadline: float) -> Got:
        """Send a whole request; status, headers and body of the response. Raises what httpcore2 would."""
        stream = self._opened(deadline)
        try:
            stream.write(sent, timeout=deadline)
            first = stream.read(PIECE, timeout=deadline)
            answer, stays = simple(first, stream, deadline, self._largest) or _any(
                first, stream, deadline, self._largest
            )
        except HTTPException as error:
            self.close()
            raise httpcore2.RemoteProtocolError(f"{type(error).__name__}: {error}".rstrip(": ")) from None
        except BaseException:
            self.close()
            raise
        self._used = self._backend.clock()
        if not stays:
            self.close()
        return answer

    def close(self) -> None:
        """End the connection; the next call opens another."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def _opened(self, deadline: float) -> httpcore2.NetworkStream:
        """The kept connection, or a new one when it is old or the server has hung up."""
        kept, idle = self._stream, self._backend.clock() - self._used
        if kept is not None and idle < IDLE and (idle < BUSY or not kept.get_extra_info("is_readable")):
            return kept
        self.close()
        host, port = self._address
        stream = self._backend.connect_tcp(host, port, timeout=deadline)
        if self._context is None:
            self._stream = Plain(stream, self._backend.clock)
        else:
            self._stream = stream.start_tls(self._context, server_hostname=host, timeout=deadline)
        return self._stream


class Plain(httpcore2.NetworkStream):
    """A connection without encryption whose time limits are the system's, so that a read is one call."""

    def __init__(self, opened: httpcore2.NetworkStream, clock: Callable[[], float]) -> None:
        self._opened = opened
        self._clock = clock
        self._socket = cast("socket.socket", opened.get_extra_info("socket"))
        self._socket.settimeout(None)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has arrived, at most `max_bytes`."""
        self._limit(socket.SO_RCVTIMEO, timeout, httpcore2.ReadTimeout)
        try:
            return self._socket.recv(max_bytes)
        except BlockingIOError:
            raise httpcore2.ReadTimeout("the time limit has passed") from None
        except OSError as error:
            raise httpcore2.ReadError(str(error)) from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        try:
            for start in range(0, len(buffer), PIECE):
                self._limit(socket.SO_SNDTIMEO, timeout, httpcore2.WriteTimeout)
                self._socket.sendall(buffer[start : start + PIECE])
        except BlockingIOError:
            raise httpcore2.WriteTimeout("the time limit has passed") from None
        except OSError as error:
            raise httpcore2.WriteError(str(error)) from None

    def close(self) -> None:
        """End the connection."""
        self._opened.close()

    def get_extra_info(self, info: str) -> Any:
        """What the connection below knows of itself."""
        return self._opened.get_extra_info(info)

    def _limit(self, which: int, deadline: float | None, error: type[httpcore2.TimeoutException]) -> None:
        left = 0.0 if deadline is None else left_until(deadline, self._clock, error)
        whole = int(left)
        self._socket.setsockopt(socket.SOL_SOCKET, which, pack("ll", whole, int((left - whole) * 1e6) + 1))


def simple(first: bytes, stream: httpcore2.NetworkStream, deadline: float, largest: int) -> tuple[Got, bool] | None:
    """A response of the plainest form: a whole head, one length, nothing else to know; and if the line stays open."""
    head = HEAD.match(first)
    if head is None or head[1] in {b"204", b"304"}:
        return None
    lines = [line.partition(":") for line in head[2].decode("latin-1").splitlines()]
    headers = [(name.lower(), value.strip()) for name, _, value in lines]
    length = _length(headers)
    if length is None:
        return None
    if length > largest:
        raise TooLongError
    body = first[head.end() :]
    if len(body) < length:
        body += _rest(stream, deadline, length - len(body))
    stays = len(body) == length and not any(name == "connection" for name, _ in headers)
    return (int(head[1]), headers, body[:length]), stays


def _length(headers: list[tuple[str, str]]) -> int | None:
    """The length of the body, if it is said once and in no other way."""
    said = [value for name, value in headers if name in {"content-length", "transfer-encoding"}]
    return int(said[0]) if len(said) == 1 and said[0].isascii() and said[0].isdecimal() else None


def _rest(stream: httpcore2.NetworkStream, deadline: float, missing: int) -> bytes:
    """So many bytes more."""
    parts: list[bytes] = []
    while missing:
        part = stream.read(min(PIECE, missing), timeout=deadline)
        if not part:
            raise httpcore2.RemoteProtocolError("the server hung up in the middle of its answer")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _any(first: bytes, stream: httpcore2.NetworkStream, deadline: float, largest: int) -> tuple[Got, bool]:
    """A response of any form, as the standard library reads it."""
    with io.BufferedReader(_Reading(first, stream, deadline), PIECE) as reader:
        response = HTTPResponse(cast("socket.socket", _Socket(reader)), method="POST")
        response.begin()
        body = _whole(response, largest)
    return (response.status, response.getheaders(), body), not response.will_close


class _Reading(io.RawIOBase):
    """A stream as a file that is read until a moment, after what was read of it before."""

    def __init__(self, first: bytes, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._first = first
        self._ended = not first
        self._stream = stream
        self._deadline = deadline

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        """What has arrived; 0 at the end."""
        view = memoryview(buffer)
        if self._ended:
            return 0
        found, self._first = self._first[: len(view)], self._first[len(view) :]
        if not found:
            found = self._stream.read(len(view), timeout=self._deadline)
            self._ended = not found
        view[: len(found)] = found
        return len(found)


class _Socket:
    """As much of a socket as a response needs."""

    def __init__(self, file: io.BufferedIOBase) -> None:
        self._file = file

    def makefile(self, *_: object) -> io.BufferedIOBase:
        """What is read from it."""
        return self._file


def _whole(response: HTTPResponse, largest: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := response.read(PIECE):
        parts.append(part)
        size += len(part)
        if size > largest:
            raise TooLongError
    if response.length:  # a length was promised, and the server hung up before
        raise httpcore2.RemoteProtocolError("the server hung up in the middle of its answer")
    return b"".join(parts)
