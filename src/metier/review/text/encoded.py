"""Find what is encoded in a text: base64, hexadecimal, escapes, moved letters, and characters that nobody sees."""

from __future__ import annotations

import codecs
import re
from base64 import b64decode
from binascii import Error
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BLOB = 64 * 1024
"""Characters of one encoded text that are decoded; commands and orders are shorter."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_BASE64_LINES = re.compile(r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}\r?\n[ \t]*){2,}[A-Za-z0-9+/]{2,76}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){16,}")
_ESCAPES = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\u00[0-9a-fA-F]{2}|\\[0-3][0-7]{2}|%[2-7][0-9a-fA-F]){4,}")
_ESCAPE = re.compile(r"\\x(..)|\\u00(..)|\\(\d{3})|%(..)")
_TAGS = re.compile("[\U000e0020-\U000e007e]{2,}")
_LINE = re.compile(r"[^\n]{12,2000}")
_PRINTABLE = re.compile(r"[\x20-\x7e\s]+")


def encoded_stretches(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and meaning of every encoded stretch that decodes to plain text."""
    yield from _blobs(text)
    yield from _moved_letters(text)
    for match in _ESCAPES.finditer(text) if "\\" in text or "%" in text else ():
        yield match.start(), match.end(), _ESCAPE.sub(_escaped, match[0][:MAX_BLOB])
    for match in _TAGS.finditer(text) if not text.isascii() else ():
        yield match.start(), match.end(), "".join(chr(ord(char) - 0xE0000) for char in match[0])


def _blobs(text: str) -> Iterator[tuple[int, int, str]]:
    longest = 0
    for pattern, meaning, least in _BLOBS:
        for match in pattern.finditer(text) if longest >= least else ():
            longest = max(longest, match.end() - match.start())
            if decoded := meaning(match[0][:MAX_BLOB]):
                yield match.start(), match.end(), decoded


def _moved_letters(text: str) -> Iterator[tuple[int, int, str]]:
    for begin, pattern, meaning in _WRITTEN:
        if any(one in text for one in begin) and pattern.search(text):
            yield from ((match.start(), match.end(), meaning(match[0])) for match in _LINE.finditer(text))


def _from_base64(blob: str) -> str | None:
    compact = "".join(blob.split()).rstrip("=").replace("-", "+").replace("_", "/")
    if len(compact) % 4 == 1:
        compact = compact[:-1]
    try:
        return _as_text(b64decode(compact + "=" * (-len(compact) % 4)))
    except (Error, ValueError):
        return None


def _from_hex(blob: str) -> str | None:
    return _as_text(bytes.fromhex(blob[: len(blob) // 2 * 2]))


def _from_rot13(line: str) -> str:
    return codecs.encode(line, "rot13")


def _from_turned(line: str) -> str:
    return line[::-1]


def _as_text(data: bytes) -> str | None:
    """Bytes as text when that is what they are: printable, in ASCII or in the UTF-16 that PowerShell takes."""
    for encoding in ("ascii", "utf-16-le"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if len(text) >= 8 and _PRINTABLE.fullmatch(text):
            return text
    return None


_BLOBS = ((_BASE64, _from_base64, 0), (_BASE64_LINES, _from_base64, 60), (_HEX, _from_hex, 32))
"""Ways to write bytes, with how long a stretch of the first has to be for the others to be there at all."""


def _escaped(match: re.Match[str]) -> str:
    octal = match[3]
    return chr(int(octal, 8) if octal else int(match[1] or match[2] or match[4], 16))


_WRITTEN = (
    (("13", "aesar"), re.compile(r"\brot-?13\b|\bcaesar\b", re.IGNORECASE), _from_rot13),
    (("ackwards", "evers"), re.compile(r"\b(?:backwards|revers(?:e|ed))\b", re.IGNORECASE), _from_turned),
)
"""Ways to write letters: by what a text says that they were moved on, or turned round, and how they are read then."""
