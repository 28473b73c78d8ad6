"""Text of a skill made harmless: it cannot close its own block, speak as somebody else or steer a terminal."""

from __future__ import annotations

import re

_FRAMES = re.compile(
    r"[<\uff1c\ufe64](?=\s{0,8}/?\s{0,8}(?:skill_content|skill_resources|skills?|available_skills|references?|system"
    r"|assistant|user|human|think|tool_results?|tool_use|function_results|function_calls|antml:\w|instructions?"
    r"|documents?|context)\b|\s{0,8}/?\s{0,8}\|)",
    re.IGNORECASE,
)
"""Tags that mean something to a model or to the program around it, ours among them."""
_TURNS = re.compile(r"^([ \t]{0,8})(Human|Assistant|System|User)(:)", re.MULTILINE)
_RULES = re.compile(r"^([ \t]{0,8})(-{3,} (?:begin|end) skill\b)", re.MULTILINE | re.IGNORECASE)
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control and invisible characters, and halves of characters; a tab and a line break stay."""
_JOINED = re.compile("(?<=[\U0001f000-\U0001ffff\u2600-\u27bf\ufe0f])\u200d(?=[\U0001f000-\U0001ffff\u2600-\u27bf])")
_TICKS = re.compile(r"`+")
_NAME = 200


def harmless(text: str) -> str:
    """The text with delimiters escaped and characters that cannot be seen taken out."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ue000", "")
    clean = _CONTROL.sub("", _JOINED.sub("\ue000", lines)).replace("\ue000", "\u200d")
    return _RULES.sub(r"\1\\\2", _TURNS.sub(r"\1\2\\\3", _FRAMES.sub("&lt;", clean)))


def inline(text: str) -> str:
    """A name or a path in one line, of a bounded length."""
    return " ".join(_CONTROL.sub("", text[: 4 * _NAME]).split())[:_NAME]


def attribute(text: str) -> str:
    """A name or a path that can stand in a tag."""
    return inline(text).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def fence(text: str) -> str:
    """A code fence that is longer than every run of backticks in the text."""
    return "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
