"""PicoClaw's evolution state folder: its task records become runs, each once, in the form its code writes them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from capture_samples import dump, parse, reasons, runs
from learn_world import learned, the_draft

from metier.capture.find_sessions import find_local_sessions, find_named_sessions
from metier.capture.import_sessions import import_sessions
from metier.capture.others.evolution_state import read_state
from metier.capture.others.picoclaw import PicoClaw
from metier.types import Snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from metier.capture.report import FileReport
    from metier.workspace import Workspace

WORKSPACE = "/home/ann/.picoclaw/workspace"
FOLDER = f"{WORKSPACE}/state/evolution"


def task_record(number: int, **changes: Any) -> dict[str, Any]:
    """A task record with all that PicoClaw writes."""
    return {
        "id": f"main-turn-{number}",
        "kind": "task",
        "workspace_id": WORKSPACE,
        "created_at": f"2026-05-0{number}T10:00:00Z",
        "session_key": f"telegram_{number}",
        "task_hash": "a1",
        "summary": "what is the weather in Köln",
        "user_goal": "what is the weather in Köln",
        "final_output": "It rains in Köln.",
        "source": {"turn_id": f"turn-{number}"},
        "status": "new",
        "success": True,
        "tool_kinds": ["read_file", "exec"],
        "tool_executions": [
            {"name": "read_file", "success": True, "skill_names": ["weather"]},
            {"name": "exec", "success": False, "error_summary": "exit 1"},
        ],
        "used_skill_names": ["geocode", "weather"],
        "active_skill_names": ["geocode"],
        "attempt_trail": {
            "attempted_skills": ["geocode", "weather"],
            "final_successful_path": ["geocode", "weather"],
            "skill_context_snapshots": [
                {"sequence": 1, "trigger": "initial_build", "skill_names": ["geocode"]},
                {"sequence": 2, "trigger": "context_retry_rebuild", "skill_names": ["geocode", "weather"]},
            ],
        },
        **changes,
    }


def pattern_record(kind: str = "pattern") -> dict[str, Any]:
    return {
        "id": "pattern-1",
        "kind": kind,
        "workspace_id": WORKSPACE,
        "created_at": "2026-05-09T10:00:00Z",
        "summary": "weather lookup",
        "status": "ready",
        "task_record_ids": ["main-turn-1"],
        "label": "weather-lookup",
        "event_count": 3,
        "success_rate": 1,
        "winning_path": ["geocode", "weather"],
    }


def test_a_task_record_becomes_a_run_with_skills_tools_and_snapshots() -> None:
    data = dump([task_record(1)])
    assert PicoClaw().claims(f"{FOLDER}/task-records.jsonl", data)
    (run,) = runs(parse(PicoClaw(), {f"{FOLDER}/task-records.jsonl": data}))
    assert (run.message, run.output, run.status) == ("what is the weather in Köln", "It rains in Köln.", "completed")
    assert (run.external_id, run.session, run.source) == ("main-turn-1", "telegram_1", "picoclaw")
    assert [(one.name, one.ok, one.error, one.skills) for one in run.tools] == [
        ("read_file", True, None, ("weather",)),
        ("exec", False, "exit 1", ()),
    ]
    assert run.skills.path == ("geocode", "weather")
    assert run.snapshots[1] == Snapshot(sequence=2, trigger="context_retry_rebuild", skills=("geocode", "weather"))
    assert run.started == "2026-05-01T10:00:00Z"


def test_older_records_of_kind_task_case_pattern_and_rule_are_told_apart() -> None:
    old = {"id": "case-1", "kind": "case", "workspace_id": WORKSPACE, "summary": "weather", "status": "new"}
    lines = [old, {**old, "id": "t-2", "kind": "task", "success": False}, pattern_record(), pattern_record("rule")]
    found = parse(PicoClaw(), {f"{FOLDER}/learning-records.jsonl": dump([*lines, {**old, "kind": "dream"}])})
    assert [(run.external_id, run.status) for run in runs(found)] == [("case-1", None), ("t-2", "error")]
    assert reasons(found) == [
        "records of kind 'dream' are not known",
        "2 patterns: metier learn makes patterns anew from the runs",
    ]


def test_a_task_in_both_files_is_one_run_in_its_newer_form() -> None:
    old, new = task_record(1, final_output="old"), task_record(1, final_output="new")
    files = {
        f"{FOLDER}/task-records.jsonl": dump([new]),
        f"{FOLDER}/learning-records.jsonl": dump([old, task_record(2)]),
        f"{FOLDER}/pattern-records.jsonl": dump([pattern_record()]),
    }
    assert [(run.external_id, run.output) for run in runs(parse(PicoClaw(), files))] == [
        ("main-turn-1", "new"),
        ("main-turn-2", "It rains in Köln."),
    ]


def test_of_a_shared_state_folder_only_its_own_workspaces_records_are_taken() -> None:
    other = task_record(1, workspace_id="/home/ann/else")
    found = parse(PicoClaw(), {f"{FOLDER}/task-records.jsonl": dump([task_record(1), other])})
    assert len(runs(found)) == 1
    assert reasons(found) == ["main-turn-1 belongs to the workspace /home/ann/else"]


def test_a_torn_last_line_and_nonsense_cost_only_themselves() -> None:
    nonsense = task_record(2, tool_executions=[7, {"name": ""}], attempt_trail="x", used_skill_names=[3, " a "])
    data = dump([task_record(1), nonsense, {**task_record(3), "user_goal": "", "summary": " "}]) + b'{"id":"broken"'
    found = parse(PicoClaw(), {f"{FOLDER}/task-records.jsonl": data})
    assert [run.external_id for run in runs(found)] == ["main-turn-1", "main-turn-2"]
    assert [(one.name, one.ok) for one in runs(found)[1].tools] == [("read_file", True), ("exec", True)]
    assert runs(found)[1].skills.path == ("a",)
    assert len(reasons(found)) == 2


def put_state(folder: Path, count: int = 3) -> Path:
    place = folder / "state/evolution"
    place.mkdir(parents=True)
    records = [task_record(number, workspace_id=str(folder)) for number in range(1, count + 1)]
    (place / "task-records.jsonl").write_bytes(dump(records))
    (place / "pattern-records.jsonl").write_bytes(dump([pattern_record()]))
    (place / "skill-drafts.json").write_text(json.dumps([]))
    return place


def imported(ws: Workspace, folder: Path) -> list[FileReport]:
    reports: list[FileReport] = []
    sessions = find_named_sessions(PicoClaw(), [str(folder)]).sessions
    assert list(import_sessions(ws.context, PicoClaw(), sessions, reports))
    return reports


def test_an_evolution_state_folder_is_imported_once_and_can_be_learned_from(ws: Workspace, tmp_path: Path) -> None:
    place = put_state(tmp_path / "claw")
    assert [(one.runs, one.new) for one in imported(ws, place)] == [(3, 3)]
    assert [one.state for one in imported(ws, place)] == ["unchanged"]
    learned(ws)
    assert "context_retry_rebuild" in the_draft(ws).body


def test_what_lies_in_a_workspace_of_picoclaw_is_found_there(tmp_path: Path) -> None:
    workspace = tmp_path / ".picoclaw/workspace"
    put_state(workspace)
    (found,) = find_local_sessions(workspace, {"HOME": str(tmp_path)}, everywhere=False)
    assert [one.main for one in found.sessions] == [str(workspace / "state/evolution/task-records.jsonl")]


def test_what_is_no_plain_file_of_the_state_folder_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "backups" / "weather" / "20260501-100000.000000").mkdir(parents=True)
    (tmp_path / "backups" / "weather" / "20260501-100000.000000" / "SKILL.md").write_text("---\nname: weather\n---\n")
    os.mkfifo(tmp_path / "skill-drafts.json")
    found = read_state(tmp_path)
    assert found.unread == ((str(tmp_path / "skill-drafts.json"), "it is not a plain file"),)
    assert [one.skill for one in found.backups] == ["weather"]
