"""Responses as they come over a line: the plain ones are read as the standard library reads them, all others by it."""

from __future__ import annotations

import time
from typing import Any

import httpcore2
import pytest

from metier.models.line import TooLongError, _any, simple  # pyright: ignore[reportPrivateUsage]

LATER = time.monotonic() + 1e6
PLAIN = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-length: 11\r\n\r\n{"ok": 123}'


class Sent(httpcore2.NetworkStream):
    """What a server sends, in the pieces in which it arrives."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        piece = self.pieces.pop(0) if self.pieces else b""
        if len(piece) > max_bytes:
            self.pieces.insert(0, piece[max_bytes:])
        return piece[:max_bytes]

    def get_extra_info(self, info: str) -> Any:
        del info


@pytest.mark.parametrize(
    "response",
    [
        PLAIN,
        PLAIN.replace(b"200 OK", b"503 Busy"),
        PLAIN.replace(b"200 OK", b"404"),
        PLAIN.replace(b"\r\ncontent", b"\r\nRetry-After:  3 \r\ncontent"),
        PLAIN.replace(b"\r\ncontent", b"\r\nConnection: close\r\ncontent"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\r\n\r\n!",
    ],
)
@pytest.mark.parametrize("cut", [0, 1, 5])
def test_a_plain_response_is_read_as_the_standard_library_reads_it(response: bytes, cut: int) -> None:
    first, rest = response[: len(response) - cut], response[len(response) - cut :]
    quick = simple(first, Sent(rest), LATER, 1_000)
    usual, stays = _any(first, Sent(rest), LATER, 1_000)
    assert quick is not None
    status, headers, body = usual
    assert quick[0] == (status, [(name.lower(), value.strip()) for name, value in headers], body)
    assert quick[1] == (stays and b"Connection" not in response)


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\n\r\nok",
        b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" + PLAIN.replace(b"11", b"2").replace(b'{"ok": 123}', b"ok"),
    ],
)
def test_what_is_not_plain_is_left_to_the_standard_library(response: bytes) -> None:
    assert simple(response, Sent(), LATER, 1_000) is None
    assert _any(response, Sent(), LATER, 1_000)[0][2] == b"ok"


@pytest.mark.parametrize(
    "lengths", [b"Content-Length: 2\r\nContent-Length: 9", b"Content-Length: -2", b"Content-Length: x"]
)
def test_doubtful_lengths_are_not_believed(lengths: bytes) -> None:
    assert simple(b"HTTP/1.1 200 OK\r\n" + lengths + b"\r\n\r\nok", Sent(), LATER, 1_000) is None


def test_a_head_in_two_pieces_is_no_plain_response() -> None:
    assert simple(PLAIN[:20], Sent(PLAIN[20:]), LATER, 1_000) is None
    assert _any(PLAIN[:20], Sent(PLAIN[20:]), LATER, 1_000)[0][2] == b'{"ok": 123}'


def test_what_comes_after_the_answer_ends_the_connection() -> None:
    quick = simple(PLAIN + b"HTTP/1.1", Sent(), LATER, 1_000)
    assert quick == ((200, [("content-type", "application/json"), ("content-length", "11")], b'{"ok": 123}'), False)


def test_an_answer_that_ends_early_or_never_is_an_error() -> None:
    with pytest.raises(httpcore2.RemoteProtocolError, match="hung up"):
        simple(PLAIN[:-1], Sent(), LATER, 1_000)
    with pytest.raises(TooLongError):
        simple(PLAIN, Sent(), LATER, 10)


@pytest.mark.parametrize("filler", [b" ", b"a", b":", b"\r\nx:", b"\t"])
def test_a_head_without_an_end_is_given_up_at_once(filler: bytes) -> None:
    assert simple(b"HTTP/1.1 200 OK\r\nX:" + filler * 60_000, Sent(), LATER, 1_000) is None
