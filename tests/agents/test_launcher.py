"""The launcher that agents start: silent outside a workspace, isolated inside, and never in the agent's way."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from launcher import SHELLS, Launcher
from selection_shop import FLAKY, stocked

from metier.hooks.notes import Note, launcher_word, write_notes
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

STANDING = "Standing instructions of the person who works here:"
TOLD = f"{STANDING}\n- Use uv, not pip.\n- Never force-push."


@pytest.fixture(params=SHELLS)
def launcher(request: pytest.FixtureRequest, tmp_path: Path) -> Launcher:
    return Launcher(tmp_path / "home", str(request.param))


@pytest.fixture
def plain(tmp_path: Path) -> Launcher:
    return Launcher(tmp_path / "home")


def made_ready(folder: Path) -> Workspace:
    """A workspace with skills that hooks may hand out."""
    folder.mkdir(parents=True, exist_ok=True)
    ws = stocked(Workspace.open(folder))
    for _ in ws.index_skills():
        pass
    return ws


def spooled(ws: Workspace) -> list[dict[str, object]]:
    return [json.loads(file.read_text()) for file in sorted((ws.state / "spool").glob("*.json"))]


def test_it_hands_over_a_skill_and_records_in_a_path_with_spaces_and_signs(launcher: Launcher, tmp_path: Path) -> None:
    with made_ready(tmp_path / "my proj & co's") as ws:
        inner = ws.root / "src" / "deep er"
        inner.mkdir(parents=True)
        for folder in (ws.root, inner):
            said = json.loads(launcher.prompt(folder))
            assert "flaky-tests" in said["hookSpecificOutput"]["additionalContext"]
        for word in ("stop", "end"):
            transcript = str(tmp_path / "session.jsonl")
            assert launcher.run(inner, word, hook_event_name="Stop", transcript_path=transcript) == ""
        kinds = [one["kind"] for one in spooled(ws)]
        assert kinds.count("reference") == 2


def test_copilot_starts_it_in_the_plugins_folder_and_names_the_project(launcher: Launcher, tmp_path: Path) -> None:
    project, plugin = tmp_path / "my proj & co", tmp_path / "plugin"
    plugin.mkdir()
    with made_ready(project) as ws:
        launcher.variables = {"COPILOT_CLI": "1", "COPILOT_PROJECT_DIR": str(project)}
        asked = {"hook_event_name": "UserPromptSubmit", "prompt": FLAKY, "session_id": "s", "cwd": str(project)}
        assert "flaky-tests" in json.loads(launcher.run(plugin, "prompt", **asked))["additionalContext"]
        launcher.run(plugin, "end", hook_event_name="SessionEnd", session_id="s", cwd=str(project), reason="complete")
        assert [entry["kind"] for entry in spooled(ws)] == ["selection"]
        assert not (ws.state / "spool/errors.log").exists()


def test_outside_a_workspace_it_does_nothing_and_starts_no_python(launcher: Launcher, tmp_path: Path) -> None:
    launcher.note("/bin/false")
    (tmp_path / "plain").mkdir()
    for word in ("start", "prompt", "before", "after", "stop", "end", "nonsense"):
        assert launcher.run(tmp_path / "plain", word) == ""


def test_a_project_cannot_have_its_own_modules_executed(plain: Launcher, tmp_path: Path) -> None:
    with made_ready(tmp_path / "proj") as ws:
        for name in ("json", "os", "sqlite3", "metier", "sitecustomize", "usercustomize"):
            (ws.root / f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()")
        (ws.root / ".env").write_text("PYTHONPATH=.\nMETIER_HOME=.\n")
        plain.variables = {"PYTHONPATH": str(ws.root), "PYTHONSTARTUP": str(ws.root / "json.py")}
        assert "flaky-tests" in plain.prompt(ws.root)
        plain.run(ws.root, "stop", transcript_path="x")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("line", ["enabled = false", "paused = true"])
@pytest.mark.parametrize("whose", ["person", "project"])
def test_it_is_silent_where_a_settings_file_switches_metier_off(
    plain: Launcher, tmp_path: Path, line: str, whose: str
) -> None:
    with made_ready(tmp_path / "proj") as ws:
        file = plain.home / ".config/metier/metier.toml" if whose == "person" else ws.state / "metier.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{line}\n")
        assert plain.prompt(ws.root) == ""
        plain.run(ws.root, "stop", transcript_path="x")
        assert spooled(ws) == []


@pytest.mark.parametrize("python", ["/gone/python", "/bin/false", "/usr/bin/env", ""])
def test_without_metier_it_is_silent(plain: Launcher, tmp_path: Path, python: str) -> None:
    with made_ready(tmp_path / "proj") as ws:
        plain.note(python)
        assert plain.prompt(ws.root) == ""
        assert plain.run(ws.root, "stop", transcript_path="x") == ""


def test_it_finds_another_python_when_the_noted_one_has_no_metier(plain: Launcher, tmp_path: Path) -> None:
    with made_ready(tmp_path / "proj") as ws:
        plain.note("/bin/false")
        tool = plain.home / ".local/share/uv/tools/metier/bin"
        tool.mkdir(parents=True)
        (tool / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (tool / "python").chmod(0o755)
        assert "flaky-tests" in plain.prompt(ws.root)


@pytest.mark.parametrize("lines", ["", "/nowhere\n", "/a\n/b", "\n\n\n"])
def test_without_the_file_that_names_its_place_it_is_silent(plain: Launcher, tmp_path: Path, lines: str) -> None:
    with made_ready(tmp_path / "proj") as ws:
        plain.path.with_name("place").write_text(lines)
        assert plain.prompt(ws.root) == ""
        plain.path.with_name("place").unlink()
        assert plain.prompt(ws.root) == ""
        assert spooled(ws) == []


def test_before_and_after_a_tool_it_says_what_was_noted_for_that_call(launcher: Launcher, tmp_path: Path) -> None:
    with made_ready(tmp_path / "proj") as ws:
        notes = [
            Note("before", "Stage files by name.", check={"program": ["git", "add"], "wrong": ["."]}, denies=True),
            Note("before", "Use uv.", check={"program": ["pip", "install"]}),
            Note("after", "Start the database first.", "connection refused"),
        ]
        write_notes(str(ws.state), notes)

        def call(command: str) -> str:
            return launcher.run(
                ws.root, "before", hook_event_name="PreToolUse", tool_name="Bash", tool_input={"command": command}
            )

        said = json.loads(call("git add . && git commit"))["hookSpecificOutput"]
        assert said["permissionDecision"] == "deny"
        reason = "Not run. Standing instruction of the person: Stage files by name."
        assert said["permissionDecisionReason"] == f"{reason} (`git add` must not be given `.`)"
        reminded = json.loads(call("cd x && pip install y"))["hookSpecificOutput"]["additionalContext"]
        assert reminded == f"{STANDING}\n- Use uv."
        for other in ("ls", "git add .github", "echo 'git add .'", "uv pip install x", "pip install --help"):
            assert call(other) == "", other
        answer = {"hook_event_name": "PostToolUse", "tool_response": "psql: connection refused\n"}
        failed = launcher.run(ws.root, "after", "codex", **answer)
        assert json.loads(failed)["hookSpecificOutput"]["additionalContext"].endswith(":\n- Start the database first.")
        assert launcher.run(ws.root, "after", "codex", **answer) == "", "once in a session"
        write_notes(str(ws.state), [])
        assert call("git add .") == ""
        assert (ws.state / "words/before").read_text() == "metier\n"


def test_without_a_matching_word_no_python_is_started(plain: Launcher, tmp_path: Path) -> None:
    with made_ready(tmp_path / "proj") as ws:
        write_notes(str(ws.state), [Note("before", "x", "git add .")])
        started = tmp_path / "started"
        fake = tmp_path / "python"
        fake.write_text(f"#!/bin/sh\ntouch {started}\n")
        fake.chmod(0o755)
        plain.note(str(fake))
        plain.run(ws.root, "before", hook_event_name="PreToolUse", tool_input={"command": "git status"})
        assert not started.exists()
        plain.run(ws.root, "before", hook_event_name="PreToolUse", tool_input={"command": "git add ."})
        assert started.exists()


def test_what_holds_in_all_projects_of_the_person_is_said_in_each(launcher: Launcher, tmp_path: Path) -> None:
    with made_ready(tmp_path / "proj") as ws:
        notes = [
            Note("start", "Use uv, not pip.", workspace="another"),
            Note("before", "Use uv.", check={"program": ["pip", "install"]}, denies=True, workspace="another"),
            Note("start", "Told at home already.", workspace=ws.name),
        ]
        write_notes(str(launcher.state_home / "user"), notes)
        start = launcher.run(ws.root, "start", hook_event_name="SessionStart", source="startup")
        said = json.loads(start)["hookSpecificOutput"]["additionalContext"]
        assert said == f"{STANDING}\n- Use uv, not pip."
        call = {"hook_event_name": "PreToolUse", "tool_name": "Bash"}
        denied = launcher.run(ws.root, "before", **call, tool_input={"command": "pip install x"})
        assert json.loads(denied)["hookSpecificOutput"]["permissionDecision"] == "deny"
        assert launcher.run(ws.root, "before", **call, tool_input={"command": "ls"}) == ""


def test_at_a_sessions_start_it_says_the_standing_lines(launcher: Launcher, tmp_path: Path) -> None:
    with made_ready(tmp_path / "proj") as ws:
        assert launcher.run(ws.root, "start", hook_event_name="SessionStart", source="startup") == ""
        write_notes(str(ws.state), [Note("start", "Use uv, not pip."), Note("start", "Never force-push.")])
        said = json.loads(launcher.run(ws.root, "start", hook_event_name="SessionStart", source="compact"))
        assert said["hookSpecificOutput"]["hookEventName"] == "SessionStart"
        assert said["hookSpecificOutput"]["additionalContext"] == TOLD


@pytest.mark.parametrize(
    ("word", "looked_for"),
    [("git add .", "git add ."), ('say "hi" loudly', "loudly"), ("größe ok", "e ok"), ('"\\', "{"), ("a/b c", "b c")],
)
def test_the_launcher_looks_for_what_json_writes_as_it_is(word: str, looked_for: str) -> None:
    assert launcher_word(word) == looked_for
    assert looked_for in json.dumps({"command": word})
