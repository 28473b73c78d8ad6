"""Add Codex items and events to a run: messages, tool calls with their exit codes, skills."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.capture.reading.fields import Map, clip, compact, decode, elements, flag, items, mapping, text

if TYPE_CHECKING:
    from metier.capture.reading.run_builder import RunBuilder

_OPERATOR = (
    *("# AGENTS.md", "<user_instructions>", "<INSTRUCTIONS>", "<permissions", "<collaboration_mode>", "<apps_instr"),
    *("<skills_instructions>", "<plugins_instructions>", "<personality_spec>", "<model_switch>", "<developer"),
)
_UNUSED = ("<environment_context>", "<recommended_plugins>", "<app-context>", "<token_budget", "<goal_context>")
_TOOL = ("<user_shell_command>", "<subagent_notification>", "<hook_prompt", "<user_action>", "<realtime")
_ABORTED = "<turn_aborted>"
_SKILL = re.compile(
    r"<skill>\s*<name>([^<]{1,200})</name>\s*(?:<path>[^<]*</path>\s*)?(.*?)\s*(?:</skill>|\Z)", re.DOTALL
)
_REQUEST = "## My request for Codex:"
_EXIT = re.compile(r"(?:Process exited with code|Exit code:|exited with code|\"exit_code\":)\s*(-?\d{1,6})")
_DENIED = "Command blocked by PreToolUse hook: "
_UNKNOWN_TOOL = ("unsupported call: ", "unsupported custom tool call: ")
INTERRUPTED = "[interrupted by the person]"


def text_of_content(content: object) -> str:
    """The text of a message's content items; an image becomes the word `[image]`."""
    if isinstance(content, str):
        return clip(content)
    parts: list[str] = []
    for part in elements(content):
        said = text(part, "text") or (clip(part) if isinstance(part, str) else "")
        parts.append(said or ("[image]" if "image" in text(part, "type").lower() else ""))
    return clip("\n".join(part for part in parts if part))


def is_injected(said: str) -> bool:
    """Whether Codex wrote a user message, not a person."""
    head = said.lstrip()
    return not head or head.startswith((*_OPERATOR, *_UNUSED, *_TOOL, _ABORTED, "<skill>"))


def request_of(said: str) -> str:
    """The person's words, without the text that an editor added before them."""
    return said.rpartition(_REQUEST)[2].strip() if _REQUEST in said else said.strip()


def add_injected_text(run: RunBuilder, said: str, role: str) -> None:
    """Add text that Codex injected into the conversation."""
    head = said.lstrip()
    if head.startswith("<skill>"):
        for name, body in _SKILL.findall(head):
            run.add_shown_skill(name.strip(), body)
    elif head.startswith(_ABORTED):
        run.status = "aborted"
    elif run.add_handed_text(said):
        return
    elif role == "developer" or head.startswith(_OPERATOR):
        run.add_passage("operator", said)
    elif not head.startswith(_UNUSED):
        run.add_passage("tool", said)


def add_item(run: RunBuilder, payload: Map) -> None:
    """Add one response item; an unknown type is ignored."""
    kind = text(payload, "type")
    call = text(payload, "call_id") or text(payload, "id")
    if kind == "message":
        _add_message(run, payload)
    elif kind in ("function_call", "custom_tool_call", "tool_search_call"):
        space, name = text(payload, "namespace"), text(payload, "name") or kind
        full = f"{space}__{name}" if space and not name.startswith(space) else name
        given = payload.get("arguments", payload.get("input"))
        run.add_call(call, full, compact(given))
        run.status = None
    elif kind in ("function_call_output", "custom_tool_call_output", "tool_search_output"):
        _add_output(run, call, payload.get("output", payload.get("tools")))
    elif kind == "local_shell_call":
        run.add_call(call, "local_shell", compact(mapping(payload, "action").get("command")))
    elif kind in ("web_search_call", "image_generation_call"):
        run.add_call(
            call, "web_search" if kind == "web_search_call" else "image_generation", compact(payload.get("action"))
        )


