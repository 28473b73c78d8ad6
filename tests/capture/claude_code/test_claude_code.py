"""Claude Code transcripts become the runs a person would recognise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from capture_samples import ClaudeSession, busy_session, dump, parse, reasons, runs
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.capture.claude_code.source import ClaudeCode
from metier.capture.source import Captured, Rewound
from metier.formats.handed_text import ABOUT
from metier.hooks.agents import selection_id
from metier.types import Run, ShownSkill, Tokens

if TYPE_CHECKING:
    import random

CLAUDE = ClaudeCode()


def read(session: ClaudeSession) -> list[Run]:
    return runs(parse(CLAUDE, session.bytes))


def test_each_request_becomes_a_run_with_everything_until_the_next() -> None:
    first, second, third = read(busy_session())
    assert first.message == "why does the login test fail?"
    assert first.output == "The clock is naive. I fixed it."
    assert [(tool.name, tool.ok, tool.said) for tool in first.tools] == [
        ("Bash", False, "I will look."),
        ("Read", True, ""),
    ]
    assert first.tools[0].error == "1 failed"
    assert first.tools[0].input == '{"command": "pytest -x"}'
    assert (first.status, first.model, first.source, first.agent) == (
        "completed",
        "claude-opus-4-6",
        *["claude-code"] * 2,
    )
    assert (first.session, first.external_id) == ("s-1", "s-1-0002")
    assert first.started == "2026-02-01T10:00:02.000Z"
    assert str(first.ended) < str(second.started)
    assert (second.output, third.output) == ("Frozen. It passes now.", "Pushed.")


def test_tokens_are_the_last_usage_of_each_message_once() -> None:
    first, *_ = read(busy_session())
    assert first.tokens == Tokens(input=12, output=80, cache_read=400)


def test_a_correction_in_the_next_message_belongs_to_the_run_before() -> None:
    first, second, third = read(busy_session())
    assert first.correction == "no, that is wrong: the test still fails"
    assert second.correction is None
    assert third.correction is None


def test_a_skill_is_found_with_the_exact_body_that_was_shown() -> None:
    _, second, _ = read(busy_session())
    assert second.skills.shown == (ShownSkill(name="flaky-tests", body="# Flaky tests\n\n1. Freeze the clock."),)
    assert second.skills.attempted == ("flaky-tests",)
    assert second.skills.path == ("flaky-tests",)
    assert second.tools[0].skills == ("flaky-tests",)


def test_every_answer_of_a_tool_keeps_its_origin() -> None:
    first, second, _ = read(busy_session())
    assert [tool.origin for tool in (*first.tools, *second.tools)] == ["tool", "file", "tool", "web"]


def test_parallel_calls_hang_beside_the_chain_and_still_count() -> None:
    session = ClaudeSession()
    session.human("look at both")
    one = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a"}}
    two = {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "b"}}
    session.assistant(one, two)
    asked_one, asked_two = (record["uuid"] for record in session.records[-2:])
    session.result("t2", "text of b", parent=asked_two)
    after = session.parent
    session.result("t1", "text of a", parent=asked_one)
    session.parent = after
    session.say("Both are fine.")
    (run,) = read(session)
    assert [tool.output for tool in run.tools] == ["text of a", "text of b"]
    assert run.status == "completed"


def test_an_assistant_line_of_a_live_message_counts_wherever_it_hangs() -> None:
    session = ClaudeSession()
    session.human("two things")
    message = {"id": "msg_x", "role": "assistant", "model": "m", "usage": {"output_tokens": 5}}
    fork = session.add("assistant", message={**message, "content": [{"type": "text", "text": "Both:"}]}, requestId="r")
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    session.add("assistant", message={**message, "content": [use]}, requestId="r", parent=fork)
    other = {**use, "id": "t2"}
    session.add("assistant", message={**message, "content": [other]}, requestId="r", parent=fork)
    session.result("t2", "two")
    session.say("Done.")
    (run,) = read(session)
    assert len(run.tools) == 2
    assert run.tokens == Tokens(input=3, output=25, cache_read=100)


def test_only_the_live_branch_is_read() -> None:
    session = ClaudeSession()
    session.human("first")
    session.say("one")
    fork = session.parent
    session.human("a question that was taken back")
    session.call("Bash", {"command": "rm -rf build"}, "gone")
    session.say("dead answer")
    session.human("a better question", parent=fork)
    session.say("two")
    assert [(run.message, run.output) for run in read(session)] == [("first", "one"), ("a better question", "two")]


def test_a_compacted_conversation_goes_on_in_the_same_run() -> None:
    session = ClaudeSession()
    session.human("a long task")
    session.call("Bash", {"command": "make"}, "ok")
    before = session.parent
    boundary = {"subtype": "compact_boundary", "logicalParentUuid": before, "compactMetadata": {"trigger": "auto"}}
    session.add("system", parent=None, **boundary)
    summary = "This session is being continued from a previous conversation that ran out of context."
    session.human(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    session.say("All built.")
    (run,) = read(session)
    assert (len(run.tools), run.output) == (1, "All built.")
    assert [(piece.origin, piece.text) for piece in run.context] == [("model", summary)]


def compacted(session: ClaudeSession, logical: str | None) -> None:
    session.add("system", parent=None, subtype="compact_boundary", logicalParentUuid=logical)
    session.human("This session is being continued from a previous conversation.", isCompactSummary=True)


def test_what_compaction_wrote_a_second_time_counts_once() -> None:
    session = ClaudeSession()
    session.human("a long task")
    session.say("half of it is done")
    session.human("go on")
    session.say("more is done")
    kept = session.records[-2:]
    compacted(session, session.parent)
    for record in kept:
        again = {key: value for key, value in record.items() if key not in ("uuid", "parentUuid", "type")}
        session.add(record["type"], **again)
    session.say("all of it is done")
    first, second = read(session)
    assert (first.message, second.message, second.output) == ("a long task", "go on", "all of it is done")
    assert first.tokens.output + second.tokens.output == 60


def test_a_kept_message_that_was_hung_below_its_summary_does_not_lose_the_past() -> None:
    session = ClaudeSession()
    session.human("first")
    session.say("one")
    session.human("keep going")
    tail = "s-1-0006"
    compacted(session, tail)
    session.say("kept going", timestamp="2026-02-01T10:00:03.500Z")
    assert session.records[-1]["uuid"] == tail
    session.human("after the compaction")
    session.say("final")
    assert [(run.message, run.output) for run in read(session)] == [
        ("first", "one"),
        ("keep going", "kept going"),
        ("after the compaction", "final"),
    ]


def test_a_compaction_that_names_a_parent_nobody_wrote_goes_on_behind_the_line_before() -> None:
    session = ClaudeSession()
    session.human("first")
    session.say("one")
    compacted(session, "never-written")
    session.human("second")
    assert [run.message for run in read(session)] == ["first", "second"]


def test_an_interrupted_run_is_aborted_and_says_so() -> None:
    session = ClaudeSession()
    session.human("delete the cache")
    session.say("On it.")
    session.human([{"type": "text", "text": "[Request interrupted by user]"}])
    session.human("show it to me first")
    session.say("Here it is.")
    first, second = read(session)
    assert (first.status, first.correction) == ("aborted", "[Request interrupted by user]")
    assert (second.message, second.status) == ("show it to me first", "completed")


def test_a_refused_tool_and_a_changed_edit_are_corrections() -> None:
    session = ClaudeSession()
    session.human("tidy up")
    refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected. The user said:\n"
    session.call("Bash", {"command": "rm x"}, refusal.replace("The user said", "the user said") + "keep x", error=True)
    session.call("Edit", {"file_path": "a"}, "ok", result={"filePath": "a", "userModified": True})
    session.say("Done.")
    (run,) = read(session)
    assert run.correction == "keep x\n[changed the agent's edit of a]"


def test_an_api_error_is_an_error() -> None:
    session = ClaudeSession()
    session.human("hello")
    session.add(
        "assistant",
        isApiErrorMessage=True,
        message={
            "id": "x",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": "API Error: 529"}],
            "usage": {},
        },
    )
    (run,) = read(session)
    assert (run.status, run.output, run.model) == ("error", "API Error: 529", "")


def test_a_run_without_its_end_has_no_status() -> None:
    session = ClaudeSession()
    session.human("hello")
    session.call("Bash", {"command": "sleep 99"}, "")
    assert read(session)[0].status is None


@pytest.mark.parametrize(
    "content",
    [
        "<task-notification>\n<task-id>b</task-id>\n</task-notification>\nRead the output file.",
        "<local-command-stdout>ok</local-command-stdout>",
        "<system-reminder>be brief</system-reminder>",
        "<bash-input>ls</bash-input>",
        "<bash-stdout>a.txt</bash-stdout><bash-stderr></bash-stderr>",
        "This session is being continued from a previous conversation that ran out of context.",
        [{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}],
    ],
)
def test_injected_text_is_no_request(content: object) -> None:
    session = ClaudeSession()
    session.human("start")
    session.say("ok")
    session.human(content)
    session.say("still ok")
    assert [run.message for run in read(session)] == ["start"]


@pytest.mark.parametrize(
    "fields",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"isVisibleInTranscriptOnly": True},
        {"origin": {"kind": "peer"}},
        {"promptSource": "system"},
        {"toolUseResult": {"stdout": ""}},
    ],
)
def test_records_marked_as_the_programs_own_are_no_request(fields: dict[str, object]) -> None:
    session = ClaudeSession()
    session.human("start")
    session.human("not from a person", **fields)
    assert [run.message for run in read(session)] == ["start"]


def test_a_persons_words_survive_what_was_put_around_them() -> None:
    session = ClaudeSession()
    blocks = [
        "<ide_selection>def f(): ...</ide_selection>",
        "explain <b>this</b>\n<system-reminder>brief</system-reminder>",
    ]
    session.human(
        [{"type": "text", "text": block} for block in blocks] + [{"type": "image", "source": {"data": "A" * 99}}]
    )
    session.say("It is a function.")
    (run,) = read(session)
    assert run.message == "explain <b>this</b>\n\n[image]"


def test_a_slash_command_keeps_its_name_and_arguments_and_its_body_is_the_operators() -> None:
    session = ClaudeSession()
    command = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    session.human(f"{command}\n<command-args>12 quickly</command-args>")
    session.human([{"type": "text", "text": "Review the pull request. Be kind."}], isMeta=True)
    session.say("Fine.")
    (run,) = read(session)
    assert run.message == "/review 12 quickly"
    assert [(piece.origin, piece.text) for piece in run.context] == [("operator", "Review the pull request. Be kind.")]
    assert run.skills.shown == (ShownSkill(name="review", body="Review the pull request. Be kind."),)


def test_a_command_the_program_answers_itself_is_no_run() -> None:
    session = ClaudeSession()
    session.human("start the server")
    session.say("Started.")
    session.human(
        "<command-name>/mcp</command-name>\n<command-message>mcp</command-message>\n<command-args></command-args>"
    )
    session.human("<local-command-stdout>Reconnected.</local-command-stdout>")
    session.human("<task-notification><summary>server died</summary></task-notification>")
    session.say("The server died.")
    (run,) = read(session)
    assert (run.message, run.output) == ("start the server", "The server died.")


def test_what_the_program_says_in_the_models_place_is_no_answer() -> None:
    session = ClaudeSession()
    session.human("fix the clock")
    session.say("Fixed.")
    session.human([{"type": "text", "text": "Continue from where you left off."}], isMeta=True)
    closing = {"id": "x", "role": "assistant", "model": "<synthetic>", "stop_reason": "stop_sequence"}
    said = [{"type": "text", "text": "No response requested."}]
    session.add("assistant", message={**closing, "content": said, "usage": {"input_tokens": 0}})
    session.human("left open")
    session.add("assistant", message={**closing, "content": said, "usage": {"input_tokens": 0}})
    fixed, left = read(session)
    assert (fixed.output, fixed.status, fixed.model) == ("Fixed.", "completed", "claude-opus-4-6")
    assert (left.output, left.status, left.model) == ("", None, "")


def test_only_what_comes_before_the_answer_is_the_body_of_a_command() -> None:
    session = ClaudeSession()
    session.human("<command-message>greet</command-message>\n<command-name>/greet</command-name>")
    base = "Base directory for this skill: /home/ann/.claude/skills/greet"
    session.human([{"type": "text", "text": f"{base}\n\n# Greet\n"}], isMeta=True)
    session.say("Hello.")
    session.human([{"type": "text", "text": "Continue from where you left off."}], isMeta=True)
    (run,) = read(session)
    assert run.skills.shown == (ShownSkill(name="greet", body="# Greet"),)


def test_a_command_answered_beside_the_live_branch_does_not_end_it() -> None:
    """The oldest versions hung the second /compact below the first one's caveat, and began again without a parent."""
    session = ClaudeSession()
    session.human("first")
    session.say("One.")
    session.human("This session is being continued from a previous conversation: one.", parent=None)
    caveat = session.human("Caveat: what follows was made by local commands.", isMeta=True)
    session.human("second")
    session.say("Two.")
    compact = "<command-name>compact</command-name>\n<command-message>compact</command-message>"
    session.human(compact, parent=caveat)
    session.human("<local-command-stdout></local-command-stdout>")
    session.human("This session is being continued from a previous conversation: two.", parent=None)
    assert [(run.message, run.output) for run in read(session)] == [("first", "One."), ("second", "Two.")]


