"""Spans of GenAI agents become runs, in every dialect they are written in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from capture_samples import parse, reasons, runs

from metier.capture.source import Rewound
from metier.capture.traces.source import OpenInference, Otel
from metier.types import Outcome, Tokens

OTEL, INFERENCE = Otel(), OpenInference()
SECOND = 1_000_000_000


def typed(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(one) for one in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": typed(inner)} for key, inner in value.items()]}}
    return {"stringValue": value}


def span(name: str, start: int, span_id: str, parent: str = "", *, error: str = "", **more: Any) -> dict[str, Any]:
    attributes = more.pop("attributes", {})
    return {
        "traceId": more.pop("trace", "t1"),
        "spanId": span_id,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str((1_772_000_000 + start) * SECOND),
        "endTimeUnixNano": str((1_772_000_000 + start + 1) * SECOND),
        "attributes": [{"key": key, "value": typed(value)} for key, value in attributes.items()],
        "status": {"code": 2, "message": error} if error else {},
        **more,
    }


def document(*spans: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop-agent"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def text_message(role: str, said: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": said}]}


def agent_trace() -> dict[str, Any]:
    question = [text_message("system", "Be kind."), text_message("user", "where is order 7?")]
    call = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "lookup", "arguments": {"id": 7}}]}
    usage = {
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
        "gen_ai.usage.cache_read.input_tokens": 60,
    }
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5", **usage}
    answer = [text_message("assistant", "It ships on Tuesday.")]
    return document(
        span(
            "invoke_agent shop",
            0,
            "a",
            attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "c-9"},
        ),
        span("chat gpt-5", 1, "b", "a", attributes={**chat, "gen_ai.input.messages": json.dumps(question)}),
        span(
            "execute_tool lookup",
            2,
            "c",
            "a",
            error="timeout",
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "lookup",
                "gen_ai.tool.call.id": "c1",
                "gen_ai.tool.call.arguments": '{"id": 7}',
                "gen_ai.tool.call.result": "no answer",
            },
        ),
        span(
            "chat gpt-5",
            3,
            "d",
            "a",
            attributes={**chat, "gen_ai.input.messages": [*question, call], "gen_ai.output.messages": answer},
        ),
    )


def test_an_agent_span_and_all_below_it_are_one_run() -> None:
    (run,) = runs(parse(OTEL, json.dumps(agent_trace()).encode()))
    assert (run.message, run.output, run.status) == ("where is order 7?", "It ships on Tuesday.", "completed")
    assert (run.session, run.agent, run.model, run.external_id) == ("c-9", "shop-agent", "gpt-5", "t1:a")
    assert run.tokens == Tokens(input=80, output=20, cache_read=120)
    assert [(tool.name, tool.ok, tool.input, tool.error) for tool in run.tools] == [
        ("lookup", False, '{"id": 7}', "no answer")
    ]
    assert [(piece.origin, piece.text) for piece in run.context] == [("operator", "Be kind.")]
    assert run.started == "2026-02-25T06:13:20Z"


@pytest.mark.parametrize("shape", ["one line", "pretty", "lines of one span", "array", "two documents"])
def test_every_way_to_lay_out_the_file_gives_the_same_run(shape: str) -> None:
    whole = agent_trace()
    spans = whole["resourceSpans"][0]["scopeSpans"][0]["spans"]
    single = [document(one) for one in spans]
    data = {
        "one line": json.dumps(whole),
        "pretty": json.dumps(whole, indent=2),
        "lines of one span": "\n".join(json.dumps(one) for one in reversed(single)),
        "array": json.dumps(single),
        "two documents": json.dumps(document(*spans[:2]), indent=1) + "\n" + json.dumps(document(*spans[2:]), indent=1),
    }[shape]
    assert runs(parse(OTEL, data.encode())) == runs(parse(OTEL, json.dumps(whole).encode()))


def test_a_document_that_is_cut_gives_its_whole_spans() -> None:
    data = json.dumps(agent_trace()).encode()
    for end in range(0, len(data), 7):
        found = parse(OTEL, data[:end])
        assert reasons(found)
    assert runs(parse(OTEL, data[:-300]))[0].tools[0].name == "lookup"


def test_a_trace_without_an_agent_is_one_run_and_tools_are_found_in_the_messages() -> None:
    calls = [{"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": '{"q": "x"}'}}]
    asked = [{"role": "user", "content": "find x"}]
    first = {"gen_ai.system": "openai", "gen_ai.request.model": "m", "gen_ai.input.messages": json.dumps(asked)}
    first["gen_ai.output.messages"] = json.dumps([{"role": "assistant", "content": None, "tool_calls": calls}])
    told = [
        *asked,
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ]
    second = {"gen_ai.request.model": "m", "gen_ai.input.messages": json.dumps(told)}
    second["gen_ai.output.messages"] = json.dumps([{"role": "assistant", "content": "Here is x."}])
    data = document(span("chat", 0, "a", attributes=first), span("chat", 2, "b", attributes=second))
    (run,) = runs(parse(OTEL, json.dumps(data).encode()))
    assert (run.message, run.output) == ("find x", "Here is x.")
    assert [(tool.name, tool.output, tool.origin) for tool in run.tools] == [("web_search", "found", "web")]


def test_older_attributes_and_events_are_understood() -> None:
    indexed = {
        "gen_ai.system": "anthropic",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "hello",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "hi",
        "gen_ai.usage.prompt_tokens": 5,
        "gen_ai.usage.completion_tokens": 2,
    }
    (run,) = runs(parse(OTEL, json.dumps(document(span("anthropic.chat", 0, "a", attributes=indexed))).encode()))
    assert (run.message, run.output, run.tokens) == ("hello", "hi", Tokens(input=5, output=2))
    events = [
        {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": {"stringValue": "hello"}}]},
        {"name": "gen_ai.choice", "attributes": [{"key": "message", "value": {"stringValue": '{"content": "hi"}'}}]},
    ]
    chat = span("chat m", 0, "a", attributes={"gen_ai.operation.name": "chat"}, events=events)
    (run,) = runs(parse(OTEL, json.dumps(document(chat)).encode()))
    assert (run.message, run.output) == ("hello", "hi")


def test_claude_codes_own_spans_become_runs() -> None:
    session = {"session.id": "s-1"}
    used = {
        "model": "claude-opus-4-6",
        "input_tokens": 3,
        "output_tokens": 7,
        "cache_read_tokens": 90,
        "cache_creation_tokens": 5,
    }
    data = document(
        span("claude_code.interaction", 0, "a", attributes={**session, "user_prompt": "fix it"}),
        span("claude_code.llm_request", 1, "b", "a", attributes={**session, **used}),
        span("claude_code.tool", 2, "c", "a", attributes={**session, "tool_name": "Bash", "tool_input": "ls"}),
        span("claude_code.tool.execution", 2, "d", "c", attributes=session),
        span("claude_code.interaction", 9, "e", attributes={**session, "user_prompt": "no, that is wrong"}),
        span("claude_code.llm_request", 10, "f", "e", attributes={**session, **used}),
    )
    first, second = runs(parse(OTEL, json.dumps(data).encode()))
    assert (first.message, first.session, first.model) == ("fix it", "s-1", "claude-opus-4-6")
    assert first.tokens == Tokens(input=3, output=7, cache_read=90, cache_write=5)
    assert [tool.name for tool in first.tools] == ["Bash"]
    assert first.correction == "no, that is wrong"
    assert second.tokens.output == 7


def test_a_tool_of_claude_code_fails_where_its_execution_does() -> None:
    call = {"tool_use_id": "toolu_1"}
    data = document(
        span("claude_code.interaction", 0, "a", attributes={"user_prompt": "run it"}),
        span("claude_code.tool", 1, "b", "a", attributes={**call, "tool_name": "Bash", "full_command": "exit 3"}),
        span("claude_code.tool.execution", 2, "c", "b", error="Shell command failed", attributes=call),
        span("claude_code.tool", 3, "d", "a", attributes={"tool_use_id": "toolu_2", "tool_name": "Skill"}),
        span("claude_code.tool.execution", 4, "e", "d", attributes={"tool_use_id": "toolu_2"}),
    )
    (run,) = runs(parse(OTEL, json.dumps(data).encode()))
    assert [(tool.name, tool.input, tool.ok, tool.error) for tool in run.tools] == [
        ("Bash", "exit 3", False, "Shell command failed"),
        ("Skill", "", True, None),
    ]


def test_the_question_is_the_last_one_in_words_not_a_tools_answer() -> None:
    told = [
        text_message("user", "weather?"),
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "look", "arguments": {}}]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "c", "result": "sunny"}]},
    ]
    data = document(span("chat", 0, "a", attributes={"gen_ai.operation.name": "chat", "gen_ai.input.messages": told}))
    assert runs(parse(OTEL, json.dumps(data).encode()))[0].message == "weather?"


def test_older_names_of_a_tools_arguments_and_of_written_tokens_are_understood() -> None:
    tool = {"gen_ai.tool.name": "look", "tool_arguments": '{"city":"Rome"}', "tool_response": "sunny"}
    use = "gen_ai.usage."
    used = {f"{use}input_tokens": 118, f"{use}cache_read.input_tokens": 100, f"{use}cache_write.input_tokens": 11}
    data = document(
        span("agent run", 0, "a", attributes={"gen_ai.operation.name": "invoke_agent"}),
        span("running tool", 1, "b", "a", attributes=tool),
        span("chat", 2, "c", "a", attributes={"gen_ai.operation.name": "chat", **used}),
    )
    (run,) = runs(parse(OTEL, json.dumps(data).encode()))
    assert [(one.input, one.output) for one in run.tools] == [('{"city":"Rome"}', "sunny")]
    assert run.tokens == Tokens(input=7, cache_read=100, cache_write=11)


def test_a_request_that_an_sdk_traces_without_words_takes_no_words_away() -> None:
    said = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "weather?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "I will look.",
        "llm.output_messages.0.message.contents.0.message_content.type": "text",
        "llm.output_messages.0.message.contents.0.message_content.text": "I will look.",
        "llm.output_messages.0.message.contents.1.message_content.type": "tool_use",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "look",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}",
        "llm.token_count.prompt": 118,
        "llm.token_count.completion": 42,
    }
    inner = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 118, "gen_ai.usage.output_tokens": 42}
    data = document(span("messages.create", 0, "a", attributes=said), span("http", 1, "b", "a", attributes=inner))
    (run,) = runs(parse(INFERENCE, json.dumps(data).encode()))
    assert (run.message, run.output, [tool.name for tool in run.tools]) == ("weather?", "I will look.", ["look"])
    assert run.tokens == Tokens(input=118, output=42)


@pytest.mark.parametrize(
    ("given", "output", "message", "answer"),
    [
        (
            {"messages": [{"role": "user", "content": "weather?"}]},
            {
                "messages": [
                    {"type": "human", "data": {"content": "weather?"}},
                    {"type": "ai", "data": {"content": "Sun."}},
                ]
            },
            "weather?",
            "Sun.",
        ),
        ({"task": "weather?", "stream": False}, "Sun.", "weather?", "Sun."),
    ],
)
def test_what_frameworks_put_around_words_is_taken_off(given: Any, output: Any, message: str, answer: str) -> None:
    attributes = {
        "openinference.span.kind": "AGENT",
        "input.value": json.dumps(given),
        "output.value": output if isinstance(output, str) else json.dumps(output),
    }
    data = document(span("graph", 0, "a", attributes=attributes))
    (run,) = runs(parse(INFERENCE, json.dumps(data).encode()))
    assert (run.message, run.output) == (message, answer)


def test_a_hidden_prompt_is_an_empty_one() -> None:
    hidden = span("claude_code.interaction", 0, "a", attributes={"user_prompt": "<REDACTED>"})
    assert runs(parse(OTEL, json.dumps(document(hidden)).encode()))[0].message == ""


def test_an_evaluation_is_an_outcome_and_an_error_a_status() -> None:
    label = {"gen_ai.evaluation.score.label": "fail", "gen_ai.evaluation.explanation": "wrong day"}
    event = {
        "name": "gen_ai.evaluation.result",
        "attributes": [{"key": k, "value": typed(v)} for k, v in label.items()],
    }
    asked = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": "when?"}
    top = span("invoke_agent", 0, "a", error="boom", attributes=asked, events=[event])
    (run,) = runs(parse(OTEL, json.dumps(document(top)).encode()))
    assert run.outcome == Outcome(success=False, by="verifier", reason="wrong day")
    assert (run.status, run.message) == ("error", "when?")


def test_spans_of_other_things_are_named() -> None:
    data = document(span("GET /", 0, "a", attributes={"http.method": "GET"}))
    assert reasons(parse(OTEL, json.dumps(data).encode())) == [
        "none of the spans (1) is from an agent, a model or a tool"
    ]
    assert reasons(parse(OTEL, b"")) == ["no spans in the file"]


def test_a_grown_file_of_spans_is_read_whole() -> None:
    (found,) = parse(OTEL, json.dumps(agent_trace()).encode(), 5)
    assert isinstance(found, Rewound)


FLAT = {
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "Be brief.",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.content": "capital of France?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "Paris.",
    "llm.model_name": "gpt-4o",
    "llm.token_count.prompt": 20,
    "llm.token_count.completion": 3,
    "llm.token_count.prompt_details.cache_read": 5,
    "session.id": "s-7",
}
TOOL = {"openinference.span.kind": "TOOL", "tool.name": "read_file", "input.value": '{"p": 1}', "output.value": "text"}


def nest(flat: dict[str, Any]) -> dict[str, Any]:
    """The same attributes as nested objects with lists, as a trace viewer's API gives them."""
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        place = tree
        parts = key.split(".")
        for part in parts[:-1]:
            place = place.setdefault(part, {})
        place[parts[-1]] = value
    for side in ("input_messages", "output_messages"):
        tree["llm"][side] = [tree["llm"][side][key] for key in sorted(tree["llm"][side])]
    return tree


