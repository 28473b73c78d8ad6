"""Whatever a file holds, the rest is read, the problem is named, and nothing is raised."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from capture_samples import ClaudeSession, busy_rollout, busy_session, dump, parse, reasons, runs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metier.capture.reading.lines import LINE_LIMIT
from metier.capture.registry import find_source, source_names
from metier.capture.source import Captured, Rewound, Skipped
from metier.formats.run_json import dump_run, parse_run

SAMPLES = {
    "claude-code": busy_session().records,
    "codex": busy_rollout().records,
    "paginated": busy_rollout(paginated=True).records,
}
"""Records of a file of each source, one JSON object per line; one of the requests says "push it" or "stop there"."""
WORDS = sorted(
    {
        *("type", "message", "content", "role", "uuid", "parentUuid", "payload", "user", "assistant", "text", "usage"),
        *(
            "tool_use",
            "tool_result",
            "id",
            "input",
            "output",
            "event_msg",
            "response_item",
            "attributes",
            "resourceSpans",
        ),
        *(
            "scopeSpans",
            "spans",
            "spanId",
            "traceId",
            "key",
            "value",
            "stringValue",
            "events",
            "status",
            "info",
            "item",
        ),
        *("toolUseResult", "attachment", "timestamp", "isMeta", "logicalParentUuid", "queue-operation", "operation"),
        *("session_meta", "user_message", "item_completed", "tool_calls", "conversations", "messages", "toolCalls"),
        *("gen_ai.input.messages", "gen_ai.operation.name", "openinference.span.kind", "LLM", "chat", "context"),
    }
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(WORDS)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6),
    max_leaves=20,
)
LENIENT = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def sound(found: list[Any]) -> None:
    """Everything handed out can be stored and told."""
    assert found
    for one in found:
        assert isinstance(one, Captured | Skipped | Rewound)
        if isinstance(one, Captured):
            json.dumps(dump_run(one.run), allow_nan=False).encode()
            assert parse_run(dump_run(one.run)).message == one.run.message
        else:
            assert one.reason


def of(name: str) -> Any:
    return find_source("codex" if name == "paginated" else name)


@pytest.mark.parametrize("name", [name for name in source_names() if name != "jsonl"])
@LENIENT
@given(records=st.lists(JSON, max_size=6))
def test_records_of_any_shape_are_survived(name: str, records: list[Any]) -> None:
    sound(
        parse(find_source(name), "\n".join(json.dumps(record) for record in records).encode())
        or [Skipped(file="", line=0, reason="-")]
    )


@pytest.mark.parametrize("name", list(SAMPLES))
@LENIENT
@given(data=st.data())
def test_a_wrong_value_anywhere_is_survived(name: str, data: st.DataObject) -> None:
    records = json.loads(json.dumps(SAMPLES[name]))
    for _ in range(data.draw(st.integers(1, 3))):
        place: Any = data.draw(st.sampled_from(records))
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = data.draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
                place = place[key]
                continue
            place[key] = data.draw(JSON)
            break
    sound(parse(of(name), dump(records)))


@pytest.mark.parametrize("name", list(SAMPLES))
@LENIENT
@given(noise=st.binary(max_size=40), data=st.data())
def test_bytes_thrown_in_anywhere_are_survived(name: str, noise: bytes, data: st.DataObject) -> None:
    whole = dump(SAMPLES[name])
    at = data.draw(st.integers(0, len(whole)))
    sound(parse(of(name), whole[:at] + noise + whole[at:]))


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", list(SAMPLES))
def test_a_file_cut_at_any_byte_gives_what_stands_before_the_cut(name: str, step: int) -> None:
    records = SAMPLES[name]
    whole = dump(records)
    ends = {len(dump(records[:count])) for count in range(len(records) + 1)}
    lines = {len(dump(records[: count + 1])) - 1 for count in range(len(records))}
    known = [run.message for run in runs(parse(of(name), whole))]
    borders = {at + more for at in ends | lines for more in (-1, 0, 1)}
    for cut in sorted({*range(0, len(whole), step), *borders} & {*range(len(whole))}):
        found = parse(of(name), whole[:cut])
        said = [run.message for run in runs(found)]
        assert said == known[: len(said)]
        named = any("the last line is incomplete" in reason for reason in reasons(found))
        assert named == (cut not in ends and cut not in lines)


def test_a_line_of_any_length_is_passed_over_and_named() -> None:
    session = busy_session()
    lines = session.bytes.splitlines(keepends=True)
    long = b'{"type":"user","uuid":"long","message":{"content":"' + b"x" * (LINE_LIMIT + 5) + b'"}}\n'
    data = b"".join([*lines[:6], long, *lines[6:]])
    found = parse(find_source("claude-code"), data)
    assert runs(found) == runs(parse(find_source("claude-code"), session.bytes))
    (skipped,) = [one for one in found if isinstance(one, Skipped)]
    assert (skipped.line, skipped.file) == (7, "session.jsonl")
    assert skipped.reason.startswith("the line has 16,7")


def test_a_long_text_is_cut_with_a_visible_mark() -> None:
    session = ClaudeSession()
    session.human("read it")
    session.call("Read", {"file_path": "big"}, "y" * 1_000_000)
    (run,) = runs(parse(find_source("claude-code"), session.bytes))
    assert len(run.tools[0].output) < 300_000
    assert run.tools[0].output.endswith("characters cut]")


def test_a_huge_run_stays_within_bounds() -> None:
    session = ClaudeSession()
    session.human("read all of it")
    for number in range(100):
        session.call("Read", {"file_path": f"{number}"}, f"{number} " * 40_000)
    (run,) = runs(parse(find_source("claude-code"), session.bytes))
    assert len(run.tools) == 100
    assert sum(len(tool.output) for tool in run.tools) < 9_000_000


@pytest.mark.parametrize("name", list(SAMPLES))
def test_bytes_that_are_no_text_are_replaced_and_named(name: str) -> None:
    data = dump(SAMPLES[name]).replace(b"push it", b"push \xff\xfeit").replace(b"stop there", b"stop \xff\xfethere")
    found = parse(of(name), data)
    assert any("\ufffd" in run.message for run in runs(found))
    assert "bytes that are not UTF-8 were replaced by U+FFFD" in reasons(found)


def test_padding_and_odd_characters_are_harmless() -> None:
    session = ClaudeSession()
    session.human("a\x00b\ud800c")
    session.say("fine \ud83d\ude00")
    data = b"\xef\xbb\xbf" + b"\0" * 50 + b"\n\r\n  \n" + session.bytes.replace(b"\n", b"\r\n")
    (run,) = runs(parse(find_source("claude-code"), data))
    assert (run.message, run.output) == ("a\ufffdb\ufffdc", "fine \U0001f600")


def test_nesting_without_end_and_numbers_without_end_are_named() -> None:
    data = (
        b"[" * 100_000 + b"\n" + b'{"a":' * 100_000 + b"\n" + b'{"n":' + b"9" * 10_000 + b"}\n" + busy_session().bytes
    )
    found = parse(find_source("claude-code"), data)
    assert len(runs(found)) == 3
    assert [one.line for one in found if isinstance(one, Skipped)] == [1, 2, 3]


def test_runs_are_streamed_and_not_gathered() -> None:
    parser = find_source("claude-code").parse({"x": io.BytesIO(busy_session().bytes)})
    assert isinstance(next(parser), Captured)