def test_requests_that_waited_together_are_each_a_run() -> None:
    session = ClaudeSession()
    session.human("go on", promptSource="queued", origin={"kind": "human"})
    session.human("and push", promptSource="queued", origin={"kind": "human"})
    session.say("Pushed.")
    assert [(run.message, run.output, run.status) for run in read(session)] == [
        ("go on", "", None),
        ("and push", "Pushed.", "completed"),
    ]


def test_what_is_typed_while_the_agent_works_stays_the_persons() -> None:
    session = ClaudeSession()
    session.human("do it")
    session.call("Bash", {"command": "make"}, "ok")
    queued = {"type": "queued_command", "prompt": "and the docs", "commandMode": "prompt", "origin": {"kind": "human"}}
    session.add("attachment", attachment=queued)
    notice = {"type": "queued_command", "prompt": "task done", "commandMode": "task-notification"}
    session.add("attachment", attachment=notice)
    session.records.append(
        {"type": "queue-operation", "operation": "enqueue", "content": "and the tests", "sessionId": "s-1"}
    )
    session.records.append({"type": "queue-operation", "operation": "remove", "sessionId": "s-1"})
    session.say("All done.")
    (run,) = read(session)
    assert {(piece.origin, piece.text) for piece in run.context} == {
        ("person", "and the docs"),
        ("tool", "task done"),
        ("person", "and the tests"),
    }


