"""Text as a terminal shows it: colours, moves and links are orders to the terminal, and may stand inside a secret."""

from __future__ import annotations

import re

_ESCAPES = (b"\x1b", b"\xc2\x9b", b"\\x1", b"\\u001", b"\\u{1", b"\\033", b"\\e", b"^[")
"""How an order to a terminal begins, also written out."""
_FIRST = re.compile(rb"[\x1b\xc2\\^\[]")
"""The first byte of each of these, and of a colour without it: most short texts have none, and are done with."""
_TERMINAL = re.compile(
    rb"(?:\x1b|\\x1[bB]|\\u001[bB]|\\u\{1[bB]\}|\\033|\\e|\^\[)"
    rb"(?:\[[0-9:;<=>?]{0,24}[ -/]{0,4}[@-~]|[()][0-9A-Z]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\|\\a|\\x07|\\u0007))"
    rb"|\xc2\x9b[0-9:;<=>?]{0,24}[@-~]|\[\d{1,3}(?:;\d{1,3}){0,4}m"
)
"""An order to a terminal: a colour, a place, a link. The last form is a colour that has lost its first character."""
_BARE_COLOUR = re.compile(rb"\[\d{1,3}(?:;\d{1,3}){0,4}m")


def speaks_to_terminal(data: bytes) -> bool:
    """Whether a text has orders to a terminal in it."""
    if _FIRST.search(data) is None:
        return False
    if not any(one in data for one in _ESCAPES):
        return _BARE_COLOUR.search(data) is not None
    return _TERMINAL.search(data) is not None


def as_shown(data: bytes) -> tuple[bytes, list[int], list[int]]:
    """The text without the orders, where its stretches begin, and how far each has moved."""
    plain = bytearray()
    starts: list[int] = []
    moved: list[int] = []
    at = 0
    for found in _TERMINAL.finditer(data):
        starts.append(len(plain))
        moved.append(at - len(plain))
        plain += data[at : found.start()]
        at = found.end()
    return bytes(plain + data[at:]), [*starts, len(plain)], [*moved, at - len(plain)]
