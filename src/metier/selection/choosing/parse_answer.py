"""The names in a model's answer: exactly those that are known, each once, in its order."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from metier.formats.strict_json import clean

if TYPE_CHECKING:
    from collections.abc import Collection

KEYS = ("skills", "selected_skills", "activated_skills", "selected")
"""Where an object may hold the list; the first that does counts."""
LONGEST = 200_000
"""Characters of an answer that is looked at; more is no list of names."""
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"(`{3,}|~{3,})[^\n`]*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The known names of an answer, and what was dropped from it."""

    names: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    """Invented names, and what is no name, as short texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """An answer that is neither a list of names nor an object that holds one."""

    reason: str


def read_names(text: str, known: Collection[str]) -> Named | Unreadable:
    """The known names in an answer; an empty list is an answer, too."""
    if len(text) > LONGEST:
        return Unreadable(reason=f"the answer has {len(text):,} characters")
    plain = _unfenced(_THOUGHT.sub("", text).strip().removeprefix("\ufeff"))
    try:
        value: object = json.loads(plain)
    except (ValueError, RecursionError):
        return Unreadable(reason="the answer is no JSON" if plain else "the answer is empty")
    found = _list(value)
    return Unreadable(reason="the answer holds no list of names") if found is None else _known(found, known)


def _unfenced(text: str) -> str:
    """What stands in the code fence around a text, or the text."""
    opening = _FENCE.match(text)
    if not opening or not text.endswith(opening[1]):
        return text
    return text[opening.end() : -len(opening[1])].strip()


def _list(value: object) -> list[object] | None:
    if isinstance(value, list):
        return cast("list[object]", value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return next((cast("list[object]", fields[key]) for key in KEYS if isinstance(fields.get(key), list)), None)
    return None


def _known(found: list[object], known: Collection[str]) -> Named:
    kept: dict[str, None] = {}
    dropped: list[str] = []
    for item in found:
        if isinstance(item, str) and item.strip() and item in known:
            kept[item] = None
        elif not isinstance(item, str) or item.strip():
            dropped.append(clean(item[:80]) if isinstance(item, str) else type(item).__name__)
    return Named(names=tuple(kept), dropped=tuple(dropped[:20]))