def test_instructions_and_attached_files_keep_their_origin() -> None:
    session = ClaudeSession()
    session.human("go")
    session.add(
        "attachment", attachment={"type": "nested_memory", "path": "CLAUDE.md", "content": {"content": "Use tabs."}}
    )
    session.add("attachment", attachment={"type": "file", "content": {"file": {"content": "secret plan"}}})
    session.add("attachment", attachment={"type": "hook_additional_context", "content": ["compile error"]})
    session.add("attachment", attachment={"type": "skill_listing", "content": "a hundred skills"})
    session.say("ok")
    (run,) = read(session)
    assert [(piece.origin, piece.text) for piece in run.context] == [
        ("operator", "Use tabs."),
        ("file", "secret plan"),
        ("tool", "compile error"),
    ]


def test_a_sub_agents_tools_and_tokens_belong_to_the_run_that_started_it() -> None:
    main = ClaudeSession()
    main.human("ask somebody")
    main.call("Task", {"subagent_type": "Explore"}, "found", result={"agentId": "abc", "totalTokens": 9})
    main.say("They found it.")
    main.human("thanks")
    main.say("Welcome.")
    agent = ClaudeSession("agent", sessionId="s-1", isSidechain=True, agentId="abc")
    agent.human("explore")
    agent.call("Grep", {"pattern": "x"}, "x.py:1")
    agent.say("found it in x.py", usage={"input_tokens": 1, "output_tokens": 7, "cache_creation_input_tokens": 50})
    files = {"p/s-1.jsonl": main.bytes, "p/s-1/subagents/agent-abc.jsonl": agent.bytes}
    (session,) = CLAUDE.sessions(list(files), lambda path: files[path])
    assert session.files == tuple(files)
    first, second = runs(parse(CLAUDE, files))
    assert [tool.name for tool in first.tools] == ["Task", "Grep"]
    assert first.output == "They found it."
    alone, _ = runs(parse(CLAUDE, main.bytes))
    assert first.tokens.output == alone.tokens.output + 20 + 7
    assert first.tokens.cache_write == 50
    assert [tool.name for tool in second.tools] == []


