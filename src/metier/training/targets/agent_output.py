"""What well-known agents print, line by line, as an attempt: the answer, the way to it, tools, tokens, cost."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Literal, cast

from metier.formats.strict_json import json_objects
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Fields = dict[str, object]
Format = Literal["text", "claude", "codex", "gemini"]
PIECE = 2_000
"""Characters of one step that a trace keeps."""
NO_END = "what it printed does not end with a result"
TRACE = 100_000
"""Characters of a trace; of a longer one, the beginning and the end."""


@dataclass(slots=True)
class Story:
    """An attempt as it is read."""

    answer: str = ""
    steps: list[str] = field(default_factory=list[str])
    tools: list[str] = field(default_factory=list[str])
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = None
    over: bool = False
    """Whether its last word was there."""
    problem: str = ""

    def step(self, who: str, text: str) -> None:
        """Note one step."""
        if text.strip():
            self.steps.append(f"{who}: {text.strip()[:PIECE]}")

    def call(self, tool: str, detail: object) -> None:
        """Note a tool call."""
        self.tools.append(tool)
        self.step(f"call {tool}", _said(detail))

    @property
    def trace(self) -> str:
        """The steps as one text."""
        return shorten_middle("\n".join(self.steps), TRACE)


def read(text: str, style: Format) -> Story:
    """The attempt in what an agent printed; `problem` says why it is none."""
    if style == "text":
        return Story(answer=text.strip(), over=True)
    story = Story()
    for event in json_objects(text):
        READERS[style](event, story)
    if not story.over and not story.problem:
        story.problem = NO_END
    return story


def shorten_middle(text: str, most: int) -> str:
    """A text of at most that many characters, its middle left out."""
    return text if len(text) <= most else f"{text[: most // 2]}\n[…]\n{text[len(text) - most // 2 :]}"


def _claude(event: Fields, story: Story) -> None:
    message = _inside(event, "message")
    for block in _list(message, "content"):
        match block.get("type"):
            case "text":
                story.step(_text(event, "type"), _text(block, "text"))
            case "tool_use":
                story.call(_text(block, "name"), block.get("input"))
            case "tool_result":
                story.step("result", _said(block.get("content")))
            case _:
                pass
    if event.get("type") == "result":
        _claude_result(event, story)


def _claude_result(event: Fields, story: Story) -> None:
    story.over, story.answer = True, _text(event, "result")
    usage = _inside(event, "usage")
    story.tokens = Tokens(
        input=_count(usage, "input_tokens"),
        output=_count(usage, "output_tokens"),
        cache_read=_count(usage, "cache_read_input_tokens"),
        cache_write=_count(usage, "cache_creation_input_tokens"),
    )
    cost = event.get("total_cost_usd")
    story.cost_usd = float(cost) if isinstance(cost, int | float) and isfinite(cost) and cost >= 0 else None
    if event.get("is_error"):
        story.problem = f"{_text(event, 'subtype') or 'error'}: {story.answer[:300]}"


def _codex(event: Fields, story: Story) -> None:
    item = _inside(event, "item")
    match event.get("type"):
        case "item.completed":
            _codex_item(item, story)
        case "turn.completed":
            story.over, usage = True, _inside(event, "usage")
            story.problem = ""  # it lost the connection, and found it again
            cached = _count(usage, "cached_input_tokens")
            fresh = max(0, _count(usage, "input_tokens") - cached)
            story.tokens = Tokens(input=fresh, output=_count(usage, "output_tokens"), cache_read=cached)
        case "turn.failed" | "error":
            story.problem = _text(_inside(event, "error") or event, "message")[:300] or "the turn failed"
        case _:
            pass


def _codex_item(item: Fields, story: Story) -> None:
    match item.get("type"):
        case "agent_message":
            story.answer = _text(item, "text")
            story.step("assistant", story.answer)
        case "command_execution":
            story.call("shell", item.get("command"))
            story.step("result", f"{_text(item, 'aggregated_output')}\n(exit code {item.get('exit_code')})")
        case "file_change":
            story.call("apply_patch", item.get("changes"))
        case "mcp_tool_call":
            story.call(f"{_text(item, 'server')}.{_text(item, 'tool')}", item.get("arguments"))
        case "web_search":
            story.call("web_search", item.get("query"))
        case _:
            pass


def _gemini(event: Fields, story: Story) -> None:
    match event.get("type"):
        case "message" if event.get("role") == "assistant":
            story.answer += _text(event, "content")
        case "tool_use":
            story.step("assistant", story.answer)
            story.answer = ""
            story.call(_text(event, "tool_name"), event.get("parameters"))
        case "tool_result":
            story.step("result", _said(event.get("output")))
        case "result":
            story.over, stats = True, _inside(event, "stats")
            cached = _count(stats, "cached")
            fresh = max(0, _count(stats, "input_tokens") - cached)
            story.tokens = Tokens(input=fresh, output=_count(stats, "output_tokens"), cache_read=cached)
            if event.get("status") == "error":
                story.problem = _text(_inside(event, "error"), "message")[:300] or "the agent reports an error"
        case _:
            pass


READERS: dict[str, Callable[[Fields, Story], None]] = {"claude": _claude, "codex": _codex, "gemini": _gemini}


def _inside(fields: Fields, key: str) -> Fields:
    value = fields.get(key)
    return cast("Fields", value) if isinstance(value, dict) else {}


def _list(fields: Fields, key: str) -> Iterator[Fields]:
    value = fields.get(key)
    for one in cast("list[object]", value) if isinstance(value, list) else ():
        if isinstance(one, dict):
            yield cast("Fields", one)


def _text(fields: Fields, key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _count(fields: Fields, key: str) -> int:
    value = fields.get(key)
    return value if isinstance(value, int) and 0 <= value < 2**63 else 0


def _said(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
