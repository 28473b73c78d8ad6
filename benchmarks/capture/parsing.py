"""How fast and how small the capture parsers are, and whether they hold on real sessions.

    python benchmarks/capture/parsing.py            generated files: MB/s, and memory on a 200 MB session
    python benchmarks/capture/parsing.py FOLDER     also checks the real transcripts in a folder

Limits: at least 20 MB/s on one core, at most 150 MB of memory for a 200 MB session.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from metier.capture.registry import find_source
from metier.capture.source import Captured

if TYPE_CHECKING:
    from collections.abc import Iterator

WANTED_SPEED, WANTED_MEMORY = 20.0, 150.0
START = datetime(2026, 2, 1, tzinfo=UTC)
WORDS = (
    "def",
    "return",
    "the",
    "test",
    "fails",
    "clock",
    "naive",
    "token",
    "assert",
    "None",
    "42",
    "é",
    "→",
    "漢字",
    "\n",
)


def prose(chance: random.Random, size: int) -> str:
    return " ".join(chance.choices(WORDS, k=size // 6))


def claude_lines(megabytes: int, *, turns: bool) -> Iterator[bytes]:
    """A session like real ones: progress reports, tool calls with results of many sizes, now and then a request."""
    chance, ids, parent, written = random.Random(7), count(), None, 0
    common = {
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ann/shop",
        "sessionId": "s",
        "version": "2.1.39",
    }
    outputs = [prose(chance, size) for size in (200, 1000, 3000, 8000, 30000)]

    def line(kind: str, **fields: object) -> bytes:
        nonlocal parent, written
        number = next(ids)
        uuid = f"{number:08x}-0000-4000-8000-{number:012x}"
        stamp = (START + timedelta(seconds=number)).isoformat()
        record = {"parentUuid": parent, **common, "type": kind, **fields, "uuid": uuid, "timestamp": stamp}
        parent = uuid
        raw = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        written += len(raw)
        return raw

    while written < megabytes * 1_000_000:
        if turns or not written:
            yield line("user", message={"role": "user", "content": prose(chance, 120)})
        for _ in range(chance.randint(1, 12)):
            call, name = f"toolu_{next(ids)}", f"msg_{next(ids)}"
            usage = {
                "input_tokens": 3,
                "output_tokens": 90,
                "cache_read_input_tokens": 40000,
                "cache_creation_input_tokens": 500,
            }
            message = {"model": "claude-opus-4-6", "id": name, "role": "assistant", "usage": usage, "stop_reason": None}
            use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": prose(chance, 80)}}
            yield line("assistant", message={**message, "content": [{"type": "text", "text": prose(chance, 200)}]})
            yield line("assistant", message={**message, "content": [use]})
            for _ in range(4):
                data = {
                    "type": "hook_progress",
                    "hookEvent": "PostToolUse",
                    "hookName": "PostToolUse:Bash",
                    "command": "hooks/x.sh",
                }
                yield line("progress", data=data, parentToolUseID=call, toolUseID=call)
            output = chance.choice(outputs)
            result = {"type": "tool_result", "tool_use_id": call, "content": output}
            details = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
            yield line("user", message={"role": "user", "content": [result]}, toolUseResult=details)
        yield line(
            "assistant", message={"model": "m", "id": f"m{next(ids)}", "content": [{"type": "text", "text": "Done."}]}
        )


def codex_lines(megabytes: int) -> Iterator[bytes]:
    chance, ids, written, total = random.Random(7), count(), 0, 0
    outputs = [prose(chance, size) for size in (200, 1000, 3000, 8000, 30000)]

    def line(kind: str, payload: dict[str, object]) -> bytes:
        nonlocal written
        number = next(ids)
        stamp = (START + timedelta(seconds=number)).isoformat()
        raw = json.dumps({"timestamp": stamp, "type": kind, "payload": payload}, ensure_ascii=False).encode() + b"\n"
        written += len(raw)
        return raw

    yield line("session_meta", {"id": "t", "source": "cli"})
    while written < megabytes * 1_000_000:
        turn = f"turn-{next(ids)}"
        yield line("event_msg", {"type": "task_started", "turn_id": turn})
        yield line("turn_context", {"turn_id": turn, "model": "gpt-5.3-codex"})
        yield line("event_msg", {"type": "user_message", "message": prose(chance, 120)})
        for _ in range(chance.randint(1, 12)):
            call = f"call_{next(ids)}"
            arguments = json.dumps({"cmd": prose(chance, 80)})
            yield line("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA" * 200})
            yield line(
                "response_item",
                {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": call},
            )
            yield line(
                "response_item", {"type": "function_call_output", "call_id": call, "output": chance.choice(outputs)}
            )
            total += 1000
            usage = {
                "input_tokens": total,
                "cached_input_tokens": total // 2,
                "output_tokens": total // 9,
                "total_tokens": total,
            }
            yield line("event_msg", {"type": "token_count", "info": {"total_token_usage": usage}})
        yield line("event_msg", {"type": "task_complete", "turn_id": turn, "last_agent_message": "Done."})


def otel_lines(megabytes: int) -> Iterator[bytes]:
    chance, ids, written = random.Random(7), count(1), 0
    outputs = [prose(chance, size) for size in (200, 1000, 3000, 8000, 30000)]
    while written < megabytes * 1_000_000:
        trace = f"{next(ids):032x}"
        asked = [{"role": "user", "parts": [{"type": "text", "content": prose(chance, 200)}]}]
        steps = [("a", "", {"gen_ai.operation.name": "invoke_agent"})]
        for _ in range(5):
            asked.append({"role": "assistant", "parts": [{"type": "text", "content": prose(chance, 400)}]})
            told = {"gen_ai.input.messages": json.dumps(asked), "gen_ai.usage.input_tokens": "90"}
            steps.append((f"m{next(ids)}", "a", {"gen_ai.operation.name": "chat", **told}))
            tool = {"gen_ai.tool.name": "sh", "gen_ai.tool.call.result": chance.choice(outputs)}
            steps.append((f"t{next(ids)}", "a", {"gen_ai.operation.name": "execute_tool", **tool}))
        spans = [
            {
                "traceId": trace,
                "spanId": name,
                "parentSpanId": parent,
                "name": "x",
                "startTimeUnixNano": str(1_772_000_000_000_000_000 + next(ids)),
                "endTimeUnixNano": str(1_772_000_000_000_000_000 + next(ids)),
                "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
            }
            for name, parent, attributes in steps
        ]
        raw = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode() + b"\n"
        written += len(raw)
        yield raw


def child(name: str, path: str) -> None:
    """Parse one file and print what it took; run in a process of its own so that memory is measured alone."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    with open(path, "rb") as file:
        runs = sum(isinstance(one, Captured) for one in find_source(name).parse({path: file}))
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"runs": runs, "seconds": seconds, "megabytes": after.ru_maxrss / 1024}))


