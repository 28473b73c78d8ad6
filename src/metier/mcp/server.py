"""`metier mcp`: answers a client's requests one after the other until it closes its end.

Only the standard library is imported until a tool is called: agents do not wait long for a server to be ready.
"""

from __future__ import annotations

import os
import sys

from metier import __version__
from metier.mcp.messages import (
    INTERNAL,
    METHOD,
    PARAMS,
    ClientMessage,
    ProtocolError,
    answer,
    read_messages,
    refusal,
)
from metier.mcp.tools import BY_NAME, TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO

    from metier.mcp.opened import OpenedWorkspace

    Result = dict[str, object]

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions of the protocol that are spoken, the newest last."""
INSTRUCTIONS = (
    "Metier keeps skills learned from work in this project. `select` finds those for a task, `skill` gives one, "
    "`runs` shows past work, `lessons` what the person confirmed. `mark` notes how a run went, `propose` hands in a "
    "draft. Only the person approves drafts and lessons."
)
PROMPTS = {
    "learn": "Learn from the work recorded in this project.",
    "review-drafts": "Go through the drafts that wait for a decision, one by one.",
}


class Server:
    """One client's conversation."""

    def __init__(self, folder: str = "", flags: Mapping[str, object] | None = None) -> None:
        self._folder, self._flags = folder, flags or {}
        self._opened: OpenedWorkspace | None = None
        self._agent = ""
        self._methods: dict[str, Callable[[Mapping[str, object]], Result]] = {
            "initialize": self._initialize,
            "ping": lambda _: {},
            "tools/list": lambda _: {"tools": [tool.listing() for tool in TOOLS]},
            "tools/call": self._call_tool,
            "prompts/list": lambda _: {"prompts": [{"name": n, "description": d} for n, d in PROMPTS.items()]},
            "prompts/get": _get_prompt,
            "resources/list": self._list_resources,
            "resources/templates/list": lambda _: {"resourceTemplates": [TEMPLATE]},
            "resources/read": self._read_resource,
        }

    def serve(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Answer every request of a stream, in order."""
        for message in read_messages(source):
            if line := self.reply_to(message):
                sink.write(line)
                sink.flush()

    def reply_to(self, message: ClientMessage | ProtocolError) -> bytes:
        """The line that answers a message; nothing for a notice."""
        if isinstance(message, ProtocolError):
            return refusal(None, message)
        if message.id is None:
            return b""
        try:
            return answer(message.id, self._methods.get(message.method, _refuse)(message.params))
        except ProtocolError as error:
            return refusal(message.id, error)
        except Exception as error:  # noqa: BLE001 - one request that fails must not end the session
            return refusal(message.id, ProtocolError(INTERNAL, f"This is a bug in Metier: {type(error).__name__}."))

    def close(self) -> None:
        """Let go of the workspace."""
        if self._opened:
            self._opened.close()

    def _initialize(self, params: Mapping[str, object]) -> Result:
        wanted, client = params.get("protocolVersion"), params.get("clientInfo")
        if isinstance(client, dict):
            self._agent = _agent_of(str(client.get("name") or ""))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[-1],
            "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
            "serverInfo": {"name": "metier", "title": "Metier", "version": __version__},
            "instructions": INSTRUCTIONS,
        }

    def _call_tool(self, params: Mapping[str, object]) -> Result:
        name, given = params.get("name"), params.get("arguments", {})
        tool = BY_NAME.get(name) if isinstance(name, str) else None
        if tool is None or not isinstance(given, dict):
            raise ProtocolError(PARAMS, f"There is no tool {str(name)[:100]}; there are {', '.join(BY_NAME)}.")
        arguments: dict[str, object] = given  # pyright: ignore[reportUnknownVariableType]
        if problem := tool.problem(arguments):
            return _tool_result(problem, failed=True)
        from metier.errors import MetierError
        from metier.mcp.calls import CALLS

        try:
            return _tool_result(CALLS[tool.name](self._workspace(), arguments))
        except MetierError as error:
            return _tool_result(str(error), failed=True)
        except OSError as error:
            return _tool_result(f"{error.filename or 'The system'}: {error.strerror or error}.", failed=True)

    def _list_resources(self, params: Mapping[str, object]) -> Result:
        from metier.errors import MetierError
        from metier.mcp.resources import list_resources

        try:
            return list_resources(self._workspace().get(), str(params.get("cursor") or ""))
        except (MetierError, OSError):  # no workspace here, or none that may be used: there is nothing to list
            return {"resources": []}

    def _read_resource(self, params: Mapping[str, object]) -> Result:
        from metier.errors import MetierError
        from metier.mcp.messages import NO_RESOURCE
        from metier.mcp.resources import read_resource

        try:
            return read_resource(self._workspace().get(), str(params.get("uri") or ""))
        except MetierError as error:
            raise ProtocolError(NO_RESOURCE, str(error)) from None

    def _workspace(self) -> OpenedWorkspace:
        if self._opened is None:
            from metier.mcp.opened import OpenedWorkspace

            self._opened = OpenedWorkspace(folder=self._folder, flags=self._flags, agent=self._agent)
        return self._opened


TEMPLATE = {
    "uriTemplate": "skill://{name}/{+path}",
    "name": "skill-file",
    "title": "A file of a skill",
    "description": "SKILL.md or another file of a skill of this project.",
}


def _refuse(_: Mapping[str, object]) -> Result:
    raise ProtocolError(METHOD, "There is no such method here.")


def _agent_of(client: str) -> str:
    """The agent's name as Metier knows it, by what its client calls itself."""
    return next((name for name in ("claude-code", "codex", "copilot", "gemini", "opencode") if name in client), client)


def _tool_result(text: str, *, failed: bool = False) -> Result:
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def _get_prompt(params: Mapping[str, object]) -> Result:
    name = params.get("name")
    if not isinstance(name, str) or name not in PROMPTS:
        raise ProtocolError(PARAMS, f"There is no prompt {str(name)[:100]}; there are {', '.join(PROMPTS)}.")
    from metier.prompts import load

    text = {"type": "text", "text": load("metier.mcp", name)}
    return {"description": PROMPTS[name], "messages": [{"role": "user", "content": text}]}


def serve_standard_streams(folder: str = "", flags: Mapping[str, object] | None = None) -> None:
    """Serve the client at standard input and output; whatever else is printed goes to standard error."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    server = Server(folder, flags)
    try:
        server.serve(sys.stdin.buffer, sink)
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        server.close()
