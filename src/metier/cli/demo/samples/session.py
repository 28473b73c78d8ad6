"""A sample session in the words of Claude Code's own transcript, written for the demo."""

from __future__ import annotations

import json

NAME = "5c1d7f3e-0b7a-4a52-9f53-1f0c6f6d2a10"
FOLDER = "/home/ada/harbor-shop"
SKILL = "# Flaky tests\n\nRun the test twenty times first. Wait for a condition, never for a time.\n"


def half_written() -> str:
    """The transcript while the second request is still being worked on: its last line is half written."""
    whole = "".join(json.dumps(record) + "\n" for record in _records())
    return whole[: whole.rindex('"toolUseResult"')]


def complete() -> str:
    """The transcript once the session is over."""
    return "".join(json.dumps(record) + "\n" for record in _records())


def _records() -> list[dict[str, object]]:
    story: list[tuple[str, dict[str, object]]] = [
        ("user", _asked("the test for guest checkout fails every other night, make it stable")),
        ("assistant", _does("m1", "Skill", {"skill": "flaky-tests"})),
        ("user", _answered("m1", {"success": True, "commandName": "flaky-tests"}, "Launching skill: flaky-tests")),
        ("user", _meta("m1", f"Base directory for this skill: {FOLDER}/.claude/skills/flaky-tests\n\n{SKILL}")),
        ("assistant", _does("m2", "Bash", {"command": "pytest tests/test_guest_checkout.py --count 20 -q"})),
        ("user", _answered("m2", {"stdout": "3 failed, 17 passed", "stderr": ""}, "3 failed, 17 passed")),
        ("assistant", _does("m3", "Edit", {"file_path": "tests/test_guest_checkout.py"})),
        ("user", _answered("m3", {"filePath": "tests/test_guest_checkout.py"}, "The file has been updated.")),
        ("assistant", _says("m4", "It waited two seconds for the basket; it now waits until the basket is there.")),
        ("user", _asked("no, that is not right: keep the time limit, and run it twenty times again")),
        ("assistant", _does("m5", "Bash", {"command": "pytest tests/test_guest_checkout.py --count 20 -q"})),
        ("user", _answered("m5", {"stdout": "20 passed", "stderr": ""}, "20 passed")),
        ("assistant", _says("m6", "20 of 20 pass, with the time limit as it was.")),
    ]
    common: dict[str, object] = {"isSidechain": False, "userType": "external", "cwd": FOLDER, "sessionId": NAME}
    return [
        common
        | {
            "type": kind,
            "uuid": f"record-{number}",
            "parentUuid": f"record-{number - 1}" if number else None,
            "version": "2.1.40",
            "timestamp": f"2026-03-13T16:{number:02d}:00.000Z",
        }
        | content
        for number, (kind, content) in enumerate(story)
    ]


def _asked(text: str) -> dict[str, object]:
    return {"message": {"role": "user", "content": text}}


def _meta(call: str, text: str) -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    return {"isMeta": True, "sourceToolUseID": f"call-{call}", "message": {"role": "user", "content": content}}


def _does(message: str, tool: str, given: dict[str, object]) -> dict[str, object]:
    return _assistant(message, {"type": "tool_use", "id": f"call-{message}", "name": tool, "input": given})


def _says(message: str, text: str) -> dict[str, object]:
    return _assistant(message, {"type": "text", "text": text})


def _assistant(message: str, block: dict[str, object]) -> dict[str, object]:
    usage = {"input_tokens": 12, "output_tokens": 90, "cache_read_input_tokens": 15_000}
    body = {"id": message, "role": "assistant", "model": "claude-sonnet-4-5", "content": [block], "usage": usage}
    return {"requestId": f"request-{message}", "message": body}


def _answered(call: str, result: dict[str, object], text: str) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": f"call-{call}", "content": text}
    return {"message": {"role": "user", "content": [block]}, "toolUseResult": result}
