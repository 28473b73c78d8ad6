"""Which way a lesson reaches agents: at a session's start, at a prompt, before a call, or after an error. One each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.types.lessons import Lesson

Channel = Literal["start", "prompt", "before", "after"]
STANDING, TOKENS, CHARACTERS = 12, 300, 4
"""Rules at a session's start, their tokens, and the characters of a token, roughly."""
_TAG = re.compile(r"<(?=[/!?]|(?:system|user|assistant|human|hook|skill|developer|tool)\b)", re.IGNORECASE)


def channels_of(lessons: Iterable[Lesson]) -> dict[str, Channel]:
    """The channel of each lesson by its id, the strongest first; one that fits into none is left out."""
    found: dict[str, Channel] = {}
    lines = characters = 0
    for one in sorted(lessons, key=lambda one: (-one.strength, one.kind, one.text, one.id)):
        if one.check is not None and one.check.step != "observe":
            found[one.id] = "before"
        elif one.kind == "fix":
            found |= {one.id: "after"} if one.trigger else {}
        elif one.kind == "fact":
            found[one.id] = "prompt"
        elif lines < STANDING and characters + len(one.text) <= TOKENS * CHARACTERS:
            found[one.id] = "start"
            lines, characters = lines + 1, characters + len(one.text)
        elif one.trigger:
            found[one.id] = "prompt"
    return found


def trigger_word(lesson: Lesson, channel: Channel) -> str:
    """What has to be there: words of a request, or a part of an error; empty: nothing, or its check decides."""
    if channel == "prompt":
        return lesson.subject.partition(":")[0] if lesson.kind == "fact" else lesson.trigger
    return lesson.trigger if channel == "after" else ""


def one_line(text: str) -> str:
    """A lesson's text as an agent reads it: one line, with no sign in it that could end the frame around it."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return _TAG.sub("‹", " ".join(plain.split()))
