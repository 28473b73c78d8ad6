"""The sources known from documentation alone read what the documentation describes."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from capture_samples import dump, parse, reasons, runs

from metier.capture.others.gemini_cli import GeminiCli
from metier.capture.others.hermes import Hermes
from metier.capture.others.openclaw import OpenClaw
from metier.capture.others.picoclaw import PicoClaw
from metier.types import Tokens

if TYPE_CHECKING:
    from pathlib import Path


def test_gemini_messages_are_replaced_and_rewound() -> None:
    call = {"id": "c1", "name": "read_file", "args": {"path": "a"}, "result": "text", "status": "success"}
    used = {"input": 10, "output": 2, "cached": 4, "thoughts": 1, "tool": 0, "total": 13}
    data = dump(
        [
            {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z"},
            {"id": "1", "timestamp": "2026-01-01T00:00:01Z", "type": "user", "content": "hello"},
            {"id": "2", "timestamp": "2026-01-01T00:00:02Z", "type": "gemini", "content": "h", "toolCalls": []},
            {"id": "2", "type": "gemini", "content": "hi", "toolCalls": [call], "tokens": used, "model": "gemini-3"},
            {"id": "3", "type": "user", "content": "taken back"},
            {"$rewindTo": "2"},
            {"$set": {"lastUpdated": "x"}},
            {"id": "4", "type": "user", "content": [{"text": "go on"}]},
        ]
    )
    assert GeminiCli().claims("session-1.jsonl", data)
    first, second = runs(parse(GeminiCli(), data))
    assert (first.message, first.output, first.model, first.session) == ("hello", "hi", "gemini-3", "s")
    assert first.tokens == Tokens(input=6, output=3, cache_read=4)
    assert [(tool.name, tool.output, tool.origin) for tool in first.tools] == [("read_file", "text", "file")]
    assert second.message == "go on"


def test_what_a_tool_answered_gemini_is_taken_out_of_its_wrapping() -> None:
    def answer(**response: object) -> dict[str, object]:
        return {"functionResponse": {"id": "c", "name": "run_shell_command", "response": response}}

    calls = [
        {"id": "1", "name": "a", "args": {}, "result": [answer(output="one"), answer(output="two")]},
        {"id": "2", "name": "b", "args": {}, "result": [answer(error="no such file")], "status": "error"},
        {"id": "3", "name": "c", "args": {}, "result": [{"text": "other"}]},
    ]
    rows = [
        {"id": "1", "type": "user", "content": "go"},
        {"id": "2", "type": "gemini", "content": "", "toolCalls": calls},
    ]
    [run] = runs(parse(GeminiCli(), dump(rows)))
    assert [tool.output for tool in run.tools] == ["one\ntwo", "no such file", '[{"text": "other"}]']
    assert run.tools[1].error == "no such file"


def test_openclaws_trajectory_and_older_sessions_are_read() -> None:
    event = {"traceSchema": "openclaw-trajectory", "schemaVersion": 1}
    trajectory = dump(
        [
            {**event, "type": "session.started", "data": {}},
            {**event, "type": "prompt.submitted", "data": {"prompt": "find x"}},
            {**event, "type": "tool.call", "data": {"toolCallId": "c", "toolName": "web_search", "args": {"q": "x"}}},
            {**event, "type": "tool.result", "data": {"toolCallId": "c", "result": "found", "isError": False}},
            {
                **event,
                "type": "model.completed",
                "data": {"text": "Here.", "model": "m", "usage": {"input": 5, "output": 1}},
            },
            {**event, "type": "session.ended", "data": {"status": "completed"}},
        ]
    )
    (run,) = runs(parse(OpenClaw(), trajectory))
    assert (run.message, run.output, run.status, run.tokens) == (
        "find x",
        "Here.",
        "completed",
        Tokens(input=5, output=1),
    )
    assert [(tool.name, tool.output, tool.origin) for tool in run.tools] == [("web_search", "found", "web")]
    blocks = [{"type": "text", "text": "Sure."}, {"type": "toolCall", "id": "c", "name": "exec", "arguments": {}}]
    older = dump(
        [
            {"type": "session", "id": "s", "cwd": "/p", "timestamp": "2026-01-01T00:00:00Z"},
            {"type": "message", "id": "1", "message": {"role": "user", "content": "hi"}},
            {"type": "message", "id": "2", "message": {"role": "assistant", "content": blocks, "usage": {"output": 3}}},
            {"type": "message", "id": "3", "message": {"role": "toolResult", "toolCallId": "c", "content": "ok"}},
        ]
    )
    (run,) = runs(parse(OpenClaw(), older))
    assert (run.message, run.output, run.tools[0].output, run.tokens.output) == ("hi", "Sure.", "ok", 3)


def test_picoclaw_leaves_out_what_was_cut_away() -> None:
    main = dump(
        [
            {"role": "user", "content": "old"},
            {"role": "assistant", "content": "old answer"},
            {"role": "user", "content": "new", "created_at": "2026-01-01T00:00:00Z"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "c", "function": {"name": "exec", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c", "content": "done"},
            {"role": "assistant", "content": "Finished.", "model_name": "m"},
        ]
    )
    files = {"k.jsonl": main, "k.meta.json": b'{"key": "k", "skip": 2}'}
    (session,) = PicoClaw().sessions(list(files), lambda path: files[path])
    assert session.files == tuple(files)
    (run,) = runs(parse(PicoClaw(), files))
    assert (run.message, run.output, run.model, run.tools[0].output) == ("new", "Finished.", "m", "done")


def test_hermes_is_read_from_its_database_without_changing_it(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    database = sqlite3.connect(path)
    database.executescript(
        """
        create table sessions(id text, model text, parent_session_id text, started_at real);
        create table messages(id integer primary key, session_id text, role text, content text, tool_call_id text,
                              tool_calls text, tool_name text, timestamp real, active integer);
        insert into sessions values ('s1', 'm', null, 1), ('child', 'm', 's1', 2);
        insert into messages values
          (1, 's1', 'user', 'hello', null, null, null, 1767225600, 1),
          (2, 's1', 'assistant', '', null, '[{"id": "c", "function": {"name": "terminal", "arguments": "ls"}}]',
           null, 1767225601, 1),
          (3, 's1', 'tool', 'a.txt', 'c', null, 'terminal', 1767225602, 1),
          (4, 's1', 'assistant', 'gone', null, null, null, 1767225603, 0),
          (5, 's1', 'assistant', 'a.txt it is', null, null, null, 1767225604, 1),
          (6, 'child', 'user', 'x', null, null, null, 1767225605, 1);
        """
    )
    database.commit()
    database.close()
    before = path.read_bytes()
    with path.open("rb") as file:
        (run,) = runs(list(Hermes().parse({str(path): file})))
    assert (run.message, run.output, run.session, run.model) == ("hello", "a.txt it is", "s1", "m")
    assert [(tool.name, tool.input, tool.output) for tool in run.tools] == [("terminal", "ls", "a.txt")]
    assert path.read_bytes() == before


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"SQLite format 3\0" + b"x" * 200)
    with path.open("rb") as file:
        (reason,) = reasons(list(Hermes().parse({str(path): file})))
    assert reason.startswith("the database cannot be read")


def test_hermes_exports_and_trajectories_are_read() -> None:
    talk = [{"from": "system", "value": "s"}, {"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]
    data = dump(
        [
            {"conversations": talk, "timestamp": "2026-01-01T00:00:00", "model": "m", "completed": False},
            {"id": "s2", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]},
        ]
    )
    first, second = runs(parse(Hermes(), data))
    assert (first.message, first.output, first.status) == ("hi", "hello", "error")
    assert (second.message, second.output, second.session) == ("a", "b", "s2")
