"""Which lessons may be shown at all: nothing that review stops, no marks of secrets, nothing that deletes or forces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.learning.lessons.session.commands import is_destructive
from metier.redaction import MARK
from metier.review.line import review_line

if TYPE_CHECKING:
    from metier.types.lessons import Lesson

LONGEST = 420
"""Characters of a lesson."""
_HARNESS = re.compile(
    r"\[Request interrupted|</?(?:command|local-command|tool_use_error|system-reminder|task-notification|"
    r"bash-)|toolu_\w+|"
    r"/tmp/claude|ctrl\+\w to |\[\.\.\. cut|Sibling tool call|<persisted-output>|This session is being continued",
    re.IGNORECASE,
)
"""Marks of the programs around an agent: no words of a person, no error of the work."""
_QUOTED = re.compile(r"“([^”]+)”")
_COMMAND = re.compile(r"`([^`]+)`")


def may_be_shown(lesson: Lesson) -> bool:
    """Whether a lesson may be put before a person."""
    text = lesson.text
    if len(text) > LONGEST or _HARNESS.search(text) or MARK.search(text) or not text.isprintable():
        return False
    if lesson.kind != "rule" and any(map(is_destructive, _COMMAND.findall(text))):
        return False
    said = [text, *_QUOTED.findall(text)]  # an order is no better for standing in quotes: an output wrote it
    return all(review_line(one).status != "quarantined" for one in said)
