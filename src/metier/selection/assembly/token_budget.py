"""Text that fits: cut with a visible mark, measured in estimated tokens."""

from __future__ import annotations

import re

MARK = "\n...[truncated]"
"""Stands where a text was cut."""
WIDEST = 16
"""Characters, and more, that a single token can stand for."""
LONG = 400_000
"""Characters above which tokens are estimated from the length alone."""
_PIECES = re.compile(
    r"(?P<word>[A-Za-z]+)|(?P<number>[0-9]+)|(?P<space>\s+)"
    r"|(?P<letters>[\u00c0-\u167f\u1681-\u1fff]+)|(?P<wide>[\U00010000-\U0010ffff])|(?P<other>.)",
    re.DOTALL,
)
_TOKENS = re.compile(
    r"[A-Za-z]{1,6}|[0-9]{1,3}|(?<=\s)\s{1,12}|[\u00c0-\u167f\u1681-\u1fff]{1,2}|[^\s\U00010000-\U0010ffff]"
)
"""One token at a time, wide signs and the first white space aside: to count matches is quicker than to weigh pieces."""
_WIDE = re.compile("[\U00010000-\U0010ffff]")
_PER_TOKEN = {"word": 6, "number": 3, "space": 12, "letters": 2}
"""Characters of each kind that make up a token."""


def cut(text: str, limit: int) -> str:
    """The text, or its first `limit` characters and the mark."""
    return text if len(text) <= limit else text[:limit] + MARK


def ends(text: str, limit: int) -> str:
    """The text, or its beginning and, shorter, its end, with the mark between them."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail]}{MARK}\n{text[-tail:] if tail else ''}"


def tokens(text: str) -> int:
    """An estimate of a text's tokens that is meant to be too high rather than too low.

    A Latin word is a token for every six letters begun, a number one for every three digits, white space one for
    every twelve characters beyond a single one; letters of other alphabets are one for every two; any other sign
    (punctuation, Chinese, Japanese, Korean) is one, a sign outside the basic plane (emoji) three. Above 400,000
    characters it is half the length.
    """
    if len(text) > LONG:
        return len(text) // 2
    wide = 0 if text.isascii() else 3 * len(_WIDE.findall(text))
    return len(_TOKENS.findall(text)) + wide


def _weight(kind: str | None, length: int) -> int:
    if kind == "space":
        length -= 1
    return 3 if kind == "wide" else -(-length // _PER_TOKEN.get(kind or "", 1))


def fits(text: str, limit: int) -> bool:
    """Whether a text has at most so many tokens, found without counting one that is far too long."""
    return len(text) <= WIDEST * (limit + 1) and tokens(text) <= limit


def cut_to_tokens(text: str, limit: int) -> str:
    """The text, or as much of it as fits a number of tokens with the mark, ended at a line if one is near."""
    if fits(text, limit):
        return text
    room = limit - tokens(MARK)
    if room <= 0:
        return ""
    end = _reach(text, room)
    line = text.rfind("\n", 0, end + 1)
    kept = text[: line if line > end * 3 // 4 else end].rstrip()
    return kept + MARK if kept else ""


def _reach(text: str, room: int) -> int:
    """How many characters of a text fit so many tokens."""
    end = 0
    for found in _PIECES.finditer(text):
        weight = _weight(found.lastgroup, len(found[0]))
        if weight > room:
            part = _PER_TOKEN.get(found.lastgroup or "", 0) * room
            return end + min(part, len(found[0]))
        room -= weight
        end = found.end()
    return end
