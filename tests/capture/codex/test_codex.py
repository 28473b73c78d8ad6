"""Codex rollouts of both history modes become the same runs."""

from __future__ import annotations

import io
import subprocess
import sys
import tracemalloc

import pytest
import zstandard
from capture_samples import CodexSession, busy_rollout, dump, parse, reasons, runs

from metier.capture.codex.source import Codex
from metier.capture.reading.lines import UNPACKED
from metier.capture.source import Captured, Rewound
from metier.formats.handed_text import ABOUT
from metier.hooks.agents import selection_id
from metier.types import ShownSkill, Tokens

CODEX = Codex()


@pytest.mark.parametrize("paginated", [False, True])
def test_each_request_becomes_a_run(paginated: bool) -> None:
    first, second, third = runs(parse(CODEX, busy_rollout(paginated=paginated).bytes))
    assert (first.message, first.output, first.status) == ("list the files", "There is a.txt.", "completed")
    assert (first.session, first.external_id, first.model) == ("thread-1", "t1", "gpt-5.3-codex")
    assert [(tool.name, tool.ok, tool.input) for tool in first.tools] == [("exec_command", True, '{"cmd": "ls"}')]
    assert first.tools[0].said == "Looking."
    assert first.correction == "that's wrong, run the tests"
    assert [(tool.name, tool.ok, tool.origin) for tool in second.tools] == [
        ("exec_command", False, "tool"),
        ("web_search", True, "web"),
    ]
    assert (third.status, third.correction) == ("aborted", "[interrupted by the person]")


@pytest.mark.parametrize("paginated", [False, True])
def test_running_totals_are_never_summed(paginated: bool) -> None:
    found = runs(parse(CODEX, busy_rollout(paginated=paginated).bytes))
    assert [run.tokens for run in found] == [
        Tokens(input=750, output=150, cache_read=750),
        Tokens(input=200, output=40, cache_read=200),
        Tokens(),
    ]


def test_instructions_are_the_operators_and_the_environment_is_left_out() -> None:
    first, *_ = runs(parse(CODEX, busy_rollout().bytes))
    session = CodexSession()
    session.event("task_started", turn_id="t1")
    session.user_item("# AGENTS.md instructions for /p\n\nUse tabs.")
    session.user_item("<environment_context>cwd</environment_context>")
    session.user_item("<skill>\n<name>deploy</name>\n<path>/s/deploy/SKILL.md</path>\n# Deploy\n\nSlowly.\n</skill>")
    session.event("user_message", message="use $deploy")
    session.say("ok")
    (run,) = runs(parse(CODEX, session.bytes))
    assert [(piece.origin, piece.text[:9]) for piece in run.context] == [("operator", "# AGENTS.")]
    assert run.skills.shown == (ShownSkill(name="deploy", body="# Deploy\n\nSlowly."),)
    assert not any(piece.text.startswith("<environment") for piece in first.context)


def test_turns_that_were_rolled_back_are_left_out() -> None:
    session = busy_rollout()
    session.event("thread_rolled_back", num_turns=2)
    session.ask("something else", "t4")
    session.say("ok")
    session.done("t4", "ok")
    assert [run.message for run in runs(parse(CODEX, session.bytes))] == ["list the files", "something else"]


def test_a_rollback_to_before_the_known_place_asks_for_the_whole_file() -> None:
    session = busy_rollout()
    offset = max(one.offset for one in parse(CODEX, session.bytes) if isinstance(one, Captured))
    session.event("thread_rolled_back", num_turns=2)
    (found,) = parse(CODEX, session.bytes, offset)
    assert isinstance(found, Rewound)


@pytest.mark.parametrize("paginated", [False, True])
def test_a_rollout_that_grew_is_read_on_from_its_last_run(paginated: bool) -> None:
    data = busy_rollout(paginated=paginated).bytes
    found = [one for one in parse(CODEX, data) if isinstance(one, Captured)]
    for index, one in enumerate(found):
        again = [later for later in parse(CODEX, data, one.offset) if isinstance(later, Captured)]
        assert again == found[index:]


