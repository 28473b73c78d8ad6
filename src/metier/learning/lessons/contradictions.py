"""Fixes and facts that do what a rule forbids: they are not proposed beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.learning.lessons.checks.hold import check_call
from metier.types import ToolCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.types.lessons import Lesson, LessonCheck

_COMMAND = re.compile(r"`([^`]+)`")


def without_contradictions(lessons: Sequence[Lesson]) -> list[Lesson]:
    """The lessons without proposed fixes and facts that a rule forbids, whether it is approved or only proposed."""
    checks = [
        one.check for one in lessons if one.kind == "rule" and one.check and one.status in ("approved", "proposed")
    ]
    return [one for one in lessons if one.status != "proposed" or not _is_forbidden(one, checks)]


def _is_forbidden(lesson: Lesson, checks: Sequence[LessonCheck]) -> bool:
    if lesson.kind == "rule":
        return False
    said = _COMMAND.findall(lesson.text)[-1:]  # the error's own command stands before the remedy
    return any(
        check_call(check, ToolCall(name="Bash", input=command)) == "violated" for check in checks for command in said
    )
