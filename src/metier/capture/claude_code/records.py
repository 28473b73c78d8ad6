"""Parse one user record of a Claude Code transcript, and separate the person's words from injected text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.capture.reading.fields import Map, clip, elements, flag, mapping, text
from metier.types import Passage

if TYPE_CHECKING:
    from metier.types import Origin

INTERRUPTED = "[Request interrupted by user"
SKILL_BASE = "Base directory for this skill:"
_SUMMARY = "This session is being continued from a previous conversation"

_INJECTED: dict[str, Origin | None] = {
    "system-reminder": "tool",
    "task-notification": "tool",
    "agent-notification": "tool",
    "teammate-message": "tool",
    "new-diagnostics": "tool",
    "ide_diagnostics": "tool",
    "ide_selection": "file",
    "ide_opened_file": None,
    "user-prompt-submit-hook": "tool",
    "session-start-hook": "tool",
    "post-tool-use-hook": "tool",
    "bash-input": "person",
    "bash-stdout": "tool",
    "bash-stderr": "tool",
    "user-memory-input": "person",
    "local-command-caveat": None,
    "local-command-stdout": None,
    "local-command-stderr": None,
    "mcp-resource-update": "tool",
    "mcp-polling-update": "tool",
    "channel": "web",
    "tick": None,
}
"""Elements that Claude Code writes into user records, with their origin; None: the text is dropped."""

_WHOLE_TEXT = frozenset(_INJECTED) - {
    "system-reminder",
    "ide_selection",
    "ide_opened_file",
    "ide_diagnostics",
    "new-diagnostics",
}
"""If a text begins with one of these elements, the person wrote nothing of it."""
_TAG = re.compile(r"<([a-z_-]{3,40})[\s>]")
_COMMAND = re.compile(r"<command-name>\s*/?([^<\n]{1,200}?)\s*</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRecord:
    """The parts of one user record."""

    words: str = ""
    """What the person wrote, or the slash command with its arguments."""
    command: str = ""
    """The slash command's name, without the slash."""
    passages: tuple[Passage, ...] = ()
    results: tuple[Map, ...] = ()
    interrupted: str = ""
    local: bool = False
    """Whether it is the program's answer to a command that was not sent to the model."""


def parse_user_record(record: Map) -> UserRecord:
    """Split a user record into the person's words, injected text, tool results and an interruption."""
    content = mapping(record, "message").get("content")
    blocks = [content] if isinstance(content, str) else elements(content)
    words: list[str] = []
    passages: list[Passage] = []
    results: list[Map] = []
    interrupted = ""
    local = False
    for block in blocks:
        kind = "text" if isinstance(block, str) else text(block, "type")
        if kind == "tool_result":
            results.append(mapping(block))
        elif kind == "text":
            said = clip(block) if isinstance(block, str) else text(block, "text")
            local = local or said.lstrip().startswith("<local-command-std")
            if said.lstrip().startswith(INTERRUPTED):
                interrupted = said.strip()
            else:
                rest, found = _without_injected(said)
                words.append(rest)
                passages += found
        elif kind in ("image", "document"):
            words.append(f"[{kind}]")
    joined = "\n\n".join(word for word in words if word)
    command, arguments = _slash_command(joined)
    return UserRecord(
        words=f"/{command} {arguments}".strip() if command else joined,
        command=command,
        passages=tuple(passages),
        results=tuple(results),
        interrupted=interrupted,
        local=local,
    )


def _slash_command(words: str) -> tuple[str, str]:
    """The name and the arguments of a slash command."""
    if not words.startswith("<command-"):
        return "", ""
    found = _COMMAND.search(words)
    arguments = _ARGUMENTS.search(words)
    return (found.group(1), arguments.group(1).strip() if arguments else "") if found else ("", "")


def _without_injected(said: str) -> tuple[str, list[Passage]]:
    """The text without injected elements, and these elements with their origins."""
    passages: list[Passage] = []
    rest = said.strip()
    if rest.startswith(_SUMMARY):
        return "", [Passage(origin="model", text=rest)]
    while (tag := _TAG.match(rest)) and tag.group(1) in _INJECTED:
        rest = _cut_element(rest, tag.group(1), 0, passages)
        if tag.group(1) in _WHOLE_TEXT and not rest.startswith("<"):
            return "", passages
    while (at := rest.find("<system-reminder>")) >= 0:
        rest = _cut_element(rest, "system-reminder", at, passages)
    return rest, passages


def _cut_element(said: str, tag: str, at: int, passages: list[Passage]) -> str:
    """Cut one element out of a text; an element without an end tag reaches to the end of the text."""
    opened = said.find(">", at) + 1
    end = said.find(f"</{tag}>", opened)
    inner = said[opened:] if end < 0 else said[opened:end]
    origin = _INJECTED[tag]
    if origin is not None and inner.strip():
        passages.append(Passage(origin=origin, text=inner.strip()))
    behind = "" if end < 0 else said[end + len(tag) + 3 :]
    return f"{said[:at]}{behind}".strip()


def is_human(record: Map, told: UserRecord) -> bool:
    """Whether a user record is a request, not something that Claude Code wrote itself."""
    origin = text(mapping(record, "origin"), "kind")
    return (
        bool(told.words)
        and not told.results
        and not told.interrupted
        and record.get("toolUseResult") is None
        and record.get("sourceToolUseID") is None
        and not any(flag(record, key) for key in _NOT_HUMAN)
        and origin in ("", "human")
        and text(record, "promptSource") != "system"
    )


_NOT_HUMAN = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "turnCompanion", "isVirtual", "isSidechain")


def program_of(record: Map) -> str:
    """The program that sent a request instead of a person; empty if a person did."""
    entry = text(record, "entrypoint")
    headless = entry.startswith("sdk") or entry in ("mcp", "claude-code-github-action", "github-action", "print")
    return entry if headless else ""


def text_of_result(content: object) -> str:
    """The text of a tool's output; an image becomes the word `[image]`."""
    if isinstance(content, str):
        return clip(content)
    parts: list[str] = []
    for block in elements(content):
        kind = text(block, "type")
        if isinstance(block, str):
            parts.append(clip(block))
        elif kind == "text" or (not kind and "text" in mapping(block)):
            parts.append(text(block, "text"))
        elif kind == "tool_reference":
            parts.append(text(block, "tool_name"))
        elif kind:
            parts.append(f"[{kind}]")
    return clip("\n".join(parts))


def skill_body(said: str) -> tuple[str, str] | None:
    """The folder and the exact body of a skill, if the text is one; else None."""
    if not said.startswith(SKILL_BASE):
        return None
    first, _, body = said.partition("\n")
    return first.removeprefix(SKILL_BASE).strip(), body.lstrip("\r\n")
