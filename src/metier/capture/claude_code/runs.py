"""Claude Code records told to a run in the making: messages, tool calls, skills, corrections, tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.capture.claude_code.records import plain, skill_body, take_apart
from metier.capture.reading.fields import Map, compact, flag, items, mapping, moment, number, text
from metier.capture.reading.people import is_correction
from metier.types import Tokens

if TYPE_CHECKING:
    from metier.capture.claude_code.records import Told
    from metier.capture.run_builder import RunBuilder
    from metier.types import ToolCall

_DENIED = "The user doesn't want to proceed with this tool use"
_SAID = "the user said:"
_SYNTHETIC = "<synthetic>"
_OPERATOR = ("nested_memory", "instructions", "output_style_instructions", "claude_md", "output_style")
_FILES = (
    *("file", "already_read_file", "edited_text_file", "selected_lines_in_ide", "relevant_memories"),
    *("pdf_reference", "directory", "plan_file_reference"),
)
_HOOKS = ("hook_additional_context", "hook_blocking_error", "hook_system_message", "async_hook_response")

_HEARD = ("UserPromptSubmit", "SessionStart")
"""Hooks whose output the agent is shown as it is."""


def usage(message: Map) -> Tokens:
    """The tokens an assistant message says it took."""
    used = mapping(message, "usage")
    written = mapping(used, "cache_creation")
    parts = number(written, "ephemeral_5m_input_tokens") + number(written, "ephemeral_1h_input_tokens")
    return Tokens(
        input=number(used, "input_tokens"),
        output=number(used, "output_tokens"),
        cache_read=number(used, "cache_read_input_tokens"),
        cache_write=number(used, "cache_creation_input_tokens") or parts,
    )


def message_key(record: Map) -> tuple[str, str]:
    """What the lines of one API message share."""
    name = text(mapping(record, "message"), "id")
    return (name, text(record, "requestId")) if name else (text(record, "uuid"), "")


def message_group(record: Map) -> str:
    """The key as one word, empty for records that are not the model's."""
    return "|".join(message_key(record)) if record.get("type") == "assistant" else ""


def tell(run: RunBuilder, record: Map, command: str = "") -> None:
    """Add one record of the main conversation to its run; `command` is the slash command that began the run."""
    run.at(moment(record, "timestamp"))
    kind = text(record, "type")
    if kind == "assistant":
        _assistant(run, record)
    elif kind == "user":
        _user(run, record, command)
    elif kind == "attachment":
        _attachment(run, mapping(record, "attachment"))
    elif kind == "system":
        _system(run, text(record, "subtype"))


def tell_aside(run: RunBuilder, record: Map) -> None:
    """Add a record of a sub-agent: its tokens, tools and skills count, its words are not the run's answer."""
    run.at(moment(record, "timestamp"))
    if text(record, "type") == "assistant":
        message = mapping(record, "message")
        if "usage" in message:
            run.usage(message_key(record), usage(message))
        for block in items(message, "content"):
            _call(run, mapping(block))
    elif text(record, "type") == "user":
        told = take_apart(record)
        for result in told.results:
            _result(run, result, record)
        _skill(run, record, told, "")


def _assistant(run: RunBuilder, record: Map) -> None:
    message = mapping(record, "message")
    key = message_key(record)
    name = text(message, "model")
    if name == _SYNTHETIC and not flag(record, "isApiErrorMessage"):
        return  # the program closes what was left open when a session is taken up again; no model said this
    if "usage" in message:
        run.usage(key, usage(message))
    run.model("" if name == _SYNTHETIC else name)
    run.active(text(record, "attributionSkill"))
    content = message.get("content")
    if isinstance(content, str):
        run.say(content, key)
        run.status = "completed"
    for block in items(message, "content"):
        _block(run, mapping(block), key)
    if message.get("stop_reason") not in (None, "", "end_turn", "stop_sequence"):
        run.status = None
    if flag(record, "isApiErrorMessage"):
        run.status = "error"


def _block(run: RunBuilder, block: Map, key: tuple[str, str]) -> None:
    kind = text(block, "type")
    if kind == "text":
        run.say(text(block, "text"), key)
        run.status = "completed" if text(block, "text").strip() else run.status
    else:
        _call(run, block)
        run.status = None


