"""Read spans that use OpenInference attributes: kinds, flattened messages, token counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.capture.reading.fields import Map, compact, is_list, is_map, mapping, number, text
from metier.capture.reading.messages import ChatMessage, messages_of
from metier.capture.traces.attributes import nested_value
from metier.capture.traces.spans import without_attributes
from metier.capture.traces.trace_runs import TraceStep
from metier.types import Outcome, Tokens

if TYPE_CHECKING:
    from metier.capture.traces.spans import TraceSpan
    from metier.capture.traces.trace_runs import StepKind

_KINDS: dict[str, StepKind] = {"LLM": "model", "TOOL": "tool", "AGENT": "agent"}


def openinference_step(span: TraceSpan) -> TraceStep:
    """The step that a span with OpenInference attributes describes."""
    given = span.attributes
    named = text(given, "openinference.span.kind").upper()
    kind: StepKind = "agent" if named == "CHAIN" and not span.parent else _KINDS.get(named, "other")
    if kind == "other":
        return TraceStep(span=without_attributes(span), outcome=_outcome_of(given) if named == "EVALUATOR" else None)
    called = nested_value(given, "tool.parameters") if "tool.parameters" in given else None
    return TraceStep(
        span=without_attributes(span),
        kind=kind,
        received=_messages_of_span(given, "llm.input_messages", "input.value", "user"),
        answered=_messages_of_span(given, "llm.output_messages", "output.value", "assistant"),
        tool=text(given, "tool.name") or text(given, "tool_call.function.name") or span.name,
        call=text(given, "tool_call.id") or text(given, "tool.id"),
        given=compact(given.get("input.value") or called or given.get("tool_call.function.arguments")),
        output=compact(given.get("output.value")),
        model=text(given, "llm.model_name"),
        tokens=_tokens_of(given),
        session=text(given, "session.id"),
        agent=text(given, "agent.name") or text(given, "service.name"),
    )


def _messages_of_span(given: Map, name: str, plain: str, role: str) -> tuple[ChatMessage, ...]:
    """The messages of a call; without messages, the input or output value of the span."""
    found = messages_of(nested_value(given, name), role)
    if found:
        return found
    value = nested_value(given, plain)
    listed = messages_of(value, role)
    if any(message.text for message in listed):
        return listed
    said = _inner_text(value, role)
    return (ChatMessage(role=role, text=said),) if said else ()


def _inner_text(value: object, role: str) -> str:
    """The text inside the small objects that frameworks put around a question or an answer."""
    keys = ("input", "query", "question", "prompt", "user_query", "task", "message", "text")
    keys = keys if role == "user" else ("output", "answer", "response", "content", "result", "text")
    for key in keys:
        inner = mapping(value).get(key)
        if isinstance(inner, str) and inner.strip():
            return text(value, key)
        listed = messages_of(inner if is_list(inner) else None, role)
        if listed and listed[-1].text:
            return listed[-1].text
    return compact(value) if is_map(value) and value else ""


def _tokens_of(given: Map) -> Tokens:
    count = "llm.token_count."
    cached = number(given, f"{count}prompt_details.cache_read")
    written = number(given, f"{count}prompt_details.cache_write")
    return Tokens(
        input=max(0, number(given, f"{count}prompt") - cached - written),
        output=number(given, f"{count}completion"),
        cache_read=cached,
        cache_write=written,
    )


def _outcome_of(given: Map) -> Outcome | None:
    """The result in an evaluator span."""
    label = text(given, "evaluation.label").lower() or text(given, "eval.label").lower()
    good = ("pass", "passed", "correct", "true")
    if label in (*good, "fail", "failed", "incorrect", "false"):
        return Outcome(success=label in good, by="verifier", reason=text(given, "evaluation.explanation"))
    return None
