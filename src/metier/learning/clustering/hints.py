"""What was done to answer a request, in a few words each: evidence of its kind beside its own words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.learning.procedures.actions import deeds_in
from metier.learning.procedures.shell import head

if TYPE_CHECKING:
    from metier.learning.procedures.actions import ActionKind
    from metier.types import Run

MOST = 24
"""Hints of one run: what comes later is rarely what it was about."""
_HOST = re.compile(r"\A\w+://([^/\s]+)")


def hints_of(run: Run) -> tuple[str, ...]:
    """The different commands, files and tools of a run, in order, without their values."""
    found = dict.fromkeys(_hint(kind, text) for call in run.tools for kind, text, _ in deeds_in(call))
    return tuple(hint for hint in found if hint)[:MOST]


@lru_cache(maxsize=4096)
def _hint(kind: ActionKind, text: str) -> str:
    match kind:
        case "command":
            return head(text)
        case "edit" | "read":
            return f"{kind} {_place(text)}"
        case "web":
            host = _HOST.match(text)
            return f"web {host[1]}" if host else ""
        case "tool":
            return f"tool {text}"
        case "search":
            return ""


def _place(path: str) -> str:
    """Where a file lies and what kind it is; its name too, if it stands alone."""
    *folders, name = path.split("/")
    dot = name.rfind(".")
    return f"{folders[-1]}/*{name[dot:] if 0 < dot < len(name) - 1 else ''}" if folders else name
