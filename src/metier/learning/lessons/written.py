"""What the project's own pages say already: no lesson is needed for that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.text.terms import stems_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.types.lessons import Lesson

PAGES = (
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    "README.md",
    "CONTRIBUTING.md",
    "Makefile",
    "justfile",
    "package.json",
)
"""Files in which a project says how it is worked on; an agent reads most of them by itself."""
ALIKE = 0.7
"""Share of a rule's words that a line must hold to say the same."""
LEAST = 3
"""Words that a rule needs for that."""
_COMMAND = re.compile(r"`([^`]+)`")


def written_where(lesson: Lesson, pages: Mapping[str, str]) -> str:
    """Where the project says a lesson already, as `file:line`; empty: nowhere."""
    for page, text in pages.items():
        for number, line in enumerate(text.splitlines(), start=1):
            if _says(line, lesson):
                return f"{page}:{number}"
    return ""


def _says(line: str, lesson: Lesson) -> bool:
    if lesson.kind == "rule":
        mine = stems_of(lesson.text)
        return len(mine) >= LEAST and len(mine & stems_of(line)) >= ALIKE * len(mine)
    commands = _COMMAND.findall(lesson.text)
    if lesson.kind == "fix":
        return len(commands) > 1 and commands[-1] in line and commands[0].split()[0] in line
    return any(command in " ".join(line.split()) for command in commands)
