r"""What a redaction rule is, and the pieces its patterns are made of.

A rule is tried only when one of its words (lower case) is in the text. The last group that matched is the secret.
Patterns see UTF-8 bytes, so every class is spelled in ASCII; `\x00` stands for text already redacted and must never be
part of a secret. No look-around, no back-references, no `\s` or `\w`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Plausibility(Enum):
    """How a match is looked at before it counts as a secret."""

    PLAIN = "placeholders and the entropy floor only"
    TRUSTED = "the shape alone is proof"
    ASSIGNED = "the name, the form of the assignment and the value together"
    PASSWORD = "a place where only a password stands"  # noqa: S105 - a description
    PROSE = "a sentence: the value must hold letters and digits"
    RANDOM = "the value must not read like words"
    URL = "a password in an address"
    COOKIE = "at least one of the cookies looks random"


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionRule:
    """One shape of secret."""

    name: str
    """Stands in the mark: lower case, digits, hyphens."""
    says: str
    """What it finds, in plain words."""
    words: tuple[str, ...]
    """One of these is part of every match, in lower case; empty: always tried."""
    pattern: str
    floor: float = 0.0
    """Least Shannon entropy in bits per character."""
    judge: Plausibility = Plausibility.PLAIN
    across: bool = False
    """Whether a match may go over several lines."""


_BEFORE = r"\\[nrt]|\[[0-9;]{1,8}m|\\u00[0-9a-fA-F]{2}|%[0-9A-F]{2}"
"""What may touch a token's left side: a written-out line break, a terminal colour, a written-out character."""
EDGE = rf"(?:^|[^A-Za-z0-9_]|{_BEFORE})"
"""The left edge of a token."""
WORD_EDGE = rf"(?:^|[^A-Za-z0-9_-]|{_BEFORE})"
RIGHT_EDGE = r"(?:[^A-Za-z0-9_-]|$)"
QUOTE = r"(?:\\{0,7}[\"'`]|&quot;|&#3[49];)"
SPACE = r"[ \t]{0,8}"
BREAK = r"(?:[ \t\r\n]|\\{1,4}[nrt])"
"""White space, also written out."""
SEPARATOR = (
    rf"{QUOTE}?\]?\*{{0,2}}(?:{SPACE}(?:=>|:=|==?|:|,|\(|>|\|)\*{{0,2}}|[ \t]{{1,4}}(?:is|was)[ \t:]"
    rf"|[ \t]{{1,4}}set[ \t]to[ \t]|[ \t]){SPACE}{QUOTE}?"
)
"""What stands between the name of a setting and its value."""
