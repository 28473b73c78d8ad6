"""Importing through the store: each run once, whatever happens to the files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import join

from metier.capture import registry
from metier.capture.find_sessions import find_local_sessions, find_named_sessions
from metier.capture.import_sessions import import_sessions
from metier.capture.report import FileReport, totals_of
from metier.config import Config
from metier.errors import InputError
from metier.maintenance import retention as house
from metier.store.tables.runs import transcripts
from metier.workspace import Workspace

RUN_LIMIT = Config()
PROJECTS = "home/.claude/projects"
"""Where Claude Code keeps the sessions that its hooks name."""
SECRET = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def turn(
    number: int, answer: str | None, parent: str | None, folder: str = "/home/ann/shop"
) -> list[dict[str, object]]:
    """One request and, if there is one, its answer, as Claude Code writes them."""
    common = {"isSidechain": False, "userType": "external", "cwd": folder, "sessionId": "s1", "version": "2.1.40"}
    asked = {
        **common,
        "type": "user",
        "uuid": f"u{number}",
        "parentUuid": parent,
        "timestamp": f"2026-01-05T12:{number:02d}:00.000Z",
        "message": {"role": "user", "content": f"Request number {number}, with {SECRET}"},
    }
    if answer is None:
        return [asked]
    usage = {"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 7}
    content = [{"type": "text", "text": answer}]
    message = {"id": f"m{number}", "role": "assistant", "model": "m-4", "content": content, "usage": usage}
    said = {
        **common,
        "type": "assistant",
        "uuid": f"a{number}",
        "parentUuid": f"u{number}",
        "timestamp": f"2026-01-05T12:{number:02d}:30.000Z",
        "requestId": f"q{number}",
        "message": message,
    }
    return [asked, said]


def transcript(file: Path, *turns: list[dict[str, object]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(record) + "\n" for records in turns for record in records))
    return file


def three(file: Path) -> Path:
    return transcript(file, turn(1, "one", None), turn(2, "two", "a1"), turn(3, "three", "a2"))


def imported(ws: Workspace, *paths: Path, source: str = "claude-code") -> list[FileReport]:
    reports: list[FileReport] = []
    found = registry.find_source(source)
    list(
        import_sessions(ws.context, found, find_named_sessions(found, [str(path) for path in paths]).sessions, reports)
    )
    return reports


def messages(ws: Workspace) -> list[str]:
    return [record.run.message.split(",")[0] for record in reversed(ws.runs(1000))]


def test_a_session_becomes_runs_with_tokens_counted_once_and_no_secret(ws: Workspace, tmp_path: Path) -> None:
    [report] = imported(ws, three(tmp_path / "s1.jsonl"))
    assert (report.state, report.runs, report.new, report.skipped) == ("read", 3, 3, [])
    assert messages(ws) == ["Request number 1", "Request number 2", "Request number 3"]
    document = totals_of([report])
    assert document["tokens"] == {"input": 9, "output": 15, "cache_read": 300, "cache_write": 21}
    ws.close()
    assert not any(SECRET.encode() in file.read_bytes() for file in ws.state.rglob("*") if file.is_file())


def test_the_same_file_twice_adds_nothing_and_is_not_even_read(ws: Workspace, tmp_path: Path) -> None:
    file = three(tmp_path / "s1.jsonl")
    imported(ws, file)
    [report] = imported(ws, file)
    assert (report.state, report.runs) == ("unchanged", 0)
    os.utime(file, (1, 1))
    [report] = imported(ws, file)
    assert (report.new, report.updated) == (0, 0)
    assert len(ws.runs()) == 3


def test_a_file_that_grew_is_picked_up_where_it_ended(ws: Workspace, tmp_path: Path) -> None:
    file = transcript(tmp_path / "s1.jsonl", turn(1, "one", None), turn(2, None, "a1"))
    imported(ws, file)
    assert ws.runs()[0].success is not True
    with file.open("a") as out:
        for record in [turn(2, "two", "a1")[1], *turn(3, "three", "a2")]:
            out.write(json.dumps(record) + "\n")
    [report] = imported(ws, file)
    assert (report.state, report.runs, report.new, report.updated) == ("continued", 2, 1, 1)
    assert messages(ws) == ["Request number 1", "Request number 2", "Request number 3"]
    assert [record.revision for record in reversed(ws.runs())] == [1, 2, 1]
    assert ws.runs()[1].run.output == "two"


def test_a_half_written_last_line_is_read_later(ws: Workspace, tmp_path: Path) -> None:
    file = three(tmp_path / "s1.jsonl")
    whole = file.read_bytes()
    for cut in (len(whole) - 100, len(whole) - 1):
        file.write_bytes(whole[:cut])
        imported(ws, file)
    file.write_bytes(whole)
    imported(ws, file)
    assert messages(ws) == ["Request number 1", "Request number 2", "Request number 3"]
    assert ws.runs()[0].run.output == "three"


def test_every_truncation_of_a_file_leaves_the_rest_and_ends_in_the_same_runs(tmp_path: Path) -> None:
    whole = three(tmp_path / "s1.jsonl").read_bytes()
    file = tmp_path / "cut" / "s1.jsonl"
    file.parent.mkdir()
    for cut in range(400, len(whole), 211):
        (tmp_path / f"w{cut}").mkdir()
        with Workspace.open(tmp_path / f"w{cut}") as ws:
            file.write_bytes(whole[:cut])
            with suppress(InputError):  # so little of it that nobody can tell what it is
                imported(ws, file)
            file.write_bytes(whole)
            imported(ws, file)
            assert sorted(messages(ws)) == ["Request number 1", "Request number 2", "Request number 3"]


def test_a_file_written_anew_is_read_from_the_beginning(ws: Workspace, tmp_path: Path) -> None:
    file = three(tmp_path / "s1.jsonl")
    imported(ws, file)
    other = turn(9, "nine", None)
    transcript(file, other, turn(1, "one", "a9"), turn(2, "two", "a1"), turn(3, "three", "a2"), turn(4, "four", "a3"))
    [report] = imported(ws, file)
    assert (report.state, report.new) == ("read", 2)
    assert len(ws.runs()) == 5


def test_two_processes_that_import_the_same_file_keep_each_run_once(ws: Workspace, tmp_path: Path) -> None:
    turns = [turn(number, str(number), f"a{number - 1}" if number > 1 else None) for number in range(1, 40)]
    file = transcript(tmp_path / "s1.jsonl", *turns)
    command = [sys.executable, "-m", "metier", "-w", str(ws.root), "import", "claude-code", str(file), "--json"]
    done: list[subprocess.CompletedProcess[bytes]] = []
    threads = [
        threading.Thread(target=lambda: done.append(subprocess.run(command, capture_output=True, timeout=60)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    join(threads)
    assert [process.returncode for process in done] == [0, 0, 0], done
    assert sum(json.loads(process.stdout)["new"] for process in done) == 39
    assert len(ws.runs(1000)) == 39


def test_sessions_in_ignored_folders_are_left_out(tmp_path: Path) -> None:
    file = three(tmp_path / "s1.jsonl")
    (tmp_path / "w").mkdir()
    with Workspace.open(tmp_path / "w", flags={"ignore": ["/home/ann"]}) as ws:
        [report] = imported(ws, file)
        assert report.state == "ignored"
        assert ws.runs() == []


def test_a_wrong_file_or_folder_is_one_clear_error(ws: Workspace, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.jsonl").write_text('{"hello": 1}\n')
    file = three(tmp_path / "claude" / "s1.jsonl")
    with pytest.raises(InputError, match=r"contains no Claude Code session\. Check the path"):
        imported(ws, tmp_path / "empty")
    with pytest.raises(InputError, match=r"is not a Claude Code session\. No other source"):
        imported(ws, tmp_path / "notes.jsonl")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        imported(ws, tmp_path / "missing.jsonl")
    with pytest.raises(InputError, match=r"looks like claude-code\. Try: metier import claude-code"):
        imported(ws, file, source="codex")
    with pytest.raises(InputError, match=r"contains claude-code sessions\. Try: metier import claude-code"):
        imported(ws, file.parent, source="codex")
    with pytest.raises(InputError, match="did you mean 'claude-code'"):
        registry.find_source("claude")
    assert ws.runs() == []


def test_what_this_machine_has_of_this_workspace_is_found(tmp_path: Path) -> None:
    projects = tmp_path / "home" / ".claude" / "projects"
    transcript(projects / "-shop" / "s1.jsonl", turn(1, "one", None, folder=str(tmp_path / "shop" / "api")))
    transcript(projects / "-other" / "s2.jsonl", turn(1, "one", None, folder="/elsewhere"))
    environ = {"HOME": str(tmp_path / "home")}
    [group] = find_local_sessions(tmp_path / "shop", environ, everywhere=False)
    assert (group.source.name, [Path(session.main).name for session in group.sessions]) == ("claude-code", ["s1.jsonl"])
    [group] = find_local_sessions(tmp_path / "shop", environ, everywhere=True)
    assert len(group.sessions) == 2


def test_a_transcript_that_a_hook_pointed_at_is_read_by_whoever_comes_next(ws: Workspace, tmp_path: Path) -> None:
    file = three(tmp_path / PROJECTS / "s1.jsonl")
    payload = json.dumps({"session_id": "s1", "transcript_path": str(file), "cwd": str(ws.root)})
    hook = [sys.executable, "-m", "metier.hooks.record"]
    subprocess.run(hook, input=payload.encode(), cwd=ws.root, check=True, timeout=60)
    with Workspace.open(ws.root) as next_one:
        next_one.read_waiting()
        assert len(next_one.runs()) == 3
    with file.open("a") as out:
        for record in turn(4, "four", "a3"):
            out.write(json.dumps(record) + "\n")
    subprocess.run(hook, input=payload.encode(), cwd=ws.root, check=True, timeout=60)
    with Workspace.open(ws.root) as next_one:
        next_one.read_waiting()
        assert len(next_one.runs()) == 4


def test_transcripts_that_wait_together_are_read_in_the_order_they_were_written(ws: Workspace, tmp_path: Path) -> None:
    for number, name in enumerate(("zz", "mm", "aa"), start=1):
        file = transcript(tmp_path / PROJECTS / f"{name}.jsonl", turn(number, "ok", None))
        os.utime(file, (1_000 * number, 1_000 * number))
        payload = json.dumps({"session_id": name, "transcript_path": str(file), "cwd": str(ws.root)})
        hook = [sys.executable, "-m", "metier.hooks.record"]
        subprocess.run(hook, input=payload.encode(), cwd=ws.root, check=True, timeout=60)
    with Workspace.open(ws.root) as next_one:
        next_one.read_waiting()
        by_arrival = sorted(next_one.runs(), key=lambda record: record.sequence)
    assert [record.run.message[:16] for record in by_arrival] == [f"Request number {number}" for number in (1, 2, 3)]


def test_an_import_while_switched_off_loses_nothing(tmp_path: Path) -> None:
    file = three(tmp_path / "s1.jsonl")
    (tmp_path / "w").mkdir()
    with Workspace.open(tmp_path / "w", flags={"enabled": False}) as ws:
        [report] = imported(ws, file)
        assert (report.state, "switched off" in report.skipped[0].reason) == ("ignored", True)
    with Workspace.open(tmp_path / "w") as ws:
        assert imported(ws, file)[0].new == 3


def test_a_refused_run_is_tried_again(tmp_path: Path) -> None:
    file = transcript(tmp_path / "s1.jsonl", turn(1, "x" * 250_000, None), turn(2, "two", "a1"))
    (tmp_path / "w").mkdir()
    with Workspace.open(tmp_path / "w", flags={"max_record_mb": 1}) as ws:
        big = replace(RUN_LIMIT, max_record_mb=0)
        ws.context = replace(ws.context, settings=replace(ws.context.settings, config=big))
        assert imported(ws, file)[0].new == 0
    with Workspace.open(tmp_path / "w") as ws:
        assert imported(ws, file)[0].new == 2


def test_a_readmitted_run_comes_back_with_the_next_import(ws: Workspace, tmp_path: Path) -> None:
    file = three(tmp_path / "s1.jsonl")
    imported(ws, file)
    run = ws.runs()[0].id
    list(house.remove_runs(ws.context, [run], ""))
    os.utime(file, (1, 1))
    imported(ws, file)
    assert len(ws.runs()) == 2
    house.readmit_run(ws.context, run)
    imported(ws, file)
    assert len(ws.runs()) == 3


def test_a_session_named_by_its_file_brings_its_sub_agents_along(ws: Workspace, tmp_path: Path) -> None:
    file = three(tmp_path / "p" / "s1.jsonl")
    agent = [{**record, "isSidechain": True, "agentId": "x1"} for record in turn(1, "deep", None)]
    transcript(tmp_path / "p" / "s1" / "subagents" / "agent-x1.jsonl", agent)
    whole = totals_of(imported(ws, tmp_path / "p"))
    (tmp_path / "w").mkdir()
    with Workspace.open(tmp_path / "w") as other:
        alone = totals_of(imported(other, file))
    assert (alone["tokens"], alone["runs"]) == (whole["tokens"], whole["runs"])
    assert imported(ws, file)[0].state == "unchanged"


def by_program(file: Path) -> Path:
    """A session whose first request a program sent, and the second a person."""
    sent = [record | {"entrypoint": "sdk-cli"} for record in turn(1, "one", None)]
    return transcript(file, sent, turn(2, "two", "a1"))


def test_what_a_setting_left_out_is_read_once_the_setting_has_changed(tmp_path: Path) -> None:
    file, other = by_program(tmp_path / "s1.jsonl"), transcript(tmp_path / "s2.jsonl", turn(7, "seven", None))
    (tmp_path / "w").mkdir()
    with Workspace.open(tmp_path / "w") as ws:
        [report] = imported(ws, file)
        assert (report.new, [one.setting for one in report.skipped]) == (1, ["record_headless"])
        [report] = imported(ws, file)
        assert (report.state, [one.setting for one in report.skipped]) == ("unchanged", ["record_headless"])
        with file.open("a") as out:
            out.writelines(json.dumps(record) + "\n" for record in turn(3, "three", "a2"))
        assert [(one.state, one.new) for one in imported(ws, file)] == [("continued", 1)]
        imported(ws, other)
    with Workspace.open(tmp_path / "w", flags={"record_headless": True}) as ws:
        assert [(one.state, one.new) for one in imported(ws, file)] == [("read", 1)]
        assert [one.state for one in imported(ws, file, other)] == ["unchanged", "unchanged"]
    with Workspace.open(tmp_path / "w") as ws:
        assert [one.state for one in imported(ws, file)] == ["unchanged"]
        assert len(ws.runs()) == 4


def test_what_an_earlier_release_left_out_is_read_once_the_setting_has_changed(tmp_path: Path) -> None:
    file = by_program(tmp_path / "s1.jsonl")
    (tmp_path / "w").mkdir()
    with Workspace.open(tmp_path / "w") as ws:
        imported(ws, file)
        with ws.context.store.write() as transaction:
            known = transcripts.get(transaction, str(file))
            assert known
            transcripts.put(transaction, replace(known, fingerprint=" ".join(known.content)))
        assert [one.state for one in imported(ws, file)] == ["unchanged"]
    with Workspace.open(tmp_path / "w", flags={"record_headless": True}) as ws:
        assert [one.new for one in imported(ws, file)] == [1]
        assert [one.state for one in imported(ws, file)] == ["unchanged"]


def test_a_hook_that_points_at_a_file_again_does_not_lose_that_something_was_left_out(tmp_path: Path) -> None:
    file = by_program(tmp_path / "s1.jsonl")
    (tmp_path / "w").mkdir()
    with Workspace.open(tmp_path / "w") as ws:
        imported(ws, file)
        with ws.context.store.write() as transaction:
            known = transcripts.get(transaction, str(file))
            assert known
            transcripts.put_waiting(transaction, known)
        imported(ws, file)
        with ws.context.store.read() as transaction:
            assert transcripts.count_left_out(transaction) == 1
            assert transcripts.waiting(transaction) == []