def test_a_rollback_of_more_turns_than_there_are_takes_them_all_back() -> None:
    session = CodexSession()
    session.ask("one", "t1")
    session.ask("two", "t2")
    session.event("thread_rolled_back", num_turns=3)
    session.ask("three", "t3")
    assert [run.message for run in runs(parse(CODEX, session.bytes))] == ["three"]


def test_a_record_of_tokens_beside_the_count_adds_nothing() -> None:
    session = CodexSession(paginated=True)
    session.ask("go", "t1")
    before = parse(CODEX, session.bytes)
    used = {"input_tokens": 200, "output_tokens": 20}
    session.records.append(
        {"timestamp": "2026-02-01T11:00:00Z", "type": "token_usage_record", "payload": {"usage": used}}
    )
    after = parse(CODEX, session.bytes)
    assert reasons(after) == reasons(before) == []
    assert runs(after)[0].tokens == runs(before)[0].tokens


def test_the_same_words_told_twice_in_two_ways_are_one_request() -> None:
    session = CodexSession(paginated=True)
    session.ask("run it", "t1")
    session.event("user_message", message="run it")
    session.say("done")
    session.event("user_message", message="run it")
    session.say("done again")
    assert [run.output for run in runs(parse(CODEX, session.bytes))] == ["done", "done again"]


def test_files_without_events_are_read_by_their_messages() -> None:
    records = [
        {"id": "old-1", "timestamp": "2025-07-01T08:00:00Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
        {"record_type": "state"},
    ]
    (run,) = runs(parse(CODEX, dump(records)))
    assert (run.message, run.output, run.session, run.status) == ("hello", "hi", "old-1", "completed")


def test_older_forms_of_a_tools_outcome_are_understood() -> None:
    session = CodexSession()
    session.ask("go", "t1")
    outputs = [
        '{"output":"boom","metadata":{"exit_code":2}}',
        {"content": "no such file", "success": False},
        [{"type": "input_text", "text": "fine"}],
        "Exit code: 1\nOutput:\nbad",
        "unsupported custom tool call: apply_patch",
    ]
    for index, output in enumerate(outputs):
        session.item("function_call", name="shell", arguments='{"command":["ls"]}', call_id=f"c{index}")
        session.item("function_call_output", call_id=f"c{index}", output=output)
    (run,) = runs(parse(CODEX, session.bytes))
    assert [(tool.ok, tool.output[:12]) for tool in run.tools] == [
        (False, "boom"),
        (False, "no such file"),
        (True, "fine"),
        (False, "Exit code: 1"),
        (False, "unsupported "),
    ]


def test_other_tools_of_the_paginated_mode_are_told() -> None:
    session = CodexSession(paginated=True)
    session.ask("go", "t1")
    mcp = {"type": "McpToolCall", "id": "m1", "server": "docs", "tool": "search", "arguments": {"q": "x"}}
    session.event("item_completed", item={**mcp, "result": {"content": [{"type": "text", "text": "found"}]}})
    change = {"type": "FileChange", "id": "f1", "changes": {"a.py": {"type": "update"}}, "status": "failed"}
    session.event("item_completed", item=change)
    (run,) = runs(parse(CODEX, session.bytes))
    assert [(tool.name, tool.ok, tool.output) for tool in run.tools] == [
        ("mcp__docs__search", True, "found"),
        ("apply_patch", False, ""),
    ]


@pytest.mark.parametrize(
    ("meta", "word"),
    [
        ({"source": "exec"}, "source exec"),
        ({"source": "mcp"}, "source mcp"),
        ({"originator": "codex_exec"}, "originator codex_exec"),
        ({"source": {"subagent": {"thread_spawn": {}}}}, "sub-agent"),
    ],
)
def test_sessions_of_programs_are_skipped(meta: dict[str, object], word: str) -> None:
    session = CodexSession(**meta)
    session.ask("hello", "t1")
    (reason,) = reasons(parse(CODEX, session.bytes))
    assert word in reason


def test_a_sub_agents_rollout_is_part_of_its_parents_run() -> None:
    main = CodexSession()
    main.ask("ask somebody", "t1")
    main.tokens(100)
    main.say("done")
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "thread-1", "depth": 1}}}
    child = CodexSession(id="thread-2", parent_thread_id="thread-1", source=spawn)
    child.event("task_started", turn_id="c")
    child.shell("rg x", "x.py", 0, "c9")
    child.tokens(1000)
    files = {"a/rollout-1.jsonl": main.bytes, "a/rollout-2.jsonl": child.bytes}
    (session,) = CODEX.sessions(list(files), lambda path: files[path])
    assert session.files == tuple(files)
    (run,) = runs(parse(CODEX, files))
    assert [tool.name for tool in run.tools] == ["exec_command"]
    assert run.tokens == Tokens(input=550, output=110, cache_read=550)


