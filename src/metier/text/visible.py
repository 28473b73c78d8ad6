"""Text that a person looks at: nothing in it steers a terminal or hides."""

from __future__ import annotations

import re

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters that steer a terminal or hide text from a person."""


def visible(text: str) -> str:
    """Text with every control and invisible character shown as its code."""
    return HIDDEN.sub(lambda found: _code(ord(found[0])), text)


def _code(character: int) -> str:
    return f"\\u{character:04x}" if character < 0x10000 else f"\\U{character:08x}"