def inference_files() -> dict[str, bytes]:
    chain = {
        "openinference.span.kind": "CHAIN",
        "input.value": '{"question": "capital of France?"}',
        "output.value": "Paris.",
    }
    llm = {"openinference.span.kind": "LLM", **FLAT}
    otlp = document(
        span("agent", 0, "a", attributes=chain),
        span("ChatOpenAI", 1, "b", "a", attributes=llm),
        span("read_file", 2, "c", "a", attributes=TOOL),
    )
    rows = []
    nested_rows = []
    for number, (name, kind, attributes) in enumerate(
        (("agent", "CHAIN", chain), ("ChatOpenAI", "LLM", llm), ("read_file", "TOOL", TOOL))
    ):
        common = {
            "name": name,
            "span_kind": kind,
            "parent_id": "a" if number else None,
            "start_time": f"2026-02-25T06:13:2{number}+00:00",
            "end_time": f"2026-02-25T06:13:2{number + 1}+00:00",
            "status_code": "OK",
        }
        ids = {"trace_id": "t1", "span_id": "abc"[number]}
        flat = {f"attributes.{key}": value for key, value in attributes.items()}
        rows.append(common | {f"context.{key}": value for key, value in ids.items()} | flat)
        shown = nest(attributes) if kind == "LLM" else attributes
        nested_rows.append(common | {"context": ids, "attributes": shown})
    return {
        "otlp": json.dumps(otlp).encode(),
        "flat lines": "\n".join(json.dumps(row) for row in rows).encode(),
        "nested data": json.dumps({"data": nested_rows, "next_cursor": None}).encode(),
    }