def measure(title: str, name: str, lines: Iterator[bytes]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "session.jsonl")
        with open(path, "wb") as file:
            file.writelines(lines)
        size = os.path.getsize(path) / 1_000_000
        done = subprocess.run(
            [sys.executable, __file__, "--child", name, path], capture_output=True, text=True, check=True
        )
    found = json.loads(done.stdout)
    speed = size / found["seconds"]
    good = speed >= WANTED_SPEED and found["megabytes"] <= WANTED_MEMORY
    figures = f"{size:6.1f} MB  {found['runs']:6d} runs  {speed:6.1f} MB/s  {found['megabytes']:6.1f} MB memory"
    print(f"{'ok  ' if good else 'SLOW'} {title:34s} {figures}")
    return good


def expected(path: Path, others: tuple[str, ...]) -> tuple[int, list[int], int]:
    """Computed another way: human turns, tokens by the last usage of each message, skill bodies."""
    humans, bodies = 0, 0
    usage: dict[tuple[str, str], dict[str, int]] = {}
    for name in (str(path), *others):
        for raw in Path(name).read_bytes().splitlines():
            record = json.loads(raw)
            message = record.get("message") or {}
            content = message.get("content")
            if record["type"] == "assistant" and "usage" in message:
                usage[message["id"], record.get("requestId", "")] = message["usage"]
            if record["type"] != "user" or record.get("isSidechain"):
                continue
            first = (
                content
                if isinstance(content, str)
                else next((b.get("text", "") for b in content if b.get("type") == "text"), "")
            )
            bodies += bool(record.get("isMeta")) and first.startswith("Base directory for this skill:")
            hidden = record.get("isMeta") or record.get("isCompactSummary") or "toolUseResult" in record
            marks = (
                "<local-command-",
                "<task-notification>",
                "<system-reminder>",
                "<bash-input>",
                "[Request interrupted",
            )
            local = first.startswith("<command-name>/mcp")
            results = isinstance(content, list) and any(block.get("type") == "tool_result" for block in content)
            humans += not (hidden or results or local or not first or first.startswith(marks))
    keys = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return humans, [sum(used.get(key) or 0 for used in usage.values()) for key in keys], bodies