def _call(run: RunBuilder, block: Map) -> None:
    """A tool call (or the answer of a tool that ran on the server) in an assistant message."""
    kind = text(block, "type")
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        name, given = text(block, "name"), block.get("input")
        run.call(text(block, "id"), name, compact(given))
        if name == "Skill":
            run.uses(text(block, "id"), text(given, "skill") or text(given, "command") or text(given, "name"))
    elif kind.endswith("_tool_result"):
        run.result(text(block, "tool_use_id"), plain(block.get("content")))


def _user(run: RunBuilder, record: Map, command: str) -> None:
    told = take_apart(record)
    for result in told.results:
        _result(run, result, record)
    if told.results:
        run.status = None
    if told.interrupted:
        run.status = "aborted"
        run.corrections.append(told.interrupted)
    for piece in told.passages:
        run.passage(piece.origin, piece.text)
    if not _skill(run, record, told, command) and told.words and not told.command:
        run.passage("model" if flag(record, "isCompactSummary") else "tool", told.words)


def _skill(run: RunBuilder, record: Map, told: Told, command: str) -> bool:
    """The body of a skill or of a slash command, which Claude Code hands over as a message of its own."""
    if not flag(record, "isMeta"):
        return False
    found = skill_body(told.words)
    call = text(record, "sourceToolUseID")
    if found:
        folder, body = found
        name = run.skill_of(call) or command or folder.replace("\\", "/").rstrip("/").rpartition("/")[2]
        run.shown(name, body)
        return True
    if command and told.words and not call and not run.answered and not told.words.startswith("<"):
        run.shown(command, told.words)
        run.passage("operator", told.words)
        return True
    return False


def _result(run: RunBuilder, result: Map, record: Map) -> None:
    call = text(result, "tool_use_id")
    output = plain(result.get("content"))
    failed = flag(result, "is_error")
    tool = run.result(call, output, error=output if failed else None)
    if failed and output.startswith(_DENIED):
        _, _, reason = output.partition(_SAID)
        run.corrections.append(reason.strip() or f"[refused the use of {tool.name if tool else 'a tool'}]")
    details = mapping(record, "toolUseResult")
    if flag(details, "userModified"):
        run.corrections.append(f"[changed the agent's edit of {text(details, 'filePath')}]")
    if tool is not None:
        _skill_result(run, call, tool, details)


def _skill_result(run: RunBuilder, call: str, tool: ToolCall, details: Map) -> None:
    """The skill that a finished call loaded: by the tool for it, or by reading its file."""
    if tool.name == "Skill" and not tool.skills:
        run.uses(call, text(details, "commandName"))
    read = mapping(details, "file")
    if tool.name == "Read" and tool.skills and text(read, "filePath").endswith("SKILL.md"):
        run.shown(tool.skills[0], text(read, "content"))


def _attachment(run: RunBuilder, attachment: Map) -> None:
    kind = text(attachment, "type")
    content = attachment.get("content")
    if kind == "queued_command":
        _queued(run, attachment)
    elif kind in _OPERATOR:
        run.passage("operator", text(content, "content") or compact(content))
    elif kind in _FILES:
        run.passage("file", _file(attachment))
    elif kind in _HOOKS or (kind == "hook_success" and text(attachment, "hookEvent") in _HEARD):
        run.passage("tool", plain(content))
    elif kind == "invoked_skills":
        for skill in items(attachment, "skills"):
            run.active(text(skill, "name"))


def _file(attachment: Map) -> str:
    content = attachment.get("content")
    inner = text(mapping(content, "file"), "content") or text(attachment, "snippet")
    return inner or compact(content)


def _queued(run: RunBuilder, attachment: Map) -> None:
    """What the person wrote while the agent was at work, or a notice that came in the same way."""
    prompt = attachment.get("prompt")
    told = take_apart({"message": {"content": prompt}})
    sender, mode = text(mapping(attachment, "origin"), "kind"), text(attachment, "commandMode")
    human = sender in ("", "human") and mode in ("", "prompt")
    for piece in told.passages:
        run.passage(piece.origin, piece.text)
    run.passage("person" if human else "tool", told.words)
    if human and is_correction(told.words):
        run.corrections.append(told.words)


def _system(run: RunBuilder, subtype: str) -> None:
    if subtype == "api_error":
        run.status = "error"