def test_older_sub_agent_files_are_found_by_the_session_they_name() -> None:
    agent = ClaudeSession("agent", sessionId="s-1", isSidechain=True, agentId="abc")
    agent.human("explore")
    files = {"p/agent-abc.jsonl": agent.bytes, "p/s-1.jsonl": busy_session().bytes, "p/agent-zzz.jsonl": b""}
    found = {session.main: session.others for session in CLAUDE.sessions(list(files), lambda path: files[path])}
    assert found == {"p/s-1.jsonl": ("p/agent-abc.jsonl",), "p/agent-zzz.jsonl": ()}


def test_what_a_hook_printed_counts_only_where_the_agent_hears_it() -> None:
    session = ClaudeSession()
    session.human("look")
    for event, said in (("UserPromptSubmit", "mind the clock"), ("PostToolUse", "formatted"), ("Stop", "bye")):
        session.add("attachment", attachment={"type": "hook_success", "hookEvent": event, "content": said})
    session.say("Seen.")
    (run,) = read(session)
    assert [(piece.origin, piece.text) for piece in run.context] == [("tool", "mind the clock")]


def test_a_file_the_agent_has_seen_before_is_still_a_file() -> None:
    session = ClaudeSession()
    session.human("look at @a.txt")
    content = {"type": "text", "file": {"filePath": "/home/ann/a.txt", "content": "alpha"}}
    session.add("attachment", attachment={"type": "already_read_file", "filename": "a.txt", "content": content})
    session.say("Seen.")
    (run,) = read(session)
    assert [(piece.origin, piece.text) for piece in run.context] == [("file", "alpha")]