def _add_message(run: RunBuilder, payload: Map) -> None:
    said = text_of_content(payload.get("content"))
    role = text(payload, "role")
    if role == "assistant":
        add_answer(run, said)
    elif role in ("developer", "system") or (role == "user" and is_injected(said)):
        add_injected_text(run, said, role)


def add_answer(run: RunBuilder, said: str) -> None:
    """Add text of the agent; if an item and an event have the same text, it counts once."""
    if said.strip() and not run.is_repeated(said):
        run.add_answer(said)


def _add_output(run: RunBuilder, call: str, output: object) -> None:
    """Add a tool's output: text, content items, or an object that says whether it worked."""
    inner, parts = mapping(output), elements(output)
    said = text_of_content(inner.get("content") if inner else parts) if inner or parts else compact(output)
    if said.startswith('{"output"'):
        said, inner = _parse_old_output(said)
    found = _EXIT.search(said[:2000]) or _EXIT.search(said[-300:])
    failed = inner.get("success") is False or flag(inner, "isError") or flag(inner, "is_error")
    failed = failed or said.startswith((*_UNKNOWN_TOOL, _DENIED))
    code = mapping(inner, "metadata").get("exit_code", int(found.group(1)) if found else 0)
    run.add_result(call, said, error=said if failed or code not in (0, None) else None)


def _parse_old_output(said: str) -> tuple[str, Map]:
    """The output and the metadata in the form of older versions, which is JSON inside the text."""
    try:
        inner = mapping(decode(said))
    except ValueError:
        return said, {}
    return text(inner, "output"), inner


def add_completed_item(run: RunBuilder, thing: Map) -> None:
    """Add one item of the paginated mode; an unknown type is ignored."""
    kind = text(thing, "type")
    kind = kind[:1].upper() + kind[1:]
    if kind == "AgentMessage":
        add_answer(run, text_of_content(thing.get("content")) or text(thing, "text"))
    elif kind == "CommandExecution":
        _add_command(run, thing)
    elif kind == "FileChange":
        _add_ended_tool(run, thing, "apply_patch", compact(thing.get("changes")), text(thing, "stdout"))
    elif kind == "McpToolCall":
        name = f"mcp__{text(thing, 'server')}__{text(thing, 'tool')}"
        _add_ended_tool(run, thing, name, compact(thing.get("arguments")), _text_of_mcp_result(thing))
    elif kind == "WebSearch":
        _add_ended_tool(run, thing, "web_search", text(thing, "query"), "")


def unknown_type_of(record_type: str, payload: Map) -> str:
    """The name of an unknown type of response item, event or completed item; empty if the type is known."""
    kind = text(payload, "type")
    if record_type == "response_item":
        return "" if kind in _ITEMS else f"response item {kind[:60]!r}"
    if kind == "item_completed":
        inner = text(mapping(payload, "item"), "type")
        return "" if inner[:1].upper() + inner[1:] in _COMPLETED_ITEMS else f"item {inner[:60]!r}"
    known = kind in _EVENTS or kind.endswith(("_delta", "_begin", "_started", "_end", "_request", "_updated"))
    return "" if record_type != "event_msg" or known else f"event {kind[:60]!r}"


_ITEMS = frozenset(
    {
        *("message", "function_call", "custom_tool_call", "tool_search_call", "function_call_output", "other"),
        *("custom_tool_call_output", "tool_search_output", "local_shell_call", "web_search_call", "reasoning"),
        *("image_generation_call", "compaction", "compaction_summary", "ghost_snapshot", "agent_message"),
    }
)
_COMPLETED_ITEMS = frozenset(
    {
        *("AgentMessage", "CommandExecution", "FileChange", "McpToolCall", "WebSearch"),
        *("UserMessage", "Reasoning", "Plan", "ContextCompaction", "ImageView", "ImageGeneration", "HookPrompt"),
        *("EnteredReviewMode", "ExitedReviewMode", "CollabToolCall", "SubAgentActivity", "Sleep", "TodoList"),
        *("DynamicToolCall", "CollabAgentToolCall", "Error"),
    }
)


