"""A rule and what it forbids: no fix and no fact tells agents to run what a rule keeps them from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.text.shell.checks import changed_paths, check_line, named_paths, touches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.types.lessons import Lesson

_COMMAND = re.compile(r"`([^`]+)`")


def forbidding_rule(rules: Iterable[Lesson], lesson: Lesson) -> Lesson | None:
    """The rule that forbids what a fix or a fact says to run; None: there is none, or the lesson is a rule itself."""
    if lesson.kind == "rule":
        return None
    said = _COMMAND.findall(lesson.text)[-1:]  # the error's own command stands before the remedy
    return next((one for one in rules if any(_forbids(one, command) for command in said)), None)


def _forbids(rule: Lesson, command: str) -> bool:
    check = rule.check if rule.kind == "rule" else None
    if check is None:
        return False
    if check.path:
        return touches(check.path, named_paths(command) if check.reading else changed_paths(command))
    return check_line(check, command) == "violated"
