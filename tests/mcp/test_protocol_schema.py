"""Every answer of the server has exactly the shape of the protocol's published schema.

The judge is `mcp_types._v2025_11_25`, which the official SDK generates from `schema/2025-11-25.json`. It leaves unknown
members out, so that an answer with one does not come back as it was.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from mcp_talk import Talk
from selection_shop import FLAKY, put

from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
NEW = "---\nname: new-skill\ndescription: Does it. Use when asked.\n---\n\n# New\n\nDo it.\n"
ASKED: list[tuple[str, str, dict[str, object]]] = [
    ("InitializeResult", "initialize", CLIENT),
    ("EmptyResult", "ping", {}),
    ("ListToolsResult", "tools/list", {}),
    ("CallToolResult", "tools/call", {"name": "select", "arguments": {"task": FLAKY}}),
    ("CallToolResult", "tools/call", {"name": "skill", "arguments": {"name": "flaky-tests"}}),
    ("CallToolResult", "tools/call", {"name": "skill", "arguments": {"name": "none"}}),
    ("CallToolResult", "tools/call", {"name": "runs", "arguments": {}}),
    ("CallToolResult", "tools/call", {"name": "lessons", "arguments": {}}),
    ("CallToolResult", "tools/call", {"name": "mark", "arguments": {"run": "none", "verdict": "bad"}}),
    ("CallToolResult", "tools/call", {"name": "propose", "arguments": {"text": NEW, "reason": "seen often"}}),
    ("ListPromptsResult", "prompts/list", {}),
    ("GetPromptResult", "prompts/get", {"name": "learn"}),
    ("GetPromptResult", "prompts/get", {"name": "review-drafts"}),
    ("ListResourcesResult", "resources/list", {}),
    ("ListResourceTemplatesResult", "resources/templates/list", {}),
    ("ReadResourceResult", "resources/read", {"uri": "skill://flaky-tests/SKILL.md"}),
]
WRONG: list[tuple[str, dict[str, object]]] = [
    ("no/such", {}),
    ("tools/call", {"name": "no-such-tool", "arguments": {}}),
    ("prompts/get", {"name": "none"}),
    ("resources/read", {"uri": "skill://none/SKILL.md"}),
]


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    with Workspace.open(tmp_path) as ws:
        put(ws, "flaky-tests", "Mends flaky tests. Use when a test fails now and then.", "Run it 50 times.\n")
        ws.deliver([Run(message="fix it", output="Done.", status="completed")])
    with Talk(tmp_path) as opened:
        yield opened


def has_shape(name: str, value: Any) -> bool:
    model = getattr(import_module("mcp_types._v2025_11_25"), name)
    read = model.model_validate(value, strict=True)
    return read.model_dump(mode="json", by_alias=True, exclude_unset=True) == value


@pytest.mark.parametrize(
    ("shape", "method", "params"), ASKED, ids=[f"{one[1]} {one[2].get('name', '')}" for one in ASKED]
)
def test_an_answer_has_the_shape_of_the_schema(talk: Talk, shape: str, method: str, params: dict[str, object]) -> None:
    answer = talk.ask(method, **params)
    assert has_shape(shape, answer["result"]), answer
    assert has_shape("JSONRPCResultResponse", answer), answer


@pytest.mark.parametrize(("method", "params"), WRONG)
def test_an_error_has_the_shape_of_the_schema(talk: Talk, method: str, params: dict[str, object]) -> None:
    answer = talk.ask(method, **params)
    if "error" in answer:
        assert has_shape("JSONRPCErrorResponse", answer), answer
    else:
        assert answer["result"]["isError"], answer
        assert has_shape("CallToolResult", answer["result"]), answer


def test_the_judge_sees_a_member_that_the_schema_does_not_know() -> None:
    assert not has_shape("ListPromptsResult", {"prompts": [], "surprise": 1})
