"""Whether bytes are one whole HTTP/1.1 response and nothing more: only then its connection is used again.

A server that sends bytes after its answer would have them read as the answer to the next call. The check is strict:
whatever it does not understand counts as more, which costs a new connection and nothing else.
"""

from __future__ import annotations

END = b"\r\n\r\n"
NO_BODY = frozenset({b"204", b"304"})


def is_one_response(raw: bytes | bytearray) -> bool:
    """Whether these are the bytes of one response, without any after it."""
    start = 0
    while (head_end := raw.find(END, start)) >= 0:
        status, fields = _head(bytes(raw[start:head_end]))
        start = head_end + len(END)
        if not status.startswith(b"1"):
            return _body_end(raw, start, status, fields) == len(raw)
    return False


def _head(head: bytes) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """The status, and the headers with names in lower case."""
    first, *lines = head.split(b"\r\n")
    pairs = [line.partition(b":") for line in lines]
    return first.partition(b" ")[2][:3], [(name.lower(), value.strip()) for name, _, value in pairs]


def _body_end(raw: bytes | bytearray, start: int, status: bytes, fields: list[tuple[bytes, bytes]]) -> int:
    """Where the body ends; -1 where that is not clear."""
    lengths = [value for name, value in fields if name == b"content-length"]
    codings = [value.lower() for name, value in fields if name == b"transfer-encoding"]
    match lengths, codings:
        case [], [b"chunked"]:
            return _chunks_end(raw, start)
        case [length], [] if length.isdigit():
            return start + int(length)
        case [], [] if status in NO_BODY:
            return start
        case _:
            return -1


def _chunks_end(raw: bytes | bytearray, start: int) -> int:
    """Where a body in chunks ends, trailers included; -1 where that is not clear."""
    while (line_end := raw.find(b"\r\n", start)) >= 0:
        size = bytes(raw[start:line_end]).partition(b";")[0].strip()
        try:
            length = int(size, 16)
        except ValueError:
            return -1
        if length == 0:
            end = raw.find(END, line_end)
            return -1 if end < 0 else end + len(END)
        start = line_end + 2 + length + 2
    return -1
