"""One whole response and nothing more: the same answer that a whole parser gives."""

from __future__ import annotations

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.models.http.one_response import is_one_response

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
LENGTH = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"


def by_parser(raw: bytes) -> bool:
    """What h11 makes of the bytes: a response that ended, and nothing after it."""
    connection = h11.Connection(our_role=h11.CLIENT)
    connection.send(h11.Request(method="POST", target="/", headers=[("Host", "x")]))
    connection.send(h11.EndOfMessage())
    connection.receive_data(raw)
    try:
        while not isinstance(event := connection.next_event(), h11.EndOfMessage):
            if event in (h11.NEED_DATA, h11.PAUSED):
                return False
    except h11.RemoteProtocolError:
        return False
    return connection.trailing_data[0] == b""


@pytest.mark.parametrize(
    "raw",
    [
        LENGTH,
        b"HTTP/1.1 100 Continue\r\n\r\n" + LENGTH,
        b"HTTP/1.1 204 No Content\r\n\r\n",
        CHUNKED + b"5\r\nhello\r\n0\r\n\r\n",
        CHUNKED + b"5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nX-Sum: 1\r\n\r\n",
        CHUNKED + b"0\r\n\r\n",
    ],
)
def test_a_whole_response_is_clean_and_any_other_bytes_are_not(raw: bytes) -> None:
    assert is_one_response(raw)
    assert by_parser(raw)
    assert not any(is_one_response(raw[:end]) for end in range(len(raw)))
    for more in (b"\r\n", b"x", LENGTH):
        assert not is_one_response(raw + more)


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\n\r\nuntil it closes",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
    ],
)
def test_where_the_end_is_not_clear_it_is_not_clean(raw: bytes) -> None:
    assert not is_one_response(raw)


BODIES = st.lists(st.binary(max_size=20), max_size=4)


@given(parts=BODIES, more=st.sampled_from([b"", b"0\r\n\r\n", LENGTH, b"\r\n"]), cut=st.integers(0, 3))
def test_what_counts_as_clean_a_parser_calls_clean(parts: list[bytes], more: bytes, cut: int) -> None:
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts if part)
    raw = CHUNKED + chunks + b"0\r\n\r\n" + more
    raw = raw[: len(raw) - cut]
    assert is_one_response(raw) == by_parser(raw)
