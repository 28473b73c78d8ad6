"""What well-known agents print is read as an attempt; what is no such thing says so."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.training.targets.agent_output import PIECE, TRACE, Format, read
from metier.types import Tokens


def lines(*events: dict[str, Any]) -> str:
    return "some warning\n" + "\n".join(json.dumps(event) for event in events)


def test_plain_text_is_the_answer() -> None:
    story = read(" hi\n", "text")
    assert (story.answer, story.trace, story.problem) == ("hi", "", "")


def test_claude_code_is_read() -> None:
    story = read(
        lines(
            {"type": "system", "subtype": "init"},
            {
                "type": "assistant",
                "message": {
                    "content": [
                        {"type": "text", "text": "I look."},
                        {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}},
                    ]
                },
            },
            {"type": "user", "message": {"content": [{"type": "tool_result", "content": "a.txt"}]}},
            {
                "type": "result",
                "subtype": "success",
                "is_error": False,
                "result": "There is a.txt.",
                "total_cost_usd": 0.01,
                "usage": {
                    "input_tokens": 3,
                    "output_tokens": 4,
                    "cache_read_input_tokens": 5,
                    "cache_creation_input_tokens": 6,
                },
            },
        ),
        "claude",
    )
    assert (story.answer, story.tools, story.cost_usd, story.problem) == ("There is a.txt.", ["Bash"], 0.01, "")
    assert story.tokens == Tokens(input=3, output=4, cache_read=5, cache_write=6)
    assert story.trace == 'assistant: I look.\ncall Bash: {"command": "ls"}\nresult: a.txt'


def test_codex_is_read() -> None:
    story = read(
        lines(
            {"type": "thread.started", "thread_id": "t"},
            {"type": "item.completed", "item": {"type": "agent_message", "text": "First."}},
            {
                "type": "item.completed",
                "item": {"type": "command_execution", "command": "ls", "aggregated_output": "a", "exit_code": 0},
            },
            {"type": "item.completed", "item": {"type": "file_change", "changes": [{"path": "a", "kind": "add"}]}},
            {"type": "item.completed", "item": {"type": "mcp_tool_call", "server": "s", "tool": "t", "arguments": {}}},
            {"type": "item.completed", "item": {"type": "web_search", "query": "q"}},
            {"type": "item.completed", "item": {"type": "agent_message", "text": "Done."}},
            {"type": "turn.completed", "usage": {"input_tokens": 9, "cached_input_tokens": 4, "output_tokens": 2}},
        ),
        "codex",
    )
    assert (story.answer, story.problem) == ("Done.", "")
    assert story.tools == ["shell", "apply_patch", "s.t", "web_search"]
    assert story.tokens == Tokens(input=5, output=2, cache_read=4)
    assert "call shell: ls\nresult: a\n(exit code 0)" in story.trace


def test_gemini_is_read() -> None:
    story = read(
        lines(
            {"type": "init", "model": "m"},
            {"type": "message", "role": "user", "content": "task"},
            {"type": "message", "role": "assistant", "content": "I look", "delta": True},
            {"type": "tool_use", "tool_name": "activate_skill", "parameters": {"name": "s"}},
            {"type": "tool_result", "status": "success", "output": "ok"},
            {"type": "message", "role": "assistant", "content": "Do", "delta": True},
            {"type": "message", "role": "assistant", "content": "ne.", "delta": True},
            {"type": "result", "status": "success", "stats": {"input_tokens": 9, "output_tokens": 2, "cached": 4}},
        ),
        "gemini",
    )
    assert (story.answer, story.tools, story.problem) == ("Done.", ["activate_skill"], "")
    assert story.tokens == Tokens(input=5, output=2, cache_read=4)
    assert story.trace == 'assistant: I look\ncall activate_skill: {"name": "s"}\nresult: ok'


@pytest.mark.parametrize(
    ("style", "event", "said"),
    [
        ("claude", {"type": "result", "is_error": True, "subtype": "error_max_turns"}, "error_max_turns"),
        ("claude", {"type": "result", "is_error": True, "result": "Invalid API key"}, "error: Invalid API key"),
        ("codex", {"type": "turn.failed", "error": {"message": "quota"}}, "quota"),
        ("codex", {"type": "error", "message": "stream"}, "stream"),
        ("gemini", {"type": "result", "status": "error", "error": {"message": "auth"}}, "auth"),
        ("claude", {"type": "assistant"}, "does not end with a result"),
    ],
)
def test_an_agents_own_failure_is_no_answer(style: Format, event: dict[str, Any], said: str) -> None:
    assert said in read(lines(event), style).problem


def test_a_long_trace_keeps_its_beginning_and_its_end() -> None:
    events = [
        {"type": "item.completed", "item": {"type": "agent_message", "text": f"{number} " + "x" * 5000}}
        for number in range(100)
    ]
    story = read(lines(*events), "codex")
    assert len(story.steps[0]) < PIECE + 20
    assert TRACE <= len(story.trace) < TRACE + 10
    assert "assistant: 0 x" in story.trace
    assert "assistant: 99 x" in story.trace


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "message", "content", "item", "usage", "result", "text", "stats", "error", "input_tokens"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
TYPES = st.sampled_from(["result", "assistant", "item.completed", "turn.completed", "message", "tool_use", "error", 3])


@settings(max_examples=40)
@given(st.lists(st.tuples(TYPES, VALUES), max_size=3), st.sampled_from(get_args(Format)))
def test_nothing_an_agent_prints_makes_the_reader_raise(events: list[tuple[object, object]], style: Format) -> None:
    made = [
        {"item": value, "message": value, **(value if isinstance(value, dict) else {}), "type": kind}
        for kind, value in events
    ]
    story = read("\n".join(json.dumps(event) for event in made), style)
    assert isinstance(story.answer + story.trace + story.problem, str)