@pytest.mark.parametrize("shape", ["otlp", "flat lines", "nested data"])
def test_openinference_spans_become_the_same_run_in_every_export(shape: str) -> None:
    data = inference_files()[shape]
    assert INFERENCE.claims("x.jsonl", data)
    assert not OTEL.claims("x.jsonl", data)
    (run,) = runs(parse(INFERENCE, data))
    assert (run.message, run.output, run.model) == ("capital of France?", "Paris.", "gpt-4o")
    assert (run.session, run.status, run.external_id, run.source) == ("s-7", "completed", "t1:a", "openinference")
    assert run.tokens == Tokens(input=15, output=3, cache_read=5)
    assert [(tool.name, tool.input, tool.output, tool.origin) for tool in run.tools] == [
        ("read_file", '{"p": 1}', "text", "file")
    ]
    assert [(piece.origin, piece.text) for piece in run.context] == [("operator", "Be brief.")]


def test_a_model_call_that_wraps_another_is_not_counted_twice() -> None:
    llm = {"openinference.span.kind": "LLM", **FLAT}
    data = document(span("outer", 0, "a", attributes=llm), span("inner", 0, "b", "a", attributes=llm))
    (run,) = runs(parse(INFERENCE, json.dumps(data).encode()))
    assert run.tokens.output == 3