def test_a_file_of_nothing_but_a_queue_is_not_called_a_sub_agents() -> None:
    session = ClaudeSession()
    session.records.append({"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-02-01T10:00:00.000Z"})
    assert reasons(parse(CLAUDE, session.bytes)) == ["no request from a person"]


def test_a_sub_agents_file_alone_says_what_to_do() -> None:
    agent = ClaudeSession("agent", sessionId="s-1", isSidechain=True, agentId="abc")
    agent.human("explore")
    assert reasons(parse(CLAUDE, agent.bytes)) == ["this file is from a sub-agent: import the session it belongs to"]


def test_what_programs_and_metier_itself_sent_is_skipped_and_named() -> None:
    headless = ClaudeSession(entrypoint="sdk-cli")
    headless.human("You are a reviewer.")
    headless.say("ok")
    assert parse(CLAUDE, headless.bytes)[0].reason == "sent by a program (entrypoint sdk-cli), not by a person"  # type: ignore[union-attr]
    assert len(runs(parse(ClaudeCode(headless=True), headless.bytes))) == 1
    own = ClaudeSession()
    own.human("metier: judge this run")
    own.say("yes")
    assert reasons(parse(CLAUDE, own.bytes)) == ["sent by Metier itself"]


def test_a_fork_has_the_identity_of_what_it_was_copied_from() -> None:
    session = ClaudeSession("copy")
    session.human("hello", forkedFrom={"sessionId": "original", "messageUuid": "u-1"})
    session.say("hi")
    (run,) = read(session)
    assert (run.session, run.external_id) == ("original", "u-1")


def test_a_file_of_nothing_says_so() -> None:
    assert reasons(parse(CLAUDE, b"")) == ["no request from a person"]


def test_unknown_record_types_are_named_once_and_the_rest_is_read() -> None:
    session = busy_session()
    strange = {"type": "from-the-future", "uuid": "f", "parentUuid": session.parent, "payload": [1]}
    data = dump([*session.records, strange, strange])
    found = parse(CLAUDE, data)
    assert len(runs(found)) == 3
    assert reasons(found) == ["unknown record type 'from-the-future'"]


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_matter_nor_does_a_line_twice(chance: random.Random) -> None:
    session = busy_session()
    shuffled = [*session.records, *chance.sample(session.records, 5)]
    chance.shuffle(shuffled)
    assert runs(parse(CLAUDE, dump(shuffled))) == read(session)


def test_a_missing_line_does_not_lose_what_came_before_it() -> None:
    session = busy_session()
    whole = [run.message for run in read(session)]
    for index, record in enumerate(session.records):
        left = runs(parse(CLAUDE, dump([one for one in session.records if one is not record])))
        assert [run.message for run in left] == [
            said for said in whole if said != record.get("message", {}).get("content")
        ]
        assert index < len(session.records)


def test_a_file_that_grew_is_read_on_from_its_last_run() -> None:
    data = busy_session().bytes
    found = [one for one in parse(CLAUDE, data) if isinstance(one, Captured)]
    for index, one in enumerate(found):
        assert [again.run for again in parse(CLAUDE, data, one.offset) if isinstance(again, Captured)] == [
            later.run for later in found[index:]
        ]


