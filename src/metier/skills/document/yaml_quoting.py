"""How a text is written as one YAML value on one line, so that every reader gets the same text back."""

from __future__ import annotations

import re

from metier.errors import InputError

_WORDS = ("true", "false", "yes", "no", "on", "off", "y", "n", "null")
"""Words that some YAML readers take for something else than text."""
_HALF = re.compile("[\ud800-\udfff]")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quote(text: str, *, plain: bool = True) -> str:
    """The text as it is where that is safe, else in double quotes with escapes.

    Three dashes are broken up by an escape: some readers end the frontmatter at the first `---` they meet.
    """
    if _HALF.search(text):
        raise InputError("The text holds half a character (a lone surrogate); write it again in UTF-8.")
    if plain and _is_plain(text):
        return text
    body = "".join(map(_escaped, text)) if not text.isprintable() else text.replace("\\", "\\\\").replace('"', '\\"')
    body = body.replace("---", "\\x2d--")
    return f'"{body}"'


def _is_plain(text: str) -> bool:
    if not text or not text.isprintable() or text != text.strip():
        return False
    if not (text[0].isalpha() or text[0] in "(/") or text.lower() in _WORDS:
        return False
    return not (": " in text or " #" in text or "---" in text or text.endswith(":"))


def _escaped(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