def test_strange_lines_are_named_and_the_rest_is_read() -> None:
    session = busy_rollout()
    session.add("totally_new", {"x": 1})
    session.event("mystery", foo="bar")
    session.item("riddle", foo="bar")
    found = parse(CODEX, session.bytes)
    assert len(runs(found)) == 3
    assert reasons(found) == [
        "unknown record type 'totally_new'",
        "unknown event 'mystery'",
        "unknown response item 'riddle'",
    ]


def test_a_compressed_rollout_is_read_like_a_plain_one() -> None:
    data = busy_rollout().bytes
    packed = zstandard.compress(data)
    assert runs(parse(CODEX, {"rollout-1.jsonl.zst": packed})) == runs(parse(CODEX, {"rollout-1.jsonl": data}))
    assert CODEX.claims("rollout-1.jsonl.zst", packed)


def test_a_compressed_rollout_that_is_cut_gives_what_is_there() -> None:
    session = busy_rollout()
    for number in range(300):
        session.event("agent_reasoning", text=f"{number} {number * 7919 % 1009}")
    writer = zstandard.ZstdCompressor().compressobj()
    data = session.bytes
    packed = writer.compress(data[:4000]) + writer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    packed += writer.compress(data[4000:]) + writer.flush()
    for cut in range(1, len(packed), 97):
        found = parse(CODEX, {"rollout-1.jsonl.zst": packed[:cut]})
        assert reasons(found)
    assert any(runs(parse(CODEX, {"r.zst": packed[:cut]})) for cut in range(len(packed) // 2, len(packed), 50))


def test_a_small_compressed_file_that_unpacks_to_gigabytes_costs_no_memory_and_ends() -> None:
    block = (131_072 << 3 | 1 << 1).to_bytes(3, "little") + b" "  # the same byte 131,072 times
    packed = b"\x28\xb5\x2f\xfd\x00\x70" + block * (UNPACKED // 131_072 + 1000)
    assert len(packed) < 100_000
    tracemalloc.start()
    found = parse(CODEX, {"rollout-1.jsonl.zst": packed})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert any("unpacks to more than" in reason for reason in reasons(found))
    assert peak < 150 * 2**20


def test_without_the_library_a_compressed_file_says_what_to_install() -> None:
    script = (
        "import io, sys; sys.modules['zstandard'] = None\n"
        "from metier.capture.codex.source import Codex\n"
        "data = io.BytesIO(bytes.fromhex('28b52ffd00'))\n"
        "print([one.reason for one in Codex().parse({'r.jsonl.zst': data})])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert "pip install 'metier[zstd]'" in done.stdout


def test_claims_and_places() -> None:
    assert CODEX.claims("x.jsonl", busy_rollout().bytes)
    assert not CODEX.claims("x.jsonl", b'{"parentUuid":null,"type":"user"}')
    assert CODEX.places({"CODEX_HOME": "/c"}, "/h")[0] == "/c/sessions/**/rollout-*.jsonl"
    assert io.BytesIO(busy_rollout().bytes).readable()


def test_a_skill_that_metier_handed_over_is_given_and_teaches_nothing() -> None:
    session = CodexSession()
    session.ask("mend the flaky test", "t1")
    session.user_item(f'{ABOUT}\n\n<skill_content name="flaky-tests" version="3">\nRun.\n</skill_content>', "developer")
    session.say("Done.")
    session.done("t1", "Done.")
    [run] = runs(parse(CODEX, session.bytes))
    assert run.skills.given == ("flaky-tests",)
    assert run.context == ()
    assert run.selection == selection_id("t1")
