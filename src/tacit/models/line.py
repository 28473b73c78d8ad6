"""One connection to a server, spoken to directly: a request is one write, a response is read by the standard library.

A general client looks after many connections, protocols and streams at every call, which costs more than the call.
"""

from __future__ import annotations

import io
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, cast

import httpcore2

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable

    from typing_extensions import Buffer

    from tacit.models.deadline import DeadlineBackend

IDLE = 30.0
"""Seconds an unused connection is kept."""
PIECE = 64 * 1024
PORTS = {"http": 80, "https": 443}


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

    def exchange(self, sent: bytes, deadline: float) -> tuple[int, list[tuple[str, str]], bytes]:
        """Send a whole request; status, headers and body of the response. Raises what httpcore2 would."""
        stream = self._opened(deadline)
        try:
            stream.write(sent, timeout=deadline)
            with io.BufferedReader(_Reading(stream, deadline), PIECE) as reader:
                response = HTTPResponse(cast("socket.socket", _Socket(reader)), method="POST")
                response.begin()
                body = _whole(response, self._largest)
        except HTTPException as error:
            self.close()
            raise httpcore2.RemoteProtocolError(f"{type(error).__name__}: {error}".rstrip(": ")) from None
        except BaseException:
            self.close()
            raise
        self._used = self._backend.clock()
        if response.will_close:
            self.close()
        return response.status, response.getheaders(), body

    def close(self) -> None:
        """End the connection; the next call opens another."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def _opened(self, deadline: float) -> httpcore2.NetworkStream:
        """The kept connection, or a new one when it is old or the server has hung up."""
        kept = self._stream
        if kept is not None and self._backend.clock() - self._used < IDLE and not kept.get_extra_info("is_readable"):
            return kept
        self.close()
        host, port = self._address
        stream = self._backend.connect_tcp(host, port, timeout=deadline)
        if self._context is not None:
            stream = stream.start_tls(self._context, server_hostname=host, timeout=deadline)
        self._stream = stream
        return stream


class _Reading(io.RawIOBase):
    """A stream as a file that is read until a moment."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._read: Callable[..., bytes] = stream.read
        self._deadline = deadline

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        """What has arrived; 0 at the end."""
        view = memoryview(buffer)
        found = self._read(len(view), timeout=self._deadline)
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
