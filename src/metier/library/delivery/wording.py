"""Lessons in plain words, the same in the terminal and in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.types.lessons import LessonCheck

QUOTED = {"person": "you said", "operator": "the operator said", "action": "the agent ran", "tool": "the output said"}
"""Whose words a quote is, by its origin."""


def check_words(check: LessonCheck) -> str:
    """A check in plain words."""
    if check.path:
        return f"{check.path} must not be {'read or changed' if check.reading else 'changed'}"
    program = " ".join(check.program)
    instead = f"; run `{check.instead}`" if check.instead else ""
    if check.needs:
        return f"`{program}` needs {' or '.join(check.needs)}{instead}"
    if check.wrong:
        return f"`{program}` must not be given {' or '.join(check.wrong)}{instead}"
    return f"`{program}` must not be run{instead}"
