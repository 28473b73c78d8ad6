"""What of a coding agent is seen around this process: variables that it sets, and programs above this one."""

from __future__ import annotations

import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class AgentSign(NamedTuple):
    """An agent, and how it is known."""

    title: str
    variables: re.Pattern[str]
    """Of the processes that it starts; none that people set themselves."""
    program: str


SIGNS = (
    AgentSign("Claude Code", re.compile("CLAUDECODE|CLAUDE_CODE_(?:ENTRYPOINT|SESSION_ID|REMOTE)"), "claude"),
    AgentSign("Codex", re.compile("CODEX_SANDBOX[A-Z_]{0,40}|CODEX_THREAD_ID"), "codex"),
    AgentSign("Copilot CLI", re.compile("COPILOT_(?:CLI|AGENT_SESSION_ID)"), "copilot"),
    AgentSign("Gemini CLI", re.compile("GEMINI_CLI"), "gemini"),
    AgentSign("Cursor", re.compile("CURSOR_AGENT"), "cursor-agent"),
    AgentSign("OpenCode", re.compile("OPENCODE"), "opencode"),
)
HIGHEST = 8
"""Processes above this one that are looked at."""
SECONDS = 2.0
"""How long `ps` may take."""


def agent_signs(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The variables and the programs above this process that only an agent explains."""
    variables = [name for name in sorted(environ) if any(one.variables.fullmatch(name) for one in SIGNS)]
    programs = [name for name in _parents() if any(one.program == name for one in SIGNS)]
    return (*variables, *dict.fromkeys(programs))


def agent_titles(signs: str) -> str:
    """The agents that signs stand for, by the names that people know them by."""
    words = signs.split()
    found = [one.title for one in SIGNS if any(one.program == word or one.variables.fullmatch(word) for word in words)]
    return " and ".join(found)


def _parents() -> list[str]:
    """The names of the programs above this one, the nearest first."""
    table = None if Path("/proc/self/stat").exists() else process_table()
    names: list[str] = []
    pid = os.getppid()
    while pid > 1 and len(names) < HIGHEST:
        parent, name = process_at(pid) if table is None else table.get(pid, (0, ""))
        names.append(name)
        pid = parent
    return names


def process_at(pid: int) -> tuple[int, str]:
    """The parent and the name of a process; a name may hold any sign."""
    with suppress(OSError, ValueError, IndexError):
        head, _, rest = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")
        return int(rest.split()[1]), head.partition("(")[2]
    return 0, ""


def process_table() -> dict[int, tuple[int, str]]:
    """The same of all processes, where the system has no /proc."""
    command = ["/bin/ps", "-A", "-o", "pid=,ppid=,comm="]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False).stdout  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return {}
    rows = [line.split(None, 2) for line in said.splitlines()]
    return {int(row[0]): (int(row[1]), row[2].rpartition("/")[2]) for row in rows if len(row) == 3}
