"""Read spans that use the GenAI semantic conventions, old and new, or Claude Code's own attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.capture.reading.fields import Map, compact, elements, mapping, number, text
from metier.capture.reading.messages import ChatMessage, messages_of
from metier.capture.traces.attributes import nested_value
from metier.capture.traces.spans import without_attributes
from metier.capture.traces.trace_runs import TraceStep
from metier.types import Outcome, Tokens

if TYPE_CHECKING:
    from metier.capture.traces.spans import TraceSpan
    from metier.capture.traces.trace_runs import StepKind

_OPERATIONS: dict[str, StepKind] = {
    "chat": "model",
    "generate_content": "model",
    "text_completion": "model",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "invoke_workflow": "agent",
}
_NAMES: dict[str, StepKind] = {
    "claude_code.interaction": "agent",
    "claude_code.llm_request": "model",
    "claude_code.tool": "tool",
    "ai.toolCall": "tool",
    "ai.generateText": "agent",
    "ai.streamText": "agent",
    "ai.generateText.doGenerate": "model",
    "ai.streamText.doStream": "model",
}
_TRACELOOP: dict[str, StepKind] = {"agent": "agent", "workflow": "agent", "tool": "tool"}
_ARGUMENTS = (
    *("gen_ai.tool.call.arguments", "tool_input", "tool_arguments", "ai.toolCall.args", "traceloop.entity.input"),
    *("full_command", "file_path"),
)
_RESULTS = ("gen_ai.tool.call.result", "tool_output", "tool_response", "ai.toolCall.result", "traceloop.entity.output")
_TELLING = ("tool.output", "gen_ai.content.prompt", "gen_ai.content.completion")
"""Events whose attributes belong to their span."""
_PASSED = ("pass", "passed", "correct", "success", "true", "yes")
_FAILED = ("fail", "failed", "incorrect", "failure", "false", "no")


def genai_step(span: TraceSpan) -> TraceStep:
    """The step that a span with GenAI attributes describes."""
    given = _attributes_with_events(span)
    kind = _kind_of(span, given)
    if kind == "other":
        return TraceStep(span=without_attributes(span))
    common = _session_and_agent(given)
    if kind == "tool":
        return _tool_step(span, given, common)
    roots = _name_prefixes(given)
    return TraceStep(
        span=without_attributes(span),
        kind=kind,
        model=_first_text(given, "gen_ai.response.model", "gen_ai.request.model", "model", "ai.model.id"),
        session=common[0],
        agent=common[1],
        received=_messages_received(given, roots),
        answered=_messages_answered(given, roots),
        tokens=_tokens_of(given),
        outcome=_outcome_of(span, given),
    )


def _session_and_agent(given: Map) -> tuple[str, str]:
    """The session and the agent in a span's attributes."""
    session = _first_text(given, "gen_ai.conversation.id", "session.id", "langfuse.session.id", "thread.id")
    return session, _first_text(given, "gen_ai.agent.name", "service.name")


def _tool_step(span: TraceSpan, given: Map, common: tuple[str, str]) -> TraceStep:
    skill = _first_text(given, "github.copilot.skill.name", "skill.name", "skill_name")
    name = _first_text(given, "gen_ai.tool.name", "tool_name", "ai.toolCall.name", "traceloop.entity.name")
    return TraceStep(
        span=without_attributes(span),
        kind="tool",
        session=common[0],
        agent=common[1],
        tool=name or span.name,
        call=_first_text(given, "gen_ai.tool.call.id", "tool_use_id", "ai.toolCall.id"),
        given=_first_value(given, *_ARGUMENTS),
        output=_first_value(given, *_RESULTS),
        skills=(skill,) if skill else (),
        outcome=_outcome_of(span, given),
    )


def _kind_of(span: TraceSpan, given: Map) -> StepKind:
    if span.name == "claude_code.tool.execution" and "tool_use_id" in given:
        return "tool"
    known = _NAMES.get(span.name) or _OPERATIONS.get(text(given, "gen_ai.operation.name"))
    known = known or _TRACELOOP.get(text(given, "traceloop.span.kind"))
    if known:
        return known
    if "gen_ai.tool.name" in given and "gen_ai.request.model" not in given:
        return "tool"
    if text(given, "gen_ai.operation.name") in ("embeddings", "create_agent", "retrieval"):
        return "other"
    telling = ("gen_ai.request.model", "gen_ai.response.model", "gen_ai.usage.input_tokens", "gen_ai.prompt")
    return "model" if any(key in given for key in telling) or "gen_ai.prompt.0.content" in given else "other"


