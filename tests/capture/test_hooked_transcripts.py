"""Transcripts that hooks pointed at: a bad one is left out once, with the reason, and the rest is read."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from capture_samples import ClaudeSession
from cli_shell import Shell

from metier.hooks.spool import write_entry
from metier.store.tables.runs import transcripts
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable


def session(file: Path, said: str = "add the tests") -> Path:
    """A session of Claude Code with one request."""
    one = ClaudeSession()
    one.human(said)
    one.say("Done.")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(one.bytes)
    return file


def projects() -> Path:
    """Where Claude Code keeps its sessions."""
    folder = Path.home() / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def point(ws: Workspace, path: Path | str) -> None:
    """What a hook leaves about a transcript."""
    write_entry(str(ws.state), {"kind": "reference", "session": "s", "path": str(path), "folder": str(ws.root)})


@pytest.fixture
def shell(ws: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Commands in the workspace."""
    ws.close()
    return Shell(ws.root, monkeypatch, capsys)


def fifo(folder: Path) -> Path:
    file = folder / "pipe.jsonl"
    os.mkfifo(file)
    return file


def huge(folder: Path) -> Path:
    file = folder / "huge.jsonl"
    with file.open("wb") as out:
        out.truncate(5 * 1024**3)
    return file


def in_place(folder: Path) -> Path:
    (folder / "folder.jsonl").mkdir()
    return folder / "folder.jsonl"


def elsewhere(folder: Path) -> Path:
    return session(folder.parents[3] / "other" / "elsewhere.jsonl", "a secret of another place")


def link_out(folder: Path) -> Path:
    (folder / "link.jsonl").symlink_to(elsewhere(folder))
    return folder / "link.jsonl"


def link_to_zero(folder: Path) -> Path:
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    return folder / "zero.jsonl"


def climbing(folder: Path) -> str:
    return f"{folder}/../../../../other/{elsewhere(folder).name}"


