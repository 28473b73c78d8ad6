"""What connecting would change, agent by agent, before anything is written."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from importlib.resources import files
from shlex import quote
from typing import TYPE_CHECKING, Any, assert_never

from metier.agents.changes import (
    AddServer,
    Change,
    EditHooks,
    PutFile,
    PutLink,
    RunPrograms,
    WrittenFile,
    WrittenHooks,
    hash_of,
)
from metier.agents.json_text import has_group, with_hooks, without_pieces
from metier.agents.toml_text import has_server, with_server
from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from metier.agents.known import CodingAgent
    from metier.agents.manifest import Manifest
    from metier.agents.places import Places

CODEX_EVENTS = {
    "SessionStart": ("start", 3),
    "UserPromptSubmit": ("prompt", 3),
    "PreToolUse": ("before", 3),
    "PostToolUse": ("after", 3),
    "Stop": ("stop", 5),
    "SessionEnd": ("end", 3),
}
"""Codex's events: the launcher's word for each, and the seconds it may take. A change here costs the person's trust."""
SERVER = "metier"
"""The name of Metier's MCP server."""
NO_HOOKS = '{\n  "hooks": {\n  }\n}\n'
"""A new hooks file, before anything is in it."""
TRUST_CODEX = 'Start codex once and choose "Trust all and continue": until then Codex does not run the hooks.'


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlan:
    """What would be written for one agent, or why nothing can be."""

    agent: CodingAgent
    changes: tuple[Change, ...] = ()
    refusal: str = ""
    next_step: str = ""
    """What the person must do afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionPlan:
    """What would be written for all agents together, and for each of them."""

    shared: tuple[Change, ...]
    agents: tuple[AgentPlan, ...]

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every change."""
        return (*self.shared, *(change for one in self.agents for change in one.changes))


def plan_connection(
    places: Places, agents: Sequence[CodingAgent], manifest: Manifest, links: Sequence[PutLink] = ()
) -> ConnectionPlan:
    """What is missing for these agents to work with Metier; `links`: to skills, for Claude Code."""
    plans = tuple(_plan_agent(places, one, manifest, links) for one in agents)
    is_wanted = any(one.has_hooks and not plan.refusal for one, plan in zip(agents, plans, strict=True))
    try:
        shared = tuple(_shared_changes(places, manifest)) if is_wanted else ()
    except InputError as error:
        return ConnectionPlan(shared=(), agents=tuple(AgentPlan(agent=one, refusal=str(error)) for one in agents))
    return ConnectionPlan(shared=shared, agents=plans)


def _plan_agent(places: Places, agent: CodingAgent, manifest: Manifest, links: Sequence[PutLink]) -> AgentPlan:
    try:
        match agent.name:
            case "claude-code":
                return AgentPlan(agent=agent, changes=(*_claude_changes(places, manifest), *links))
            case "codex":
                hooks, server = tuple(_codex_changes(places, manifest)), tuple(_codex_server(places))
                return AgentPlan(agent=agent, changes=(*hooks, *server), next_step=TRUST_CODEX if hooks else "")
            case "copilot":
                return AgentPlan(agent=agent, changes=tuple(_copilot_changes(places)))
            case "gemini" | "opencode" | "pi":
                return AgentPlan(agent=agent)
            case _:
                assert_never(agent.name)
    except InputError as error:
        return AgentPlan(agent=agent, refusal=str(error))


def _shared_changes(places: Places, manifest: Manifest) -> Iterator[Change]:
    """The copy of the plugin, and the notes that tell its launcher where state is and which Python to start."""
    for name, data in plugin_files():
        path = places.plugin / name
        now = path.read_bytes() if path.is_file() else None
        if now == data:
            continue
        written = manifest.written_at(path)
        if now is not None and not (isinstance(written, WrittenFile) and written.hash == hash_of(now)):
            raise InputError(f"{path} was changed by someone else. Move it away, then connect again.")
        yield PutFile(path=path, data=data)
    for path, note in ((places.place_note, place_note(places)), (places.python_note, python_note())):
        if not path.is_file() or path.read_bytes() != note:
            yield PutFile(path=path, data=note)


def plugin_files() -> list[tuple[str, bytes]]:
    """The files of the plugin, by their paths in it."""
    return sorted(_walk(files("metier.agents") / "plugin", ""))


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for one in folder.iterdir():
        if one.is_dir():
            yield from _walk(one, f"{prefix}{one.name}/")
        else:
            yield f"{prefix}{one.name}", one.read_bytes()