def test_every_growth_step_ends_with_the_runs_of_the_whole() -> None:
    session = busy_session()
    known: dict[str | None, Run] = {}
    start = 0
    for end in range(1, len(session.records) + 1):
        found = parse(CLAUDE, dump(session.records[:end]), start)
        assert not any(isinstance(one, Rewound) for one in found)
        for one in found:
            if isinstance(one, Captured):
                known[one.run.external_id], start = one.run, one.offset
    assert list(known.values()) == read(session)


def test_going_back_to_before_the_known_place_asks_for_the_whole_file() -> None:
    session = busy_session()
    offset = max(one.offset for one in parse(CLAUDE, session.bytes) if isinstance(one, Captured))
    early = session.records[8]["uuid"]
    session.human("again, from an earlier point", parent=early)
    (found,) = parse(CLAUDE, session.bytes, offset)
    assert isinstance(found, Rewound)


@pytest.mark.parametrize("start", [3, 10**9])
def test_a_file_that_was_rewritten_asks_for_the_whole_file(start: int) -> None:
    (found,) = parse(CLAUDE, busy_session().bytes, start)
    assert isinstance(found, Rewound)


def test_claims_tells_transcripts_from_other_files() -> None:
    assert CLAUDE.claims("x.jsonl", busy_session().bytes)
    assert not CLAUDE.claims("x.txt", busy_session().bytes)
    assert not CLAUDE.claims("x.jsonl", b'{"timestamp":"x","type":"session_meta","payload":{}}\n')
    assert not CLAUDE.claims("history.jsonl", b'{"display":"hi","pastedContents":{},"timestamp":1}\n')


def test_the_place_follows_the_environment() -> None:
    assert CLAUDE.places({}, "/home/ann") == ("/home/ann/.claude/projects/**/*.jsonl",)
    assert CLAUDE.places({"CLAUDE_CONFIG_DIR": "/c"}, "/home/ann") == ("/c/projects/**/*.jsonl",)


HANDED = f'{ABOUT}\n\n<skill_content name="flaky-tests" version="3">\nRun it fifty times.\n</skill_content>'


def test_a_skill_that_metier_handed_over_is_given_and_its_text_is_not_kept() -> None:
    session = ClaudeSession()
    session.human("mend the flaky test", promptId="p-1")
    for content in ([HANDED, "from another hook"], ["late"]):
        session.add("attachment", attachment={"type": "hook_additional_context", "content": content})
    session.say("Done.")
    [run] = read(session)
    assert run.skills.given == ("flaky-tests",)
    assert [piece.text for piece in run.context] == ["from another hook", "late"]
    assert run.skills.shown == ()
    assert run.selection == selection_id("p-1")


def test_the_prompt_of_a_server_is_no_skill() -> None:
    for name in ("/mcp__metier__learn", "/metier:learn (MCP)"):
        session = ClaudeSession()
        session.human(f"<command-message>x</command-message>\n<command-name>{name}</command-name>")
        session.human([{"type": "text", "text": "Please learn from the runs."}], isMeta=True)
        session.say("I learned.")
        [run] = read(session)
        assert (run.skills.attempted, run.skills.shown, run.output) == ((), (), "I learned.")
        assert ("operator", "Please learn from the runs.") not in [(one.origin, one.text) for one in run.context]


def test_the_first_reply_and_what_surrounds_a_message_in_between_are_kept() -> None:
    session = ClaudeSession()
    session.human("tidy the imports")
    session.say("I begin with the tests.")
    session.call("Bash", {"command": "ruff check --fix"}, "3 fixed")
    session.add("attachment", attachment={"type": "queued_command", "prompt": "not the tests, please"})
    session.say("Right, only the sources.")
    session.say("All imports are tidy.")
    [run] = read(session)
    assert run.output == "All imports are tidy."
    assert [(one.message, one.before, one.reply) for one in run.exchanges] == [
        ("", "", "I begin with the tests."),
        ("not the tests, please", 'Bash {"command": "ruff check --fix"}', "Right, only the sources."),
    ]


def test_a_run_with_one_reply_has_no_exchanges() -> None:
    session = ClaudeSession()
    session.human("what time is it?")
    session.say("Noon.")
    assert read(session)[0].exchanges == ()


def test_the_records_of_recent_versions_are_known() -> None:
    session = ClaudeSession()
    session.human("hello")
    for kind in ("api-request", "api-request-shape", "api-request-blob", "tools-used", "cost-state", "atis-latch"):
        session.records.append({"type": kind, "sessionId": "s-1"})
    session.say("Hello.")
    assert reasons(parse(CLAUDE, session.bytes)) == []
