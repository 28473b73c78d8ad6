"""A scripted model on loopback for real coding agents: it speaks Anthropic's messages and OpenAI's responses."""

from __future__ import annotations

import json
import threading
import time
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from waiting import join

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Body = dict[str, Any]
"""A request or an answer, as JSON."""
Turn = tuple[str, str]
"""Who speaks (user, assistant, tool, or another role), and the text."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model calls, if the agent offers one of these names."""

    names: tuple[str, ...]
    input: Body


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the model."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    delay: float = 0.0
    tokens: int = 0
    """Input tokens that the answer claims; 0: a quarter of the request's characters."""


def shell(command: str, text: str = "") -> Step:
    """A step that runs a command with the agent's own shell tool."""
    bash = ToolCall(("Bash",), {"command": command, "description": "run"})
    codex = ToolCall(("exec_command",), {"cmd": command})
    return Step(text, (bash, codex))


@dataclass
class AgentModel:
    """A server that answers the newest message of the person by the first key of the script that it contains.

    The step is the number of the model's turns since that message, and the last step repeats, so that the server needs
    no state and serves many sessions at once.
    """

    script: Mapping[str, Sequence[Step]] = field(default_factory=dict[str, "Sequence[Step]"])
    requests: list[Body] = field(default_factory=list[Body])

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        join([self._thread])
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def texts(self) -> list[str]:
        """Every request for an answer as one text."""
        return [json.dumps(one, ensure_ascii=False) for one in self.requests]

    def step_for(self, body: Body) -> Step:
        """The step that answers a request, with those tools only that the agent offers."""
        turns, offered = _turns(body), _offered(body)
        steps: Sequence[Step] = (Step("ok"),)
        done = 0
        for place in range(len(turns) - 1, -1, -1):
            key = next((key for key in self.script if turns[place][0] == "user" and key in turns[place][1]), None)
            if key is not None:
                steps, done = self.script[key], sum(role == "assistant" for role, _ in turns[place + 1 :])
                break
        step = steps[min(done, len(steps) - 1)]
        named = [next((name for name in call.names if name in offered), "") for call in step.calls]
        calls = tuple(ToolCall((name,), call.input) for name, call in zip(named, step.calls, strict=True) if name)
        return Step(step.text or ("" if calls else "ok"), calls, step.delay, step.tokens)


def _turns(body: Body) -> list[Turn]:
    """The conversation; neighbouring turns of the model count as one."""
    found: list[Turn] = []
    if "input" in body:
        items = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
        for item in items:
            is_result = str(item.get("type", "")).endswith("_output")
            found.append((item.get("role") or ("tool" if is_result else "assistant"), _text(item)))
    for item in body.get("messages", ()):
        blocks = item["content"] if isinstance(item["content"], list) else []
        is_result = any(block.get("type") == "tool_result" for block in blocks)
        found.append(("tool" if is_result else item["role"], _text(item["content"])))
    return [one for n, one in enumerate(found) if not (n and one[0] == "assistant" == found[n - 1][0])]


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    if isinstance(value, dict):
        return _text(value.get("text") or value.get("content") or value.get("output") or "")
    return ""


def _offered(body: Body) -> set[str]:
    names: set[str] = set()
    for tool in body.get("tools") or ():
        inner = [f"{tool['name']}.{one['name']}" for one in tool["tools"]] if tool.get("type") == "namespace" else []
        names |= {*inner, str(tool.get("name") or tool.get("type"))}
    return names


def _anthropic(step: Step, body: Body, size: int) -> tuple[Body, list[Body]]:
    """An answer in Anthropic's protocol: whole, and as events."""
    blocks: list[Body] = [{"type": "text", "text": step.text}] if step.text else []
    blocks += [{"type": "tool_use", "id": _new("toolu_"), "name": c.names[0], "input": c.input} for c in step.calls]
    stop = "tool_use" if step.calls else "end_turn"
    usage = {"input_tokens": step.tokens or size // 4, "output_tokens": 7}
    usage |= {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    whole: Body = {"id": _new("msg_"), "type": "message", "role": "assistant", "model": body.get("model")}
    whole |= {"content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage}
    events: list[Body] = [{"type": "message_start", "message": whole | {"content": [], "stop_reason": None}}]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    last = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}
    return whole, [*events, last, {"type": "message_stop"}]


def _responses(step: Step, body: Body, size: int) -> tuple[Body, list[Body]]:
    """An answer in OpenAI's responses protocol: whole, and as events."""
    items: list[Body] = []
    if step.text:
        part = {"type": "output_text", "text": step.text, "annotations": []}
        items.append({"type": "message", "id": _new("msg_"), "role": "assistant", "content": [part]})
    for call in step.calls:
        space, _, name = call.names[0].rpartition(".")
        item: Body = {"type": "function_call", "id": _new("fc_"), "call_id": _new("call_"), "name": name}
        items.append(item | {"arguments": json.dumps(call.input)} | ({"namespace": space} if space else {}))
    taken = step.tokens or size // 4
    usage: Body = {"input_tokens": taken, "output_tokens": 7, "total_tokens": taken + 7}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole: Body = {"id": _new("resp_"), "object": "response", "created_at": int(time.time()), "status": "completed"}
    whole |= {"model": body.get("model"), "output": items, "usage": usage, "error": None}
    events: list[Body] = [{"type": "response.created", "response": whole | {"status": "in_progress", "output": []}}]
    for index, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        if item["type"] == "message":
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            events.append({"type": "response.output_text.delta", "delta": step.text} | place)
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return whole, [event | {"sequence_number": number} for number, event in enumerate(events)]


def _new(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: AgentModel

    def do_GET(self) -> None:
        models = [{"id": "stub", "object": "model", "created": 0, "owned_by": "stub", "type": "model"}]
        self._send(200, {"object": "list", "data": models, "has_more": False} if "models" in self.path else {})

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body: Body = json.loads(raw or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send(200, {"input_tokens": len(raw) // 4})
        elif path.endswith(("/messages", "/responses")):
            self.model.requests.append(body)
            step = self.model.step_for(body)
            time.sleep(step.delay)
            whole, events = (_anthropic if path.endswith("/messages") else _responses)(step, body, len(raw))
            if body.get("stream"):
                self._stream(events)
            else:
                self._send(200, whole)
        else:
            self._send(200, {})

    def _send(self, status: int, value: Body) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: list[Body]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in events:
            line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        """Nothing on the screen."""