def check_claude(folder: Path) -> bool:
    parser = find_source("claude-code")
    paths = [str(path) for path in sorted(folder.rglob("*.jsonl"))]
    good = True
    for session in parser.sessions(paths, lambda path: Path(path).read_bytes()[:65536]):
        began = time.process_time()
        found = list(parser.parse({path: io.BytesIO(Path(path).read_bytes()) for path in session.files}))
        seconds = time.process_time() - began
        runs = [one.run for one in found if isinstance(one, Captured)]
        humans, tokens, bodies = expected(Path(session.main), session.others)
        names = ("input", "output", "cache_read", "cache_write")
        counted = [sum(getattr(run.tokens, name) for run in runs) for name in names]
        shown = sum(len(run.skills.shown) for run in runs)
        same = len(runs) == humans and counted == tokens and shown >= bodies
        good = good and same
        size = sum(os.path.getsize(path) for path in session.files) / 1_000_000
        print(
            f"{'ok  ' if same else 'BAD '} {Path(session.main).name[:34]:34s} {len(runs)} of {humans} requests, "
            f"tokens {counted} of {tokens}, {shown} skills shown, {size / seconds:.1f} MB/s"
        )
    return good


def check_codex(folder: Path) -> bool:
    parser = find_source("codex")
    for path in sorted(folder.rglob("*.jsonl")):
        with path.open("rb") as file:
            found = list(parser.parse({str(path): file}))
        wanted = path.read_bytes().count(b'"user_message"')
        runs = sum(isinstance(one, Captured) for one in found)
        print(f"{'ok  ' if runs == wanted else 'BAD '} {path.name[:34]:34s} {runs} of {wanted} requests")
        if runs != wanted:
            return False
    return True


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    beside = Path(__file__).resolve().parents[3] / "shared" / "data" / "transcripts"
    arguments.add_argument("folder", nargs="?", type=Path, default=beside)
    arguments.add_argument("--child", nargs=2, metavar=("SOURCE", "PATH"))
    arguments.add_argument("--megabytes", type=int, default=200)
    given = arguments.parse_args()
    if given.child:
        child(*given.child)
        return 0
    size = given.megabytes
    good = measure("claude-code, many requests", "claude-code", claude_lines(size, turns=True))
    good = measure("claude-code, a single request", "claude-code", claude_lines(size, turns=False)) and good
    good = measure("codex", "codex", codex_lines(size)) and good
    good = measure("otel", "otel", otel_lines(size)) and good
    if given.folder.is_dir():
        good = check_claude(given.folder / "claude-code") and good
        good = check_codex(given.folder / "codex") and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
