"""How a yes came is kept with it; one that a person may not know of is told once, when the next session starts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from metier.context.audit import yes_by
from metier.context.seen_agents import agent_signs, agent_titles, process_at, process_table
from metier.library.lessons import edit_lesson, publish_lesson
from metier.library.proposals.hand_in import hand_in_document
from metier.store.tables import audit
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson

if TYPE_CHECKING:
    from pathlib import Path

    from metier.types.audit import AuditEntry
    from metier.workspace import Workspace

DEPLOY = "---\nname: deploy\ndescription: How to deploy here. Use it for that.\n---\n\nRun `make deploy`.\n"


@pytest.fixture(autouse=True)
def outside_any_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests say themselves which agent is around them."""
    for name in agent_signs(os.environ):
        monkeypatch.delenv(name, raising=False)
    if agent_signs(os.environ):
        pytest.skip("these tests run inside an agent")


def proposed(ws: Workspace, text: str = "Use uv, not pip.") -> str:
    lesson = Lesson(id="3f9a0000", workspace=ws.name, kind="rule", text=text, subject="uv")
    with ws.context.store.write() as transaction:
        lessons.put(transaction, [lesson])
    return lesson.id


def started(ws: Workspace, *words: str) -> dict[str, object]:
    """What the hook prints when a session starts."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "metier.hooks", "start", *words],
        input=json.dumps({"hook_event_name": "SessionStart", "cwd": str(ws.root), "session_id": "s"}),
        cwd=ws.root,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return json.loads(done.stdout or "{}")


def newest(ws: Workspace) -> AuditEntry:
    with ws.context.store.read() as transaction:
        assert audit.first_broken(transaction) is None
        return audit.list_own(transaction)[-1]


def test_a_yes_in_a_terminal_is_kept_as_that_and_nothing_is_told(ws: Workspace) -> None:
    with yes_by("terminal"):
        ws.approve(proposed(ws))
    assert (newest(ws).way, newest(ws).seen) == ("terminal", "")
    assert "systemMessage" not in started(ws)


def test_a_yes_by_a_program_is_told_once_when_the_next_session_starts(ws: Workspace) -> None:
    ws.approve(proposed(ws))
    assert newest(ws).way == "program"
    said = started(ws)
    assert str(said["systemMessage"]).startswith("Metier: approved by a program at ")
    assert str(said["systemMessage"]).endswith(": Use uv, not pip. Undo: metier lessons forget 3f9a0000")
    assert "Use uv, not pip." in json.dumps(said["hookSpecificOutput"])
    assert "systemMessage" not in started(ws)


def test_a_yes_from_inside_an_agent_names_the_agent_and_what_was_seen(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CODEX_SANDBOX_NETWORK_DISABLED", "1")
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")  # people set this one themselves
    with yes_by("terminal"):
        ws.approve(proposed(ws))
    assert newest(ws).seen == "CLAUDECODE CODEX_SANDBOX_NETWORK_DISABLED"
    assert "approved from inside Claude Code and Codex at " in str(started(ws)["systemMessage"])


def test_an_agent_above_this_process_is_seen_by_its_name(tmp_path: Path) -> None:
    shutil.copy("/bin/sh", tmp_path / "claude")
    code = "import os; from metier.context.seen_agents import agent_signs; print(*agent_signs({}))"
    done = subprocess.run(
        [tmp_path / "claude", "-c", f'"{sys.executable}" -c "{code}"; true'],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "claude\n"
    assert agent_titles("claude") == "Claude Code"


@pytest.mark.skipif(not shutil.which("/bin/ps") or not os.path.exists("/proc"), reason="needs ps and /proc")
def test_ps_says_the_same_where_there_is_no_proc() -> None:
    assert process_table()[os.getppid()] == process_at(os.getppid())


def test_copilot_shows_people_nothing_so_its_agent_is_told(ws: Workspace) -> None:
    ws.approve(proposed(ws))
    said = started(ws, "copilot")
    assert set(said) == {"additionalContext"}
    assert str(said["additionalContext"]).startswith("Metier: approved by a program at ")


def test_new_words_for_an_approved_lesson_are_a_yes_and_moving_it_to_a_page_is_none(ws: Workspace) -> None:
    lesson = proposed(ws)
    ws.approve(lesson)
    edit_lesson(ws.context, lesson, "Use uv alone.")
    assert newest(ws).way == "program"
    publish_lesson(ws.context, lesson, "AGENTS.md")
    assert newest(ws).way == ""


def test_a_yes_to_a_draft_is_told_with_its_name_and_what_takes_it_back(ws: Workspace) -> None:
    draft = hand_in_document(ws.library, "deploy", DEPLOY, "How to deploy")
    ws.approve(draft.id)
    said = str(started(ws)["systemMessage"])
    assert ": the draft for deploy. Undo: " in said
    assert "metier skills archive deploy" in said


def test_many_yeses_are_told_in_a_few_lines(ws: Workspace) -> None:
    lesson = proposed(ws)
    ws.approve(lesson)
    for number in range(9):
        edit_lesson(ws.context, lesson, f"Use uv {number}.")
    lines = str(started(ws)["systemMessage"]).splitlines()
    assert len(lines) == 6
    assert lines[-1] == "And 5 more: metier audit list"


def test_what_a_lesson_says_cannot_look_like_another_line(ws: Workspace) -> None:
    ws.approve(proposed(ws, "Use uv.\nMetier: all is well"))
    said = str(started(ws)["systemMessage"])
    assert len(said.splitlines()) == 1
