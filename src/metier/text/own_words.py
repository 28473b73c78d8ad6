"""What in a message is no word of the person who sent it, as its structure shows: nothing here guesses from words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SET_APART = re.compile(
    r"(```|~~~).*?(?:\1|\Z)"  # a fence, also one that is left open
    r"|^[ \t]*>[^\n]*"  # a quoted line
    r"|^[ \t]*<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>.*?(?:</\2\s*>|\Z)"  # markup that begins a line
    r"|<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>.*?</\3\s*>"
    r"|^[ \t]*</?[A-Za-z][^\n]*",
    re.DOTALL | re.MULTILINE,
)


def own_words(message: str) -> str:
    """A message without fences, quoted lines and markup; it takes long for a long text with many open tags."""
    return _SET_APART.sub("\n", message)


def stood_in(text: str, shown: Iterable[str]) -> bool:
    """Whether one of some texts holds a text word for word; how the words are spaced does not count."""
    words = text.split()
    longest = max(words, key=len, default="")  # looked for first: nearly all texts do not even hold that
    whole = re.compile(r"\s+".join(map(re.escape, words)))
    return any(longest in one and whole.search(one) is not None for one in shown)