BAD = {
    "kernel log": lambda _: "/proc/kmsg",
    "device": lambda _: "/dev/zero",
    "link to a device": link_to_zero,
    "pipe": fifo,
    "huge": huge,
    "folder": in_place,
    "link out": link_out,
    "another place": elsewhere,
    "up": climbing,
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_transcript_is_left_out_once_and_the_others_are_read(kind: str, shell: Shell, ws: Workspace) -> None:
    folder = projects()
    point(ws, BAD[kind](folder))
    point(ws, session(folder / "good.jsonl"))
    first = shell.run("runs", "list")
    assert (first.code, "add the tests" in first.out, "secret" in first.out) == (0, True, False)
    assert first.err.count("Skipped") == 1
    assert shell.run("runs", "list").err == ""
    assert "1 transcript left out for good" in shell.run("doctor").out


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_what_is_no_path_is_set_aside(name: str, shell: Shell, ws: Workspace) -> None:
    note = {"kind": "reference", "session": "s", "path": f"{projects()}/{name}.jsonl", "folder": str(ws.root)}
    (ws.state / "spool").mkdir(exist_ok=True)
    (ws.state / "spool" / "1.json").write_text(json.dumps(note))
    point(ws, session(projects() / "good.jsonl"))
    first, second = shell.run("runs", "list"), shell.run("runs", "list")
    assert (first.code, "add the tests" in first.out, second.err) == (0, True, "")
    assert "1 files could not be read" in shell.run("doctor").out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_transcript_that_this_user_may_not_read_is_left_out_once(shell: Shell, ws: Workspace) -> None:
    file = session(projects() / "closed.jsonl")
    file.chmod(0)
    point(ws, file)
    assert "Permission denied" in shell.run("runs", "list").err
    assert shell.run("runs", "list").err == ""


@pytest.mark.parametrize("words", [("runs", "list"), ("learn",), ("import", "claude-code", "SESSION")])
def test_every_command_goes_on(words: tuple[str, ...], shell: Shell, ws: Workspace) -> None:
    point(ws, "/proc/kmsg")
    good = str(session(projects() / "good.jsonl"))
    said = shell.run(*(good if word == "SESSION" else word for word in words))
    assert (said.code, "Skipped /proc/kmsg: " in said.err) == (0, True)


def test_importing_a_folder_goes_on_behind_what_is_no_session_of_it(shell: Shell) -> None:
    folder = projects()
    for make in (fifo, huge, link_out, link_to_zero):
        make(folder)
    session(folder / "z" / "good.jsonl")
    said = shell.run("import", "claude-code", str(folder))
    assert (said.code, said.err.count("Skipped "), "1 new run" in said.err) == (1, 4, True)
    out = shell.ok("runs", "list")
    assert ("add the tests" in out, "secret" in out) == (True, False)


@pytest.mark.parametrize("make", [fifo, huge, link_to_zero])
def test_importing_one_file_that_cannot_be_read_says_why(make: Callable[[Path], Path], shell: Shell) -> None:
    said = shell.run("import", "claude-code", str(make(projects())))
    assert (said.code, "cannot be read: it " in said.err) == (1, True)


def test_a_link_that_a_person_names_is_followed(shell: Shell) -> None:
    (projects() / "mine.jsonl").symlink_to(session(Path.home() / "s1.jsonl"))
    assert "1 new run" in shell.ok("import", "claude-code", str(projects() / "mine.jsonl"))


def test_a_file_of_a_sub_agent_that_leads_elsewhere_is_left_out(shell: Shell) -> None:
    folder = projects()
    session(folder / "s-1.jsonl")
    (folder / "s-1" / "subagents").mkdir(parents=True)
    (folder / "s-1" / "subagents" / "agent-x.jsonl").symlink_to(elsewhere(folder))
    said = shell.run("import", "claude-code", str(folder / "s-1.jsonl"))
    assert (said.code, "Skipped agent-x.jsonl: cannot be read: it is outside of" in said.err) == (0, True)


def test_sessions_found_on_this_machine_lie_in_the_agents_own_folder(tmp_path: Path, shell: Shell) -> None:
    link_out(projects())
    session(projects() / "good.jsonl")
    said = shell.run("import", "--everywhere", "--yes")
    assert ("1 new run" in said.err, "link.jsonl: cannot be read: it is outside of" in said.err) == (True, True)


def test_what_is_not_there_yet_is_tried_again_for_a_day(tmp_path: Path, ws: Workspace) -> None:
    late, empty = projects() / "late.jsonl", projects() / "empty.jsonl"
    empty.touch()
    for file in (late, empty):
        point(ws, file)
    ws.ingest()
    assert ws.read_waiting() == ()
    with Workspace.open(ws.root) as again:
        session(late)
        assert again.read_waiting() == ()
        assert len(again.runs()) == 1
    tomorrow = datetime.now(UTC) + timedelta(days=1, minutes=1)
    with Workspace.open(ws.root, clock=lambda: tomorrow) as later:
        assert later.read_waiting() == (f"{empty}: it is still empty",)
        assert later.read_waiting() == ()
        with later.context.store.read() as transaction:
            assert transcripts.waiting(transaction) == []


def test_a_hook_does_not_bring_back_what_was_left_out_for_good_and_import_does(shell: Shell, ws: Workspace) -> None:
    file = session(Path.home() / "elsewhere" / "s1.jsonl")
    for _ in range(2):
        point(ws, file)
        said = shell.run("runs", "list").err
    assert said == "" or "No runs yet" in said
    shell.ok("import", "claude-code", str(file))
    assert "left out for good" not in shell.run("doctor").out


def test_the_folders_of_agents_that_were_moved_are_known(tmp_path: Path, ws: Workspace) -> None:
    environ = {name: str(tmp_path / name) for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME")}
    point(ws, session(tmp_path / "CLAUDE_CONFIG_DIR" / "projects" / "-shop" / "s1.jsonl"))
    with Workspace.open(ws.root, environ={**os.environ, **environ}) as moved:
        assert moved.read_waiting() == ()
        assert len(moved.runs()) == 1


def test_a_session_folder_that_is_a_link_is_where_the_agent_keeps_its_sessions(tmp_path: Path, ws: Workspace) -> None:
    (tmp_path / "big-disk").mkdir()
    (Path.home() / ".claude").mkdir()
    (Path.home() / ".claude" / "projects").symlink_to(tmp_path / "big-disk")
    point(ws, session(projects() / "s1.jsonl"))
    ws.ingest()
    assert ws.read_waiting() == ()
    assert len(ws.runs()) == 1
