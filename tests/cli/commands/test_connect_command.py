"""`metier init`, `connect`, `disconnect`, `uninit`: nothing without a yes, everything shown, everything undone."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from homes import FOREIGN_HOOKS, picture, without_state
from states import has_state, state_of

from metier.context.models.access import may_send
from metier.library.lessons import approve_lesson
from metier.library.proposals.drafts import approve_draft
from metier.library.proposals.hand_in import hand_in_document
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from cli_shell import Shell


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with Claude Code and Codex in it, and no programs on the path."""
    folder = tmp_path / "home"
    (folder / ".claude").mkdir()
    (folder / ".codex").mkdir()
    (folder / ".codex/hooks.json").write_text(FOREIGN_HOOKS)
    (folder / ".gemini").mkdir()
    monkeypatch.setenv("PATH", "/nonexistent")
    return folder


def test_without_a_terminal_and_without_a_yes_only_the_workspace_is_made(shell: Shell, home: Path) -> None:
    before = without_state(home)
    assert "Connect them: metier connect --yes" in shell.ok("init")
    assert shell.json("init")["agents"] == []
    said = shell.run("connect")
    assert said.code == 2
    assert "Add --yes" in said.err
    assert without_state(home) == before


def test_an_agent_that_cannot_be_connected_is_refused_before_anything_is_made(shell: Shell, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    refused = replace(shell, folder=new).run("init", "--agents", "nosuch", "--yes")
    assert refused.code == 2
    assert "'nosuch' cannot be connected" in refused.err
    assert list(new.iterdir()) == []


def test_everything_is_shown_before_and_a_dry_run_writes_nothing(shell: Shell, home: Path) -> None:
    before = without_state(home)
    said = shell.ok("init", "--dry-run")
    for part in (
        "Found Claude Code, Codex and Gemini CLI.",
        "~/.claude/skills/metier  (a link",
        "~/.codex/hooks.json  (6 hooks",
        '"command": "sh \\"$HOME/.local/share/metier/plugin/bin/metier-hook\\" stop codex", "timeout": 5',
        "Gemini CLI reads learned skills by itself",
        "~/.local/share/metier/connected.json  (the list of all this",
        "Nothing was written. To do it: metier init",
    ):
        assert part in said
    rows = shell.json("connect", "--dry-run")
    assert [(row["agent"], row["status"]) for row in rows] == [
        ("claude-code", "planned"),
        ("codex", "planned"),
        ("gemini", "skills only"),
    ]
    assert without_state(home) == before


def test_init_connects_and_uninit_leaves_the_home_as_it_was(shell: Shell, home: Path) -> None:
    before = without_state(home)
    said = shell.ok("init", "--yes")
    assert "Connected Claude Code and Codex. Undo: metier disconnect" in said
    assert 'Codex: Start codex once and choose "Trust all and continue"' in said
    assert "Claude Code is connected already." in shell.ok("init", "--yes")
    assert [row["status"] for row in shell.json("connect")] == ["unchanged", "unchanged", "skills only"]
    assert (home / ".local/state/metier/user/python").is_file()
    assert "Disconnected claude-code, codex." in shell.ok("uninit", "--yes")
    assert not (home / ".local/state/metier/user/python").exists()
    assert without_state(home) == before


def test_disconnect_undoes_and_says_what_it_left(shell: Shell, home: Path) -> None:
    before = without_state(home)
    assert "No agent was connected." in shell.ok("disconnect")
    shell.ok("connect", "--yes", "--agents", "codex")
    assert not (home / ".claude/skills").exists()
    launcher = home / ".local/share/metier/plugin/bin/metier-hook"
    launcher.write_text(launcher.read_text() + "# mine\n")
    said = shell.run("disconnect")
    assert said.code == 1
    assert "metier-hook was changed since, so it was left" in said.err
    launcher.unlink()
    shell.ok("connect", "--yes")
    done = shell.json("disconnect")
    assert (done["agents"], done["left"]) == (["claude-code", "codex"], [])
    assert {path for path in without_state(home) if "plugin" not in path} >= before.keys()


def test_a_refused_agent_makes_the_exit_code_1_and_says_why(shell: Shell, home: Path) -> None:
    (home / ".codex/hooks.json").write_text("{")
    said = shell.run("init", "--yes")
    assert said.code == 1
    assert "Codex is not connected:" in said.err
    assert "hooks.json cannot be extended: it is not valid JSON" in said.err
    assert "Connected Claude Code." in said.err
    rows = json.loads(shell.run("connect", "--json").out)
    assert [row["status"] for row in rows] == ["unchanged", "refused", "skills only"]


def test_an_agent_that_cannot_be_connected_is_a_wrong_call(shell: Shell, home: Path) -> None:
    for name in ("gemini", "cursor"):
        said = shell.run("connect", "--agents", name)
        assert said.code == 2
        assert f"'{name}' cannot be connected. Metier connects: claude-code, codex, copilot." in said.err


def test_no_connect_makes_the_workspace_only(shell: Shell, home: Path) -> None:
    before = without_state(home)
    shell.ok("init", "--no-connect", "--yes")
    assert without_state(home) == before


@pytest.mark.usefixtures("shell")
def test_a_home_without_agents_gets_nothing(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    before = without_state(tmp_path / "home")
    assert "No coding agent was found." in shell.ok("init", "--yes")
    assert without_state(tmp_path / "home") == before


@pytest.mark.usefixtures("shell")
def test_without_an_agent_init_says_so_once_and_what_one_can_do(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    for words in (("init",), ("init", "--yes"), ("connect",)):
        done = shell.run(*words)
        said = done.out + done.err
        assert said.count("No coding agent was found.") == 1, words
        assert "metier import" in said, words
        assert "metier record" in said, words
        assert "metier connect" not in said, words


def test_any_command_renews_the_note_about_a_python_that_is_gone(shell: Shell, home: Path) -> None:
    shell.ok("init", "--yes")
    note = home / ".local/state/metier/user/python"
    before = note.read_text()
    note.write_text("/gone/python\n-I\n")
    shell.ok("where")
    assert note.read_text() == before
    note.write_text("/bin/sh\n-I\n")
    shell.ok("where")
    assert note.read_text() == "/bin/sh\n-I\n"


def test_init_finds_the_skill_folders_of_picoclaw_and_openclaw(shell: Shell, home: Path) -> None:
    for place in (".picoclaw/workspace/skills/weather", ".openclaw/skills/mail"):
        (home / place).mkdir(parents=True)
        (home / place / "SKILL.md").write_text(f"---\nname: {place.rsplit('/', 1)[1]}\ndescription: d\n---\n# T\n")
    said = shell.ok("init", "--no-connect")
    assert f"Found 1 skill in {home / '.picoclaw/workspace/skills'} (picoclaw)." in said
    assert f"Found 1 skill in {home / '.openclaw/skills'} (openclaw)." in said
    roots = {row["agent"]: (row["level"], row["skills"]) for row in shell.json("init", "--no-connect")["skill_roots"]}
    assert roots == {"picoclaw": ("user", 1), "openclaw": ("user", 1)}


def test_init_links_the_skills_of_a_project_and_uninit_takes_the_links_away(shell: Shell, home: Path) -> None:
    folder = shell.folder / ".agents/skills/deploy"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: deploy\ndescription: Deploys the shop.\n---\nDo it.\n")
    before = picture(shell.folder)
    told = f"{shell.folder}/.claude/skills  (links to skills: deploy)"
    assert told not in shell.ok("init", "--dry-run"), "it waits for a yes"
    shell.trust()
    assert told in shell.ok("init", "--dry-run")
    assert not (shell.folder / ".claude").exists()
    (row,) = [one for one in shell.json("init", "--yes")["agents"] if one["agent"] == "claude-code"]
    assert row["changes"][1]["diff"] == f"new link {shell.folder}/.claude/skills/deploy -> ../../.agents/skills/deploy"
    assert (shell.folder / ".claude/skills/deploy/SKILL.md").is_file()
    said = shell.ok("uninit", "--yes")
    assert f"Not touched: 1 skill in {shell.folder}/.agents/skills" in said
    assert re.search(r"Undo: metier init --adopt \S+ && metier init$", said.rstrip()), "which links the skills again"
    assert picture(shell.folder) == before


def test_hooks_made_by_hand_are_named_and_removed_when_that_is_asked_for(shell: Shell, home: Path) -> None:
    settings = home / ".claude/settings.json"
    settings.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "metier-spool"}]}]}}')
    before = without_state(home)
    said = shell.ok("connect", "--yes")
    assert "It does the same, so everything would run twice." in said
    assert "metier connect --remove-duplicates" in said
    assert "metier-spool" in settings.read_text()
    assert "everything runs twice" in shell.run("doctor").out
    shell.ok("connect", "--yes", "--remove-duplicates")
    assert settings.read_text() == "{}\n"
    shell.ok("disconnect")
    assert without_state(home) == before


