"""Add Claude Code records to a run: messages, tool calls, skills, corrections, tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.capture.claude_code.records import parse_user_record, skill_body, text_of_result
from metier.capture.reading.corrections import is_correction
from metier.capture.reading.fields import Map, compact, elements, flag, items, mapping, moment, number, text
from metier.types import Tokens

if TYPE_CHECKING:
    from metier.capture.claude_code.records import UserRecord
    from metier.capture.reading.run_builder import RunBuilder
    from metier.types import ToolCall

_DENIED = "The user doesn't want to proceed with this tool use"
_REASON_MARK = "the user said:"
_SYNTHETIC = "<synthetic>"
_OPERATOR = ("nested_memory", "instructions", "output_style_instructions", "claude_md", "output_style")
_FILES = (
    *("file", "already_read_file", "edited_text_file", "selected_lines_in_ide", "relevant_memories"),
    *("pdf_reference", "directory", "plan_file_reference"),
)
_HOOKS = ("hook_additional_context", "hook_blocking_error", "hook_system_message", "async_hook_response")

_CONTEXT_HOOKS = ("UserPromptSubmit", "SessionStart")
"""Hooks whose output goes unchanged into the agent's context."""


def tokens_of(message: Map) -> Tokens:
    """The tokens that an assistant message reports."""
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
    """The key that all lines of one API message have in common."""
    name = text(mapping(record, "message"), "id")
    return (name, text(record, "requestId")) if name else (text(record, "uuid"), "")


def message_group(record: Map) -> str:
    """The key as one text; empty for records that are not from the model."""
    return "|".join(message_key(record)) if record.get("type") == "assistant" else ""


def add_record(run: RunBuilder, record: Map, command: str = "") -> None:
    """Add one record of the main conversation to its run; `command` is the slash command that began the run."""
    run.add_time(moment(record, "timestamp"))
    kind = text(record, "type")
    if kind == "assistant":
        _add_assistant(run, record)
    elif kind == "user":
        _add_user(run, record, command)
    elif kind == "attachment":
        _add_attachment(run, mapping(record, "attachment"))
    elif kind == "system":
        _add_system(run, text(record, "subtype"))


def add_subagent_record(run: RunBuilder, record: Map) -> None:
    """Add a record of a sub-agent: its tokens, tools and skills count, but its text is not the run's answer."""
    run.add_time(moment(record, "timestamp"))
    if text(record, "type") == "assistant":
        message = mapping(record, "message")
        if "usage" in message:
            run.add_usage(message_key(record), tokens_of(message))
        for block in items(message, "content"):
            _add_call(run, mapping(block))
    elif text(record, "type") == "user":
        told = parse_user_record(record)
        for result in told.results:
            _add_result(run, result, record)
        _add_skill_body(run, record, told, "")


def _add_assistant(run: RunBuilder, record: Map) -> None:
    message = mapping(record, "message")
    key = message_key(record)
    name = text(message, "model")
    if name == _SYNTHETIC and not flag(record, "isApiErrorMessage"):
        return  # the program closes what was left open when a session is taken up again; no model said this
    if "usage" in message:
        run.add_usage(key, tokens_of(message))
    run.set_model("" if name == _SYNTHETIC else name)
    run.add_active_skill(text(record, "attributionSkill"))
    content = message.get("content")
    if isinstance(content, str):
        run.add_answer(content, key)
        run.status = "completed"
    for block in items(message, "content"):
        _add_block(run, mapping(block), key)
    if message.get("stop_reason") not in (None, "", "end_turn", "stop_sequence"):
        run.status = None
    if flag(record, "isApiErrorMessage"):
        run.status = "error"


def _add_block(run: RunBuilder, block: Map, key: tuple[str, str]) -> None:
    kind = text(block, "type")
    if kind == "text":
        run.add_answer(text(block, "text"), key)
        run.status = "completed" if text(block, "text").strip() else run.status
    else:
        _add_call(run, block)
        run.status = None


def _add_call(run: RunBuilder, block: Map) -> None:
    """Add a tool call, or the output of a tool that ran on the server, from an assistant message."""
    kind = text(block, "type")
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        name, given = text(block, "name"), block.get("input")
        run.add_call(text(block, "id"), name, compact(given))
        if name == "Skill":
            run.add_skill_use(text(block, "id"), text(given, "skill") or text(given, "command") or text(given, "name"))
    elif kind.endswith("_tool_result"):
        run.add_result(text(block, "tool_use_id"), text_of_result(block.get("content")))


