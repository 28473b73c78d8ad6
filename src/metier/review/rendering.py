"""Text of a skill as reference material: it cannot close its own frame, steer a terminal or go on for ever."""

from __future__ import annotations

import re

_FRAMES = re.compile(
    r"<(?=\s*+/?\s*+(?:skill_content|skill|skills|reference|system|system-reminder|assistant|user|human|tool_result|tool_use|function_results"
    r"|function_calls|antml:\w+|instructions?|document|documents|context|available_skills|\|)\b|\s*+/?\s*+\|)",
    re.IGNORECASE,
)
_TURNS = re.compile(r"(?m)^([ \t]*)(Human|Assistant|System|User)(:)")
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_EMOJI_JOINER = re.compile(
    "(?<=[\U0001f000-\U0001ffff\u2600-\u27bf\ufe0f])\u200d(?=[\U0001f000-\U0001ffff\u2600-\u27bf])"
)
_CUT = "\n[… cut here: the skill is longer than {limit:,} characters]"


def as_reference(text: str, limit: int = 20_000) -> str:
    """The text with delimiters escaped, control and invisible characters taken out, and an end."""
    kept = _EMOJI_JOINER.sub("\ue000", text.replace("\r\n", "\n").replace("\r", "\n"))
    clean = _CONTROL.sub("", kept).replace("\ue000", "\u200d")
    if len(clean) > limit:
        clean = clean[:limit].rstrip() + _CUT.format(limit=limit)
    return _TURNS.sub(r"\1\2\\\3", _FRAMES.sub("&lt;", clean)).replace("```skill_content", "``` skill_content")


def framed(name: str, text: str, *, source: str, limit: int = 20_000) -> str:
    """A skill between its delimiters, with where it comes from, ready to stand in a prompt as reference."""
    attributes = f'name="{_attribute(name)}" source="{_attribute(source)}"'
    return f"<skill_content {attributes}>\n{as_reference(text, limit)}\n</skill_content>"


def _attribute(value: str) -> str:
    plain = _CONTROL.sub("", " ".join(value.split()))[:200]
    return plain.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