def test_the_doctor_tells_about_agents(shell: Shell, home: Path) -> None:
    shell.ok("connect", "--yes", "--agents", "claude-code")
    said = shell.run("doctor").out
    assert "Claude Code connected" in said
    assert "(claude -p, codex exec) are not recorded" in said
    assert "Codex is not connected" in said


def test_what_init_offers_has_options_of_its_own_and_yes_alone_sets_no_model(shell: Shell, home: Path) -> None:
    done = shell.json("init", "--yes")
    assert (done["imported"], done["model"]) == (None, "")
    done = shell.json("init", "--yes", "--import", "--model", "claude-code:haiku")
    assert (done["imported"]["runs"], done["model"]) == (0, "claude-code:haiku")
    assert shell.json("config")["model"]["value"] == "claude-code:haiku"


def test_a_model_by_option_sends_nothing_before_a_yes_of_its_own(shell: Shell, home: Path) -> None:
    said = shell.ok("init", "--yes", "--model", "codex:default", "--import")
    assert "Set model to codex:default." in said
    assert "Nothing of your sessions is sent to codex:default before you say yes: metier models allow" in said
    assert "No earlier sessions were found in this folder." in said
    with Workspace.open(shell.folder) as ws:
        assert not may_send(ws.context)


def test_options_that_make_no_sense_are_told_before_anything_is_made(shell: Shell, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    said = shell.run("-w", str(folder), "init", "--model", "nonsense")
    assert said.code == 2, said.err
    assert not has_state(folder)


def test_a_workspace_can_be_left_and_made_again_and_each_state_stays(shell: Shell, home: Path) -> None:
    states = [state_of(shell.folder)]
    for _ in range(3):
        shell.ok("uninit", "--yes")
        assert not has_state(shell.folder)
        shell.ok("init", "--no-connect")
        states.append(state_of(shell.folder))
    assert len(set(states)) == 4
    assert all((one / "workspace").is_file() for one in states)


def test_a_draft_that_ships_names_its_folder_and_the_link_for_claude_code(shell: Shell, home: Path) -> None:
    shell.ok("init", "--yes")
    document = "---\nname: deploy\ndescription: Deploys the shop. Use when the shop is deployed.\n---\n\nDo it.\n"
    with Workspace.open(shell.folder) as ws:
        draft = hand_in_document(ws.library, "deploy", document, "how to deploy")
        approve_draft(ws.library, draft.id)
    said = shell.ok("drafts", "apply", draft.id)
    assert f"{shell.folder}/.agents/skills/deploy\n" in said
    assert f"{shell.folder}/.claude/skills/deploy  (a link to it, for Claude Code)" in said


def test_the_plan_is_the_output_and_the_hints_are_not(shell: Shell, home: Path) -> None:
    said = shell.run("init", "--dry-run")
    assert "A workspace would be made" in said.out or "is already a workspace" in said.out
    assert "~/.codex/hooks.json  (6 hooks" in said.out
    assert "~/.local/state/metier/user (notes.json, words/)" in said.out
    assert "Nothing was written" in said.err
    assert "hooks.json" not in said.err
    assert "~/.codex/hooks.json" in shell.run("init", "--yes").out


def test_a_project_made_without_connecting_keeps_the_hooks_that_it_uses(
    shell: Shell, home: Path, tmp_path: Path
) -> None:
    other = replace(shell, folder=tmp_path / "other")
    other.folder.mkdir()
    shell.ok("init", "--yes")
    other.ok("init", "--no-connect")
    assert "Disconnected" not in shell.ok("uninit", "--yes")
    assert (home / ".local/share/metier/connected.json").is_file()
    assert "Disconnected claude-code, codex." in other.ok("uninit", "--yes")


def test_lessons_for_all_projects_go_with_the_last_one_and_come_back_with_it(shell: Shell, home: Path) -> None:
    shell.ok("init", "--yes")
    with Workspace.open(shell.folder) as ws:
        rule = Lesson(id="0" * 12, workspace=ws.name, kind="rule", text="Use uv, not pip.", subject="pip uv")
        with ws.context.store.write() as transaction:
            lessons.put(transaction, [rule])
        approve_lesson(ws.context, rule.id, scope="person")
    person = home / ".local/state/metier/user"
    assert (person / "notes.json").is_file()
    said = shell.run("uninit", "--yes").err
    assert sorted(one.name for one in person.iterdir() if one.is_file()) == ["identity.key", "redact.key"]
    assert "Not touched: ~/.local/state/metier/user, your keys" in said
    for command in said.partition("Undo: metier ")[2].split(" && metier "):
        shell.ok(*command.split(), "--yes")
    assert (person / "notes.json").is_file()


def test_uninit_names_all_that_stays_and_how_to_delete_it(shell: Shell, home: Path) -> None:
    shell.ok("init", "--yes")
    skill = home / ".agents/skills/mine/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: mine\ndescription: Mine.\n---\n\nDo it.\n")
    state = state_of(shell.folder)
    shell.ok("pause", "--everywhere")
    said = shell.ok("uninit", "--yes")
    assert f"Delete it for good: rm -r {state}\n" in said
    assert "your own settings, ~/.config/metier/metier.toml" in said
    assert "~/.local/state/metier/user, your keys and the history of your own skills" in said
    assert f"1 skill in {home}/.agents/skills, which is your own" in said
    assert [one.name for one in (home / ".config/metier").iterdir()] == ["metier.toml"]
    assert (state / "metier.db").is_file()


def test_uninit_without_a_workspace_does_not_suggest_to_make_one(shell: Shell, home: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = replace(shell, folder=tmp_path / "other")
    said = other.run("uninit", "--yes")
    assert said.code == 2
    assert f"There is no workspace in {other.folder}, so there is nothing to undo." in said.err
    assert "metier init" not in said.err
    assert "disconnect" not in said.err
    shell.ok("init", "--yes")
    assert "metier disconnect" in other.run("uninit", "--yes").err
