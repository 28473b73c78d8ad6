"""`metier import picoclaw` of an evolution state folder: runs, and the history of its skills."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from cli_shell import Shell

OLD = "---\nname: weather\ndescription: Tells the weather.\n---\n# Weather\n\nUse city names.\n"
NEW = f"{OLD}\n## Usage Pattern\n\nPrefer native names.\n"
NEW_SKILL = "---\nname: mail\ndescription: Sends mail. Use when asked to.\n---\n# Mail\n\n1. Write it.\n"


def put(file: Path, content: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")


def draft(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"draft-{number}",
        "workspace_id": "w",
        "created_at": "2026-05-03T10:00:00Z",
        "source_record_id": "pattern-1",
        "target_skill_name": "mail",
        "draft_type": "workflow",
        "change_kind": "create",
        "human_summary": "sends mail",
        "intended_use_cases": ["send the mail"],
        "body_or_patch": NEW_SKILL,
        "status": "candidate",
        **changes,
    }


@pytest.fixture
def state(shell: Shell) -> Path:
    """The workspace is one of PicoClaw: a skill that evolved once, a task, drafts, a profile."""
    root = shell.folder
    place = root / "state/evolution"
    scope = f"shop-{hashlib.sha1(str(root).encode(), usedforsecurity=False).hexdigest()[:12]}"
    put(root / "skills/weather/SKILL.md", NEW)
    put(place / f"backups/{scope}/weather/20260502-100000.000000000/SKILL.md", OLD)
    put(place / "backups/other-aaaaaaaaaaaa/weather/20260502-100000.000000000/SKILL.md", "not ours")
    profile = {
        "skill_name": "weather",
        "workspace_id": str(root),
        "current_version": "draft-0",
        "status": "active",
        "origin": "evolved",
        "human_summary": "native names first",
        "intended_use_cases": ["weather by native name"],
        "preferred_entry_path": ["weather"],
        "avoid_patterns": ["avoid translating city names"],
        "last_used_at": "2026-05-04T10:00:00Z",
        "use_count": 9,
        "retention_score": 0.8,
        "version_history": [
            {"version": "d0", "action": "create", "timestamp": "2026-05-01T10:00:00Z", "summary": "weather helper"},
            {"version": "d1", "action": "append", "timestamp": "2026-05-02T10:00:01Z", "summary": "native names"},
        ],
    }
    put(place / f"profiles/{scope}/weather.json", json.dumps(profile))
    drafts = [draft(1), draft(2, target_skill_name="weather", status="accepted"), draft(3, body_or_patch="", id="d-3")]
    put(place / "skill-drafts.json", json.dumps(drafts))
    task = {"id": "t1", "kind": "task", "workspace_id": str(root), "summary": "weather in Köln", "success": True}
    put(place / "task-records.jsonl", json.dumps({**task, "final_output": "Rain."}) + "\n")
    return place


def test_an_evolution_state_folder_becomes_runs_and_history(shell: Shell, state: Path) -> None:
    told = shell.json("import", "picoclaw", str(state))
    assert told["new"] == 1
    assert [(one["skill"], one["version"], one["summary"]) for one in told["history"]["versions"]] == [
        ("weather", 1, "weather helper"),
        ("weather", 2, "native names"),
    ]
    rows = shell.json("skills", "history", "weather")
    assert [(one["version"], one["action"], one["actor"]) for one in rows] == [
        (1, "import", "picoclaw"),
        (2, "import", "picoclaw"),
    ]
    (skill,) = shell.json("skills", "show", "weather")
    assert (skill["uses"], skill["retention"], skill["use_cases"]) == (9, 0.8, ["weather by native name"])
    assert (skill["entry_path"], skill["avoid"]) == (["weather"], ["avoid translating city names"])
    assert skill["document"] == NEW
    shell.ok("skills", "rollback", "weather")
    assert (shell.folder / "skills/weather/SKILL.md").read_text() == OLD


def test_open_drafts_are_reviewed_again_and_wait_for_a_person(shell: Shell, state: Path) -> None:
    told = shell.json("import", "picoclaw", str(state))["history"]
    (row,) = told["drafts"]
    assert (row["target"], row["kind"], row["status"], row["needs_approval"]) == ("mail", "create", "candidate", True)
    assert row["use_cases"] == ["send the mail"]
    assert [one["what"] for one in told["left"]] == ["the draft for mail"]
    shell.ok("drafts", "approve", row["id"])
    shell.ok("drafts", "apply", row["id"])
    assert "1. Write it." in (shell.folder / ".agents/skills/mail/SKILL.md").read_text()


def test_the_same_folder_again_adds_nothing(shell: Shell, state: Path) -> None:
    shell.ok("import", "picoclaw", str(shell.folder))
    told = shell.json("import", "picoclaw", str(shell.folder))
    assert told["new"] == 0
    assert told["history"]["versions"] == []
    assert {"what": "the history of weather", "reason": "it was taken over before"} in told["history"]["left"]
    assert told["history"]["drafts"] == []
    (open_,) = shell.json("drafts", "list")
    shell.ok("drafts", "reject", open_["id"], "--reason", "no")
    shell.ok("import", "picoclaw", str(shell.folder))
    assert shell.json("drafts", "list") == []
    (skill,) = shell.json("skills", "show", "weather")
    assert skill["uses"] == 9


def test_a_state_folder_without_records_and_with_damage_is_read_as_far_as_it_can_be(shell: Shell, state: Path) -> None:
    (state / "task-records.jsonl").unlink()
    put(state / "skill-drafts.json", "[{")
    said = shell.run("import", "picoclaw", str(state))
    assert said.code == 0
    assert "Took over 2 versions of weather. See them: metier skills history weather" in said.err
    assert f"Left out {state / 'skill-drafts.json'}: not JSON" in said.err


def test_the_history_of_a_skill_elsewhere_is_taken_over_once_its_folder_is_known(
    shell: Shell, state: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (shell.folder / "skills").rename(elsewhere)
    told = shell.json("import", "picoclaw", str(state))["history"]
    assert told["versions"] == []
    assert "add its folder to the setting skill_roots" in told["left"][0]["reason"]
    again = shell.json("--set", f"skill_roots={elsewhere}", "import", "picoclaw", str(state))["history"]
    assert [one["version"] for one in again["versions"]] == [1, 2]
