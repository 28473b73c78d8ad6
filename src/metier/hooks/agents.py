"""What differs between agents: who started a hook, which form its output has, and which prompts a program wrote."""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.hooks.process import Payload

AGENTS = ("claude-code", "codex", "copilot")
"""The agents that start hooks."""
MACHINE_PROMPTS = ("<task-notification>", "<local-command", "<bash-", "/")
"""Beginnings of prompts that are no request of a person: reports of background work, commands."""


def agent_of(arguments: Sequence[str], environ: Mapping[str, str], payload: Payload) -> str:
    """The agent that started the hook: named by the launcher, else told by its environment or its object."""
    if named := [one for one in arguments[2:] if one in AGENTS]:
        return named[0]
    if environ.get("COPILOT_CLI"):
        return "copilot"
    return "codex" if "turn_id" in payload else "claude-code"


def is_from_a_person(prompt: str) -> bool:
    """Whether a prompt is a request: not empty, not a command, and not written by the agent's own program."""
    text = prompt.strip()
    return bool(text) and not text.startswith(MACHINE_PROMPTS)


def context_output(agent: str, event: str, text: str, message: str = "") -> str:
    """What a hook prints to add a text to the agent's context, and to show the person a message, in one line."""
    if agent == "copilot":  # it shows people nothing, so its agent is told
        return json.dumps({"additionalContext": "\n".join(one for one in (message, text) if one)})
    said: dict[str, object] = {"systemMessage": message} if message else {}
    if text:
        said |= {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return json.dumps(said)


def denial_output(event: str, reason: str) -> str:
    """What a hook prints to stop a tool before it runs, in one line."""
    said = {"hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": reason}
    return json.dumps({"hookSpecificOutput": said})


def selection_id(turn: str) -> str:
    """The id of the selection for a request, from the agent's own id of the request, which its transcript has, too."""
    from hashlib import sha256

    return sha256(f"selection\0{turn}".encode("utf-8", "replace")).hexdigest()[:32]


def turn_of(payload: Payload) -> str:
    """The agent's own id of the request that the hook belongs to; empty if it has none."""
    return str(payload.get("prompt_id") or payload.get("turn_id") or "")
