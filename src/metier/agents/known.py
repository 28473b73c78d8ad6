"""The agents that Metier knows, and which of them are on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from metier.agents.places import Places

AgentName = Literal["claude-code", "codex", "copilot", "gemini", "opencode", "pi"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodingAgent:
    """An agent."""

    name: AgentName
    title: str
    program: str
    has_hooks: bool
    """Whether Metier can connect to it; the others read skills, and their sessions can be imported."""
    is_connected_by_program: bool = False
    """Whether its own program connects it: a folder alone is then nothing to connect."""


KNOWN = (
    CodingAgent(name="claude-code", title="Claude Code", program="claude", has_hooks=True),
    CodingAgent(name="codex", title="Codex", program="codex", has_hooks=True),
    CodingAgent(name="copilot", title="Copilot CLI", program="copilot", has_hooks=True, is_connected_by_program=True),
    CodingAgent(name="gemini", title="Gemini CLI", program="gemini", has_hooks=False),
    CodingAgent(name="opencode", title="OpenCode", program="opencode", has_hooks=False),
    CodingAgent(name="pi", title="pi", program="pi", has_hooks=False),
)


def find_agents(places: Places) -> tuple[CodingAgent, ...]:
    """The agents of this person: those with a folder in the home folder, or with a program on the path."""
    return tuple(one for one in KNOWN if places.program(one.program) or _has_folder(one, places))


def _has_folder(agent: CodingAgent, places: Places) -> bool:
    return not agent.is_connected_by_program and home_of(agent, places).is_dir()


def named_agents(names: Sequence[str]) -> tuple[CodingAgent, ...]:
    """The agents of these names; UsageError for one that cannot be connected."""
    by_name = {one.name: one for one in KNOWN}
    connectable = ", ".join(one.name for one in KNOWN if one.has_hooks)
    for name in names:
        if name not in by_name or not by_name[name].has_hooks:  # pyright: ignore[reportArgumentType]
            raise UsageError(f"'{name}' cannot be connected. Metier connects: {connectable}.")
    return tuple(one for one in KNOWN if one.name in names)


def home_of(agent: CodingAgent, places: Places) -> Path:
    """The folder in which an agent keeps its files."""
    match agent.name:
        case "claude-code":
            return places.claude
        case "codex":
            return places.codex
        case "copilot":
            return places.copilot
        case "gemini":
            return places.home / ".gemini"
        case "opencode":
            return places.opencode
        case "pi":
            return places.home / ".pi"