def python_note() -> bytes:
    """The Python that runs now, and how it must be started so that no file of a project is executed.

    `-I` leaves out the person's own packages, so `-EP` stands there if Metier is one of them.
    """
    import site

    own = os.path.realpath(str(files("metier")))
    is_of_user = site.ENABLE_USER_SITE and own.startswith(os.path.realpath(site.getusersitepackages()))
    return f"{sys.executable}\n{'-EP' if is_of_user else '-I'}\n".encode()


def place_note(places: Places) -> bytes:
    """Where state, settings and the person's home are, for the launcher."""
    return os.fsencode(f"{places.state}\n{places.settings.parent.absolute()}\n{places.home.absolute()}\n")


def _claude_changes(places: Places, manifest: Manifest) -> Iterator[Change]:
    """A link to the plugin in Claude Code's folder of skills; no settings file is touched."""
    link = places.claude / "skills" / "metier"
    if link.is_symlink() and link.readlink() == places.plugin:
        return
    if os.path.lexists(link) and manifest.written_at(link) is None:
        raise InputError(f"{link} is there already and is not Metier's. Move it away, then connect again.")
    _check_writable(link)
    yield PutLink(path=link, target=places.plugin)


def _codex_changes(places: Places, manifest: Manifest) -> Iterator[Change]:
    """One group of hooks for each event, behind those that are there."""
    file = places.codex / "hooks.json"
    groups = codex_groups(places)
    try:
        before = file.read_bytes() if file.exists() else None
        text = before.decode("utf-8") if before is not None else NO_HOOKS
        if all(has_group(text, event, group) for event, group in groups.items()):
            return
        if isinstance(written := manifest.written_at(file), WrittenHooks):
            text, _ = without_pieces(text, written.pieces, written.groups)
        after, pieces = with_hooks(text, groups)
    except (InputError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be extended: {error}. Repair it, then connect again.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    _check_writable(file)
    yield EditHooks(
        path=file, before=before, after=after.encode(), is_new=text == NO_HOOKS, pieces=pieces, groups=groups
    )


def has_codex_server(places: Places) -> bool:
    """Whether Codex's settings name Metier's MCP server."""
    try:
        return has_server((places.codex / "config.toml").read_text(encoding="utf-8"), SERVER)
    except (OSError, InputError, UnicodeDecodeError):
        return False


def codex_server_command(places: Places) -> str:
    """Codex's own command that adds the MCP server."""
    return f"codex mcp add {SERVER} -- sh {quote(str(places.launcher))} mcp"


def _codex_server(places: Places) -> Iterator[Change]:
    """The MCP server, at the end of Codex's settings; one that the person added by themselves will do."""
    file = places.codex / "config.toml"
    try:
        before = file.read_bytes() if file.exists() else None
        text = before.decode("utf-8") if before is not None else ""
        if has_server(text, SERVER):
            return
        after, piece = with_server(text, SERVER, {"command": "sh", "args": [str(places.launcher), "mcp"]})
    except (InputError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be extended: {error}. Repair it, then connect again.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    if piece:
        _check_writable(file)
        yield AddServer(path=file, before=before, after=after.encode(), name=SERVER, piece=piece)


def _copilot_changes(places: Places) -> Iterator[Change]:
    """The plugin, installed by Copilot's own commands; it is read in place."""
    file = places.copilot / "settings.json"
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
        source = known["extraKnownMarketplaces"]["metier"]["source"]["path"]
        if known["enabledPlugins"]["metier@metier"] is True and source == str(places.plugin):
            return
    except (OSError, ValueError, KeyError, TypeError):
        pass  # not installed
    program = places.program("copilot")
    if not program:
        raise InputError("its program is not on the path.")
    plugin = (program, "plugin")
    yield RunPrograms(
        path=file,
        before=file.read_bytes() if file.is_file() else None,
        commands=((*plugin, "marketplace", "add", str(places.plugin)), (*plugin, "install", "metier@metier")),
        undo=((*plugin, "uninstall", "metier@metier"), (*plugin, "marketplace", "remove", "metier")),
    )


def codex_groups(places: Places) -> dict[str, Any]:
    """Metier's group of hooks for each event of Codex."""
    launcher = quote(str(places.launcher))
    if places.launcher.is_relative_to(places.home):  # the same text on every machine
        launcher = f'"$HOME/{places.launcher.relative_to(places.home)}"'
    return {
        event: {"hooks": [{"type": "command", "command": f"sh {launcher} {word} codex", "timeout": seconds}]}
        for event, (word, seconds) in CODEX_EVENTS.items()
    }


def _check_writable(path: Path) -> None:
    """Say now what would fail later."""
    real = path.resolve() if path.exists() else path
    if real.is_file() and not os.access(real, os.W_OK):
        raise InputError(f"{path} is read-only, so it was left alone. Make it writable, then connect again.")
    folder = next(one for one in real.parents if one.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{folder} cannot be written. Check its owner and permissions, then connect again.")
