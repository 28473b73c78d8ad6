"""Read chat messages in any of the shapes that models, SDKs and trace viewers use."""

from __future__ import annotations

from dataclasses import dataclass

from metier.capture.reading.fields import Map, clip, compact, elements, is_list, is_map, mapping, text

SYSTEM = ("system", "developer")
_AGENT = ("assistant", "model", "ai")
_KINDS = ("human", "ai", "tool", "system")
_NOT_ASKING = (*SYSTEM, *_AGENT, "tool", "function")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One chat message: its role, its text, its tool calls and the tool outputs in it."""

    role: str
    text: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    """Tool calls: id, name, arguments."""
    results: tuple[tuple[str, str], ...] = ()
    """Tool outputs: id of the call, text."""


def message_of(value: object, role: str = "") -> ChatMessage:
    """The message in a value of any known shape: parts, content blocks, tool_calls, with or without a wrapper."""
    inner = _unwrap(value)
    role = _role_of(value) or role
    content = inner.get("content") or inner.get("parts") or inner.get("contents")
    texts: list[str] = [clip(content)] if isinstance(content, str) else []
    calls: list[tuple[str, str, str]] = []
    results: list[tuple[str, str]] = []
    for part in elements(content):
        _add_part(mapping(part, "message_content") or mapping(part), texts, calls, results)
    calls += [_call_of(call) for call in elements(inner.get("tool_calls"))]
    if role == "tool":
        results.append((text(inner, "tool_call_id") or text(inner, "id"), "\n".join(texts)))
        texts = []
    return ChatMessage(role=role, text="\n".join(texts), calls=tuple(calls), results=tuple(results))


def _unwrap(value: object) -> Map:
    """The message without the wrapper that some programs put around it."""
    return mapping(value, "message") or mapping(value, "data") or mapping(value)


def _role_of(value: object) -> str:
    """The role of a message; LangChain writes it as the type."""
    said = text(_unwrap(value), "role") or text(value, "role")
    kind = text(value, "type")
    return said or (kind if kind in _KINDS else "")


def _call_of(call: object) -> tuple[str, str, str]:
    """The id, the name and the arguments of a tool call."""
    one = mapping(call, "tool_call") or mapping(call)
    asked = mapping(one, "function") or one
    given = asked.get("arguments", one.get("function.arguments", one.get("args")))
    return text(one, "id"), text(asked, "name") or text(one, "function.name"), compact(given)


def _add_part(part: Map, texts: list[str], calls: list[tuple[str, str, str]], results: list[tuple[str, str]]) -> None:
    kind = text(part, "type")
    if kind in ("text", "input_text", "output_text", ""):
        texts.append(text(part, "content") or text(part, "text"))
    elif kind in ("tool_call", "tool_use", "tool-call"):
        given = part.get("arguments", part.get("input", part.get("args")))
        name = text(part, "name") or text(part, "toolName")
        if name:
            calls.append((text(part, "id") or text(part, "toolCallId"), name, compact(given)))
    elif kind in ("tool_call_response", "tool_result", "tool-result"):
        said = part.get("result", part.get("response", part.get("content", part.get("output"))))
        results.append((text(part, "id") or text(part, "tool_use_id") or text(part, "toolCallId"), compact(said)))


def messages_of(value: object, role: str = "") -> tuple[ChatMessage, ...]:
    """The messages in a value; a plain text is one message."""
    if isinstance(value, str):
        return (ChatMessage(role=role, text=clip(value)),) if value.strip() else ()
    if is_map(value) and "messages" in value:
        value = mapping(value)["messages"]
    listed = elements(value)
    if len(listed) == 1 and is_list(listed[0]):
        listed = elements(listed[0])
    wanted = [value] if is_map(value) else _new_messages(listed) if role == "user" else listed
    return tuple(message_of(one, role) for one in wanted if is_map(one))


def _new_messages(listed: list[object]) -> list[object]:
    """The messages that are new in this model call: each call repeats the whole conversation."""
    roles = [_role_of(one) for one in listed]
    last = max((index for index, role in enumerate(roles) if role in _AGENT), default=-1)
    asking = (index for index in reversed(range(len(roles))) if roles[index] not in _NOT_ASKING)
    asked = next((index for index in asking if message_of(listed[index]).text.strip()), -1)
    kept = {index for index, role in enumerate(roles) if role in SYSTEM or index > last or index == asked}
    return [listed[index] for index in sorted(kept)]