def _add_user(run: RunBuilder, record: Map, command: str) -> None:
    told = parse_user_record(record)
    for result in told.results:
        _add_result(run, result, record)
    if told.results:
        run.status = None
    if told.interrupted:
        run.status = "aborted"
        run.corrections.append(told.interrupted)
    for piece in told.passages:
        run.add_passage(piece.origin, piece.text)
    if not _add_skill_body(run, record, told, command) and told.words and not told.command:
        run.add_passage("model" if flag(record, "isCompactSummary") else "tool", told.words)


def _add_skill_body(run: RunBuilder, record: Map, told: UserRecord, command: str) -> bool:
    """Add the body of a skill or slash command, which Claude Code writes as a separate message; False if it is none."""
    if not flag(record, "isMeta"):
        return False
    found = skill_body(told.words)
    call = text(record, "sourceToolUseID")
    if found:
        folder, body = found
        name = run.skill_of(call) or command or folder.replace("\\", "/").rstrip("/").rpartition("/")[2]
        run.add_shown_skill(name, body)
        return True
    if not told.words or call or run.has_activity:
        return False
    return _add_command_body(run, told.words, command)


def _add_command_body(run: RunBuilder, words: str, command: str) -> bool:
    """Add what a slash command stands for; False if there is no command."""
    if command.startswith("mcp__") or command.endswith("(MCP)"):
        run.add_passage("tool", words)  # a server's prompt: no skill, and nobody here wrote it
        return True
    if command and not words.startswith("<"):
        run.add_shown_skill(command, words)
        run.add_passage("operator", words)
        return True
    return False


def _add_result(run: RunBuilder, result: Map, record: Map) -> None:
    call = text(result, "tool_use_id")
    output = text_of_result(result.get("content"))
    failed = flag(result, "is_error")
    tool = run.add_result(call, output, error=output if failed else None)
    if failed and output.startswith(_DENIED):
        _, _, reason = output.partition(_REASON_MARK)
        run.corrections.append(reason.strip() or f"[refused the use of {tool.name if tool else 'a tool'}]")
    details = mapping(record, "toolUseResult")
    if flag(details, "userModified"):
        run.corrections.append(f"[changed the agent's edit of {text(details, 'filePath')}]")
    if tool is not None:
        _add_loaded_skill(run, call, tool, details)


def _add_loaded_skill(run: RunBuilder, call: str, tool: ToolCall, details: Map) -> None:
    """Note the skill that a tool call loaded, with the `Skill` tool or by reading its file."""
    if tool.name == "Skill" and not tool.skills:
        run.add_skill_use(call, text(details, "commandName"))
    read = mapping(details, "file")
    if tool.name == "Read" and tool.skills and text(read, "filePath").endswith("SKILL.md"):
        run.add_shown_skill(tool.skills[0], text(read, "content"))


def _add_attachment(run: RunBuilder, attachment: Map) -> None:
    kind = text(attachment, "type")
    content = attachment.get("content")
    if kind == "queued_command":
        _add_queued_message(run, attachment)
    elif kind in _OPERATOR:
        run.add_passage("operator", text(content, "content") or compact(content))
    elif kind in _FILES:
        run.add_passage("file", _file_text(attachment))
    elif kind in _HOOKS or (kind == "hook_success" and text(attachment, "hookEvent") in _CONTEXT_HOOKS):
        _add_hook_output(run, content)
    elif kind == "invoked_skills":
        for skill in items(attachment, "skills"):
            run.add_active_skill(text(skill, "name"))


def _add_hook_output(run: RunBuilder, content: object) -> None:
    for said in [text_of_result([one]) for one in elements(content)] or [text_of_result(content)]:
        if not run.add_handed_text(said):
            run.add_passage("tool", said)


def _file_text(attachment: Map) -> str:
    content = attachment.get("content")
    inner = text(mapping(content, "file"), "content") or text(attachment, "snippet")
    return inner or compact(content)


def _add_queued_message(run: RunBuilder, attachment: Map) -> None:
    """Add a message that the person wrote while the agent was working, or a notice that came the same way."""
    prompt = attachment.get("prompt")
    told = parse_user_record({"message": {"content": prompt}})
    sender, mode = text(mapping(attachment, "origin"), "kind"), text(attachment, "commandMode")
    human = sender in ("", "human") and mode in ("", "prompt")
    for piece in told.passages:
        run.add_passage(piece.origin, piece.text)
    if human:
        run.add_message(told.words)
    else:
        run.add_passage("tool", told.words)
    if human and is_correction(told.words):
        run.corrections.append(told.words)


def _add_system(run: RunBuilder, subtype: str) -> None:
    if subtype == "api_error":
        run.status = "error"