def _text_of_mcp_result(thing: Map) -> str:
    result = thing.get("result")
    return text_of_content(mapping(result).get("content")) or compact(result)


def _add_command(run: RunBuilder, thing: Map) -> None:
    """Add a finished shell command: as the result of the call that ran it, or as a new call."""
    parts = thing.get("command")
    command = clip(parts) if isinstance(parts, str) else text({"last": (elements(parts) or [""])[-1]}, "last")
    call = text(thing, "id")
    if not run.has_call(call):
        call = run.call_of_command(command) or call
    said = text(thing, "aggregated_output") or text(thing, "formatted_output") or text(thing, "stdout")
    _add_ended_tool(run, {**thing, "id": call}, "exec_command", command, said)


def _add_ended_tool(run: RunBuilder, thing: Map, name: str, given: str, said: str) -> None:
    call = text(thing, "id")
    run.add_call(call, name, given)
    code = thing.get("exit_code", thing.get("exitCode"))
    status = text(thing, "status").lower()
    failed = code not in (0, None) or status in ("failed", "declined") or bool(thing.get("error"))
    failed = failed or flag(mapping(thing, "result"), "isError")
    reason = compact(thing.get("error")) or said or text(thing, "stderr") or status or f"exit code {code}"
    run.add_result(call, said, error=reason if failed else None)


def add_event(run: RunBuilder, payload: Map) -> None:
    """Add one event; an unknown type is ignored."""
    kind = text(payload, "type")
    call = text(payload, "call_id")
    if kind == "agent_message":
        add_answer(run, text(payload, "message"))
    elif kind in ("task_complete", "turn_complete"):
        _end_turn(run, payload)
    elif kind == "turn_aborted":
        run.status = "aborted"
        run.corrections += [INTERRUPTED] if text(payload, "reason") != "review_ended" else []
    elif kind == "error":
        run.status = "error"
    elif kind in ("exec_command_end", "patch_apply_end"):
        _add_tool_end(run, call, payload)
    elif kind == "mcp_tool_call_end":
        _add_mcp_end(run, call, payload)
    elif kind == "item_completed":
        add_completed_item(run, mapping(payload, "item"))


def _add_tool_end(run: RunBuilder, call: str, payload: Map) -> None:
    if run.has_call(call):
        failed = payload.get("exit_code") not in (0, None) or payload.get("success") is False
        said = text(payload, "aggregated_output") or text(payload, "stdout") or text(payload, "stderr")
        run.add_result(call, said, error=(said or "failed") if failed else None)


def _add_mcp_end(run: RunBuilder, call: str, payload: Map) -> None:
    asked = mapping(payload, "invocation")
    run.add_call(call, f"mcp__{text(asked, 'server')}__{text(asked, 'tool')}", compact(asked.get("arguments")))
    bad = mapping(payload, "result").get("Err")
    said = text_of_content(items(mapping(payload, "result", "Ok"), "content")) or compact(bad)
    run.add_result(call, said, error=compact(bad) if bad else None)


_EVENTS = frozenset(
    {
        *("agent_message", "task_complete", "turn_complete", "turn_aborted", "error"),
        *("user_message", "token_count", "agent_reasoning", "agent_reasoning_raw_content", "thread_rolled_back"),
        *("context_compacted", "turn_diff", "plan_update", "stream_error", "warning", "background_event", "turn_start"),
        *("entered_review_mode", "exited_review_mode", "deprecation_notice", "web_search_end", "shutdown_complete"),
        *("thread_name_updated", "thread_goal_updated", "undo_completed", "view_image_tool_call", "model_reroute"),
        *("agent_reasoning_section_break", "session_configured", "hook_completed", "thread_settings_applied"),
    }
)


def _end_turn(run: RunBuilder, payload: Map) -> None:
    add_answer(run, text(payload, "last_agent_message"))
    run.status = "error" if payload.get("error") else "completed"
