"""One call of an agent against a check: it does not apply, it is obeyed, or it is violated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.learning.procedures.actions import edited_paths, read_paths, shell_line
from metier.text.shell.checks import changed_paths, check_line, named_paths, touches

if TYPE_CHECKING:
    from metier.text.shell.checks import Held
    from metier.types import ToolCall
    from metier.types.lessons import LessonCheck


def check_call(check: LessonCheck, call: ToolCall) -> Held | None:
    """How a call stands to a check; None: the check does not apply to it."""
    line = shell_line(call)
    if check.path:
        paths = _touched(call, line or "") if check.reading else [*edited_paths(call), *changed_paths(line or "")]
        return "violated" if touches(check.path, paths) else None
    return None if line is None else check_line(check, line)


def _touched(call: ToolCall, line: str) -> list[str]:
    """The paths that a call reads or changes."""
    return [*edited_paths(call), *read_paths(call), *named_paths(line)]
