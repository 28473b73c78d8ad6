from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from states import has_state

from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def spool(payload: object, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    environment = {**os.environ, **environ}
    command = [sys.executable, "-m", "metier.hooks.record"]
    return subprocess.run(command, input=text, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def entries(ws: Workspace) -> list[dict[str, object]]:
    return [json.loads(file.read_text()) for file in sorted((ws.state / "spool").glob("*.json"))]


def errors(ws: Workspace) -> str:
    file = ws.state / "spool" / "errors.log"
    return file.read_text() if file.exists() else ""


def test_a_transcript_is_kept_as_a_reference_without_its_text(ws: Workspace, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("12345")
    payload = {"session_id": "s1", "transcript_path": str(transcript), "cwd": str(ws.root), "prompt": SECRET}
    done = spool(payload | {"hook_event_name": "Stop"}, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    expected = {"kind": "reference", "event": "Stop", "session": "s1", "path": str(transcript), "offset": 5, "v": 1}
    assert entries(ws) == [expected | {"folder": str(ws.root)}]


def test_a_run_is_spooled_without_its_secrets_and_for_the_owner_only(ws: Workspace) -> None:
    spool({"message": f"use {SECRET} to push", "tools": [{"name": "Bash", "output": SECRET}]}, ws.root)
    [file] = (ws.state / "spool").glob("*.json")
    assert SECRET not in file.read_text()
    assert file.read_text().count("[REDACTED:") == 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_notification_with_its_own_text_becomes_a_run(ws: Workspace) -> None:
    payload = {"type": "agent-turn-complete", "thread-id": "t", "turn-id": "1", "cwd": str(ws.root)}
    spool(payload | {"input-messages": ["fix", "it"], "last-assistant-message": "done"}, ws.root)
    [delivery] = ws.ingest()
    record = ws.run(delivery.id)
    assert (record.run.message, record.run.output, record.run.session) == ("fix\nit", "done", "t")


def test_a_hook_outside_any_workspace_does_nothing(tmp_path: Path) -> None:
    done = spool({"message": "x"}, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not has_state(tmp_path)


def test_a_hook_in_a_folder_below_finds_the_workspace(ws: Workspace) -> None:
    (ws.root / "a" / "b").mkdir(parents=True)
    spool({"message": "x"}, ws.root / "a" / "b")
    assert len(entries(ws)) == 1


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        ("not json", "not a JSON object: Expecting value"),
        ("[1]", "not a JSON object"),
        ({"nothing": "here"}, "has neither transcript_path nor message"),
        ("", "not a JSON object: Expecting value"),
    ],
)
def test_whatever_comes_in_the_agent_is_never_failed(ws: Workspace, payload: object, says: str) -> None:
    done = spool(payload, ws.root)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert entries(ws) == []
    assert says in errors(ws)


def test_nothing_is_spooled_where_recording_is_off_or_ignored(ws: Workspace) -> None:
    (ws.state / "metier.toml").write_text("enabled = false")
    spool({"message": "x"}, ws.root)
    (ws.state / "metier.toml").write_text(f"ignore = ['{ws.root / 'private'}']")
    (ws.root / "private").mkdir()
    spool({"message": "x", "cwd": str(ws.root / "private")}, ws.root)
    assert entries(ws) == []
    spool({"message": "x", "cwd": str(ws.root)}, ws.root)
    assert len(entries(ws)) == 1


def test_an_object_without_a_folder_counts_for_the_folder_the_hook_runs_in(ws: Workspace) -> None:
    (ws.root / "private").mkdir()
    (ws.state / "metier.toml").write_text("ignore = ['private']")
    spool({"message": "x"}, ws.root / "private")
    assert entries(ws) == []
    spool({"message": "x"}, ws.root)
    assert [entry["folder"] for entry in entries(ws)] == [str(ws.root)]


def test_the_spool_needs_the_standard_library_only() -> None:
    code = (
        "import sys, io; before = set(sys.modules); import metier.hooks.record;"
        "from metier.redaction import redact_quick;"
        "redact_quick('password=hunter2-X', b'k'*32);"
        "print(sorted({m.partition('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "['metier']"


def test_what_was_spooled_is_ingested_exactly_once_by_whoever_comes_next(ws: Workspace) -> None:
    for number in range(3):
        spool({"message": f"run {number}", "id": str(number)}, ws.root)
    with Workspace.open(ws.root) as other:
        assert len(other.runs()) == 3
        assert all(record.run.source == "spool" for record in other.runs())
    assert entries(ws) == []
    assert ws.ingest() == []
    assert len(ws.runs()) == 3


def test_a_file_that_was_ingested_but_not_yet_taken_away_is_not_ingested_again(ws: Workspace) -> None:
    spool({"message": "no id and no time: every delivery is a new run"}, ws.root)
    [file] = (ws.state / "spool").glob("*.json")
    content = file.read_bytes()
    assert len(ws.ingest()) == 1
    file.write_bytes(content)
    assert ws.ingest() == []
    assert not file.exists()
    assert len(ws.runs()) == 1


@pytest.mark.parametrize("content", [b"{", b"", b"\xff\xfe", b"[]", b'{"kind": "run", "run": 3}', b'{"kind": "other"}'])
def test_an_unreadable_file_is_put_aside_and_the_others_are_ingested(ws: Workspace, content: bytes) -> None:
    spool({"message": "good"}, ws.root)
    (ws.state / "spool" / "00000000000000000000-1-bad.json").write_bytes(content)
    deliveries = ws.ingest()
    assert sorted(delivery.how for delivery in deliveries) == ["new", "refused"]
    assert [record.summary for record in ws.runs()] == ["good"]
    assert [file.name for file in (ws.state / "spool" / "bad").iterdir()] == ["00000000000000000000-1-bad.json"]
    assert ws.ingest() == []


def test_a_half_written_file_is_left_alone_until_nobody_can_be_writing_it(ws: Workspace) -> None:
    part = ws.state / "spool" / "1-1-a.json.part"
    part.write_text("{")
    ws.ingest()
    assert part.exists()
    os.utime(part, (0, 0))
    ws.ingest()
    assert not part.exists()


def test_a_reference_waits_to_be_read(ws: Workspace, tmp_path: Path) -> None:
    from metier.store.tables.runs import transcripts as files

    spool({"session_id": "s", "transcript_path": str(tmp_path / "t.jsonl"), "cwd": str(ws.root)}, ws.root)
    ws.ingest()
    with ws.context.store.read() as transaction:
        [file] = files.waiting(transaction)
    assert (file.path, file.session) == (str(tmp_path / "t.jsonl"), "s")


def test_a_hook_that_takes_too_long_ends_and_says_so_in_its_log(ws: Workspace) -> None:
    work = "from metier.hooks.process import run_hook; run_hook('record', lambda *_: time.sleep(50), seconds=0.2)"
    done = subprocess.run(
        [sys.executable, "-c", f"import time; {work}"], input="{}", cwd=ws.root, text=True, timeout=30
    )
    assert done.returncode == 0
    assert errors(ws).endswith("record: not done after 0.2 s, so nothing was kept\n")
