"""JSON-RPC over two streams of bytes: one message a line, errors as the protocol numbers them."""

from __future__ import annotations

import json
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

PARSE, REQUEST, METHOD, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NO_RESOURCE = -32002
LONGEST = 8 << 20
"""Bytes of one message."""


class ProtocolError(Exception):
    """A request that cannot be answered; its number and its sentence go to the client."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientMessage:
    """What a client asks; without an id it is a notice that nobody answers."""

    method: str
    params: Mapping[str, object]
    id: str | int | None = None


def read_messages(source: BinaryIO) -> Iterator[ClientMessage | ProtocolError]:
    """The requests of a client, in their order; a line that is none is the error to answer it with."""
    while line := source.readline(LONGEST + 1):
        if len(line) > LONGEST:
            while not line.endswith(b"\n") and (line := source.readline(LONGEST)):
                pass
            yield ProtocolError(REQUEST, f"A message may have {LONGEST:,} bytes at most.")
        elif line.strip():
            try:
                if found := parse_message(line):
                    yield found
            except ProtocolError as error:
                yield error


def parse_message(line: bytes) -> ClientMessage | None:
    """One request; None for an answer, since this server asks nothing."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise ProtocolError(PARSE, "This line is not JSON.") from None
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":  # pyright: ignore[reportUnknownMemberType]
        raise ProtocolError(REQUEST, 'A message is one JSON object with "jsonrpc": "2.0".')
    message: dict[str, object] = said  # pyright: ignore[reportUnknownVariableType]
    method, params, number = message.get("method"), message.get("params", {}), message.get("id")
    if method is None and ("result" in message or "error" in message):
        return None
    if not isinstance(method, str) or isinstance(number, bool) or not isinstance(number, str | int | None):
        raise ProtocolError(REQUEST, "A request has a method, and an id that is a text or a whole number.")
    if not isinstance(params, dict):
        raise ProtocolError(PARAMS, "`params` must be an object.")
    return ClientMessage(method=method, params=params, id=number)  # pyright: ignore[reportUnknownArgumentType]


def answer(number: str | int | None, result: Mapping[str, object]) -> bytes:
    """The line that answers a request."""
    return _line({"jsonrpc": "2.0", "id": number, "result": result})


def refusal(number: str | int | None, error: ProtocolError) -> bytes:
    """The line that says why a request is not answered."""
    return _line({"jsonrpc": "2.0", "id": number, "error": {"code": error.code, "message": str(error)}})


def _line(message: Mapping[str, object]) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
