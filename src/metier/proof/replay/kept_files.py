"""The files that a run's task began with, as far as the run shows them: what was read before it was changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.learning.procedures.actions import edited_paths, project_root, read_paths
from metier.skills.names import path_problem

if TYPE_CHECKING:
    from metier.types import Run, ToolCall

LARGEST, MOST = 60_000, 20
"""Characters of all files together, and how many they may be."""
_NUMBERED = re.compile(r"^\s*\d+(?:→|\t)", re.MULTILINE)
_PARTIAL = re.compile(r"\"(?:offset|limit|view_range|start_line|end_line)\"")
"""Arguments of a call that reads a part of a file."""


def kept_files(run: Run) -> tuple[tuple[str, str], ...]:
    """The files that a run read whole before it changed them, by path; none if they are too large."""
    root = project_root([run])
    found: dict[str, str] = {}
    changed: set[str] = set()
    for call in run.tools:
        changed |= set(edited_paths(call))
        paths = read_paths(call) if call.ok and call.output and not _PARTIAL.search(call.input) else []
        if len(paths) == 1 and paths[0] not in changed:
            path = _relative(paths[0], root)
            if path and not path_problem(path):
                found.setdefault(path, _text_of(call))
    if len(found) > MOST or sum(map(len, found.values())) > LARGEST:
        return ()
    return tuple(sorted(found.items()))


def _relative(path: str, root: str) -> str:
    return path.removeprefix(f"{root}/") if root else path.removeprefix("./")


def _text_of(call: ToolCall) -> str:
    """A file's text without the line numbers that some tools add."""
    lines = call.output.splitlines()
    if lines and all(_NUMBERED.match(line) for line in lines if line.strip()):
        return "\n".join(_NUMBERED.sub("", line, count=1) for line in lines) + "\n"
    return call.output