def _attributes_with_events(span: TraceSpan) -> Map:
    """The attributes of a span, with those of events that contain a conversation."""
    given = span.attributes
    if not span.events:
        return given
    given = dict(given)
    told: list[object] = []
    chosen: list[object] = []
    for name, attributes in span.events:
        if name in _TELLING or not attributes.keys().isdisjoint(("gen_ai.input.messages", "gen_ai.output.messages")):
            given = attributes | given
            if name == "tool.output":
                given.setdefault("tool_output", attributes.get("output", attributes.get("content")))
        elif name.endswith(".message") and name.startswith("gen_ai."):
            told.append({"role": name.split(".")[1], **attributes})
        elif name == "gen_ai.choice":
            chosen.append({"role": "assistant", **attributes, **mapping(nested_value(attributes, "message"))})
    if told:
        given.setdefault("gen_ai.input.messages", told)
    if chosen:
        given.setdefault("gen_ai.output.messages", chosen)
    return given


def _name_prefixes(given: Map) -> set[str]:
    """All names and all their dotted prefixes."""
    found = set(given)
    for key in given:
        at = key.find(".")
        while at >= 0:
            found.add(key[:at])
            at = key.find(".", at + 1)
    return found


def _messages_received(given: Map, roots: set[str]) -> tuple[ChatMessage, ...]:
    found: list[ChatMessage] = []
    for key in roots & {"gen_ai.system_instructions", "gen_ai.system.instructions"}:
        system = nested_value(given, key)
        said = system if isinstance(system, str) else "\n".join(text(part, "content") for part in elements(system))
        found += [ChatMessage(role="system", text=said)] if said else []
    for key in (
        "gen_ai.input.messages",
        "gen_ai.prompt",
        "pydantic_ai.all_messages",
        "ai.prompt",
        "ai.prompt.messages",
    ):
        found += messages_of(nested_value(given, key), "user") if key in roots else ()
        if any(message.role == "user" for message in found):
            return tuple(found)
    prompt = _first_text(given, "user_prompt", "new_context", "traceloop.entity.input")
    hidden = prompt in ("", "<REDACTED>", "[REDACTED]")
    return (*found, *(() if hidden else messages_of(prompt, "user")))


def _messages_answered(given: Map, roots: set[str]) -> tuple[ChatMessage, ...]:
    for key in ("gen_ai.output.messages", "gen_ai.completion", "final_result", "response.model_output"):
        if key in roots and (found := messages_of(nested_value(given, key), "assistant")):
            return found
    said = _first_text(given, "ai.response.text", "traceloop.entity.output")
    return messages_of(said, "assistant")


def _tokens_of(given: Map) -> Tokens:
    if "cache_read_tokens" in given or "cache_creation_tokens" in given:
        return Tokens(
            input=number(given, "input_tokens"),
            output=number(given, "output_tokens"),
            cache_read=number(given, "cache_read_tokens"),
            cache_write=number(given, "cache_creation_tokens"),
        )
    use = "gen_ai.usage."
    cached = number(given, f"{use}cache_read.input_tokens") or number(given, f"{use}cache_read_input_tokens")
    writing = ("cache_creation.input_tokens", "cache_creation_input_tokens", "cache_write.input_tokens")
    written = next((found for key in writing if (found := number(given, use + key))), 0)
    taken = number(given, f"{use}input_tokens") or number(given, f"{use}prompt_tokens") or number(given, "input_tokens")
    made = number(given, f"{use}output_tokens") or number(given, f"{use}completion_tokens")
    return Tokens(
        input=max(0, taken - cached - written),
        output=made or number(given, "output_tokens"),
        cache_read=cached,
        cache_write=written,
    )


def _outcome_of(span: TraceSpan, given: Map) -> Outcome | None:
    """The result of an evaluation, if the span has one."""
    for attributes in (given, *(inner for _, inner in span.events)):
        if "gen_ai.evaluation.score.label" not in attributes:
            continue
        label = text(attributes, "gen_ai.evaluation.score.label").lower()
        if label in (*_PASSED, *_FAILED):
            reason = text(attributes, "gen_ai.evaluation.explanation") or text(attributes, "gen_ai.evaluation.name")
            return Outcome(success=label in _PASSED, by="verifier", reason=reason)
    return None


def _first_text(given: Map, *keys: str) -> str:
    for key in keys:
        if key in given and (found := text(given, key)):
            return found
    return ""


def _first_value(given: Map, *keys: str) -> str:
    return next((compact(given[key]) for key in keys if given.get(key) is not None), "")
