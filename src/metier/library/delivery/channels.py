"""Which way a lesson reaches agents: at a session's start, at a prompt, before a call, or after an error. One each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from metier.hooks.notes import WIDE
from metier.text.words import terms_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.types.lessons import Lesson

Channel = Literal["start", "prompt", "before", "after"]
STANDING, TOKENS, CHARACTERS = 12, 300, 4
"""Rules at a session's start, their tokens, and the characters of a token, roughly."""
WORDS, PAIRS = 4, 12
"""Words of a line that call for it, where nothing else says which; and pairs of signs, where there are no spaces."""


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
        elif words_for(one):
            found[one.id] = "prompt"
    return found


def trigger_word(lesson: Lesson, channel: Channel) -> str:
    """What has to be there: words of a request, or a part of an error; empty: nothing, or its check decides."""
    if channel == "prompt":
        return lesson.subject.partition(":")[0] if lesson.kind == "fact" else words_for(lesson)
    return lesson.trigger if channel == "after" else ""


def words_for(rule: Lesson) -> str:
    """Words of a request that call for a rule: its own, or else the longest of its line; empty: there are none."""
    if rule.trigger:
        return rule.trigger
    found = dict.fromkeys(terms_of(rule.text))
    longest = sorted((word for word in found if word < WIDE), key=lambda word: -len(word))[:WORDS]
    pairs = [word for word in found if word >= WIDE][:PAIRS]
    return " ".join([*(word for word in found if word in longest), *pairs])
