"""Connecting on homes as people have them: right, only what the manifest names, and undone byte for byte."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from homes import CLAUDE_SETTINGS, FOREIGN_HOOKS, ODD_HOOKS, Home, home_at, picture
from states import made_state

from metier.agents.changes import WrittenFolder, hash_of
from metier.agents.connect import (
    connect_agents,
    disconnect_agents,
    leave_workspace,
    refresh_python_note,
    remove_duplicates,
)
from metier.agents.duplicates import find_duplicates, removals_of
from metier.agents.known import named_agents
from metier.agents.manifest import read_manifest
from metier.agents.plan import CODEX_EVENTS, codex_groups, plan_connection, python_note
from metier.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534
HOMES = {
    "none": {},
    "claude alone": {".claude/": ""},
    "codex alone": {".codex/": ""},
    "all": {".claude/skills/mine/SKILL.md": "x", ".codex/config.toml": "a = 1\n", ".gemini/": "", ".pi/": ""},
    "foreign hooks": {".claude/settings.json": CLAUDE_SETTINGS, ".codex/hooks.json": FOREIGN_HOOKS},
    "odd hooks": {".codex/hooks.json": ODD_HOOKS},
    "empty hooks": {".codex/hooks.json": "{}"},
    "no event": {".codex/hooks.json": '{"hooks": {}, "other": [1, 2]}\n'},
    "other members": {".codex/hooks.json": '{"description": "mine"}'},
    "with other files of ours": {".codex/": "", ".claude/": "", ".config/metier/metier.toml": "mode = 'draft'\n"},
}


@pytest.fixture(params=["plain", 'it\'s my "home" & co'])
def name(request: pytest.FixtureRequest) -> str:
    """A home folder's name."""
    return str(request.param)


@pytest.mark.parametrize("files", HOMES.values(), ids=HOMES.keys())
def test_connecting_writes_what_the_manifest_names_and_undoing_leaves_every_byte(
    tmp_path: Path, name: str, files: dict[str, str]
) -> None:
    home = home_at(tmp_path / name)
    for file, text in files.items():
        home.put(file, text)
    before = picture(home.folder)
    home.connect()
    after = picture(home.folder)
    changed = {path for path in after if after[path] != before.get(path)} | (before.keys() - after.keys())
    manifest = read_manifest(home.places.manifest)
    named = {os.path.relpath(one.written.path, home.folder) for one in manifest.entries}
    assert changed == (named | {os.path.relpath(home.places.manifest, home.folder)} if manifest.entries else set())
    assert disconnect_agents(home.places).left == ()
    assert picture(home.folder) == before


def test_what_was_in_a_hooks_file_comes_first_and_stays_as_it_is(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    file = home.put(".codex/hooks.json", FOREIGN_HOOKS)
    home.connect()
    hooks = json.loads(file.read_text())["hooks"]
    groups = codex_groups(home.places)
    assert hooks["Stop"] == [json.loads(FOREIGN_HOOKS)["hooks"]["Stop"][0], groups["Stop"]]
    assert {event: hooks[event][-1] for event in CODEX_EVENTS} == groups
    assert file.read_text().startswith(FOREIGN_HOOKS[:40])


def test_claude_code_gets_a_link_and_no_settings_are_touched(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    settings = home.put(".claude/settings.json", CLAUDE_SETTINGS)
    home.connect()
    link = home.folder / ".claude/skills/metier"
    assert link.readlink() == home.places.plugin
    assert (link / ".claude-plugin/plugin.json").is_file()
    assert settings.read_text() == CLAUDE_SETTINGS


def test_connecting_twice_changes_nothing_the_second_time(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/")
    home.put(".codex/hooks.json", FOREIGN_HOOKS)
    home.connect()
    before = picture(home.folder)
    assert home.plan().changes == ()
    home.connect()
    assert picture(home.folder) == before


def test_after_an_upgrade_the_plugin_is_new_and_the_hooks_of_codex_are_untouched(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".codex/")
    empty = picture(home.folder)
    home.connect()
    hooks = (home.folder / ".codex/hooks.json").read_bytes()
    _age(home)
    plan = home.connect()
    assert {change.path for change in plan.changes} == {home.places.launcher}
    assert home.places.launcher.read_bytes() != b"an earlier launcher"
    assert not (home.places.plugin / "commands/old.md").exists()
    assert (home.folder / ".codex/hooks.json").read_bytes() == hooks
    disconnect_agents(home.places)
    assert picture(home.folder) == empty


def _age(home: Home) -> None:
    """Let the plugin look as if an earlier version had written it."""
    home.places.launcher.write_bytes(b"an earlier launcher")
    old = home.places.plugin / "commands/old.md"
    old.write_bytes(b"old")
    document = json.loads(home.places.manifest.read_text())
    for row in document["entries"]:
        if row["path"] == str(home.places.launcher):
            row["hash"] = hash_of(b"an earlier launcher")
    document["entries"].append({"agent": "", "kind": "file", "path": str(old), "hash": hash_of(b"old")})
    home.places.manifest.write_text(json.dumps(document))


def test_hooks_that_were_taken_out_by_hand_come_back_as_a_whole(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    file = home.put(".codex/hooks.json", FOREIGN_HOOKS)
    home.connect()
    document = json.loads(file.read_text())
    del document["hooks"]["PreToolUse"]
    file.write_text(json.dumps(document, indent=4) + "\n")
    home.connect()
    assert set(json.loads(file.read_text())["hooks"]) == set(CODEX_EVENTS)
    disconnect_agents(home.places)
    assert json.loads(file.read_text()) == json.loads(FOREIGN_HOOKS)


def test_what_a_person_added_since_stays_byte_for_byte(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    file = home.put(".codex/hooks.json", FOREIGN_HOOKS)
    home.connect()
    file.write_text(file.read_text().replace('"say done"', '"say bye"'))
    assert disconnect_agents(home.places).left == ()
    assert file.read_text() == FOREIGN_HOOKS.replace('"say done"', '"say bye"')


def test_hooks_added_behind_ours_in_a_file_of_our_own_stay(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".codex/")
    home.connect()
    file = home.folder / ".codex/hooks.json"
    document = json.loads(file.read_text())
    document["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "mine"}]})
    file.write_text(json.dumps(document))
    assert disconnect_agents(home.places).left == ()
    assert json.loads(file.read_text()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_what_a_person_changed_of_ours_is_left_and_named(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/")
    home.put(".codex/")
    home.connect()
    file = home.folder / ".codex/hooks.json"
    file.write_text(file.read_text().replace('"timeout": 5', '"timeout": 50'))
    (home.folder / ".claude/skills/metier").unlink()
    (home.folder / ".claude/skills/metier").mkdir()
    home.places.launcher.write_text("mine")
    left = disconnect_agents(home.places).left
    assert len(left) == 2, left
    assert "metier-hook was changed since" in " ".join(left)
    assert ".claude/skills/metier was changed since" in " ".join(left)
    assert (home.folder / ".claude/skills/metier").is_dir()
    hooks = json.loads(file.read_text())["hooks"]
    assert list(hooks) == ["Stop"]
    assert hooks["Stop"][0]["hooks"][0]["timeout"] == 50


REFUSED = {
    "malformed": ({".codex/hooks.json": '{"hooks": '}, "is not valid JSON"),
    "not an object": ({".codex/hooks.json": "[]"}, "is not a JSON object"),
    "hooks is a list": ({".codex/hooks.json": '{"hooks": []}'}, '"hooks" is not an object'),
    "event is text": ({".codex/hooks.json": '{"hooks": {"Stop": "x"}}'}, '"Stop" is not a list'),
    "empty": ({".codex/hooks.json": ""}, "is not valid JSON"),
    "foreign skill": ({".codex/": "", ".claude/skills/metier/SKILL.md": "mine"}, "is not Metier's"),
}


@pytest.mark.parametrize(("files", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_an_agent_whose_files_cannot_be_extended_is_refused_and_the_other_is_connected(
    tmp_path: Path, files: dict[str, str], reason: str
) -> None:
    home = home_at(tmp_path / "home")
    for file, text in ({".claude/": ""} | files if ".claude/skills/metier/SKILL.md" not in files else files).items():
        home.put(file, text)
    before = picture(home.folder)
    plan = home.connect()
    [refusal] = [one.refusal for one in plan.agents if one.refusal]
    assert reason in refusal
    after = picture(home.folder)
    assert {path: after[path] for path in before} == before
    assert len(read_manifest(home.places.manifest).agents) == 1
    disconnect_agents(home.places)
    assert picture(home.folder) == before


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder of a person who is not root; root may write everywhere."""
    with tempfile.TemporaryDirectory(prefix="home") as folder:
        is_root = os.geteuid() == 0
        if is_root:
            os.chown(folder, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, 0)
        yield Path(folder)
        if is_root:
            os.setresuid(0, 0, 0)


def test_a_read_only_place_is_refused_before_anything_is_written(as_nobody: Path) -> None:
    home = home_at(as_nobody / "home")
    home.put(".codex/hooks.json", FOREIGN_HOOKS, 0o444)
    home.put(".claude/").chmod(0o555)
    before = picture(home.folder)
    plan = home.plan()
    assert [one.refusal.partition(" ")[2][:12] for one in plan.agents] == ["cannot be wr", "is read-only"]
    assert plan.changes == ()
    assert picture(home.folder) == before


def test_a_hooks_file_that_is_a_link_is_written_where_it_leads(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    real = home.put("dotfiles/hooks.json", FOREIGN_HOOKS, 0o600)
    home.put(".codex/")
    (home.folder / ".codex/hooks.json").symlink_to(real)
    before = picture(home.folder)
    home.connect()
    assert (home.folder / ".codex/hooks.json").is_symlink()
    assert "metier-hook" in real.read_text()
    disconnect_agents(home.places)
    assert picture(home.folder) == before


def test_a_hooks_file_that_changes_under_our_hands_is_left_alone(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/")
    file = home.put(".codex/hooks.json", FOREIGN_HOOKS)
    plan = home.plan()
    file.write_text("{}")
    failed = connect_agents(home.places, plan)
    assert "was changed meanwhile" in failed["codex"]
    assert file.read_text() == "{}"
    assert read_manifest(home.places.manifest).agents == ("claude-code",)


def test_one_agent_can_be_disconnected_and_the_plugin_stays_for_the_other(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/")
    home.put(".codex/hooks.json", FOREIGN_HOOKS)
    home.connect()
    done = disconnect_agents(home.places, ["codex"])
    assert done.agents == ("codex",)
    assert (home.folder / ".codex/hooks.json").read_text() == FOREIGN_HOOKS
    assert home.places.launcher.is_file()
    assert disconnect_agents(home.places).agents == ("claude-code",)
    assert not home.places.data.exists()


def test_agents_stay_connected_until_the_last_workspace_leaves(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/")
    for name in ("one", "two", "gone"):
        (tmp_path / name).mkdir()
        made_state(tmp_path / name, home.environ)
    before = picture(home.folder)
    for name in ("one", "two", "gone"):
        home.connect(str(tmp_path / name))
    (tmp_path / "gone").rmdir()
    assert leave_workspace(home.places, str(tmp_path / "one")) is None
    assert home.places.launcher.is_file()
    assert leave_workspace(home.places, "elsewhere") is None
    done = leave_workspace(home.places, str(tmp_path / "two"))
    assert done is not None
    assert done.agents == ("claude-code",)
    assert picture(home.folder) == before


def test_a_person_who_connected_without_a_workspace_disconnects_without_one(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/")
    home.connect()
    home.connect(str(tmp_path))
    assert leave_workspace(home.places, str(tmp_path)) is None
    assert read_manifest(home.places.manifest).agents == ("claude-code",)


def test_a_manifest_that_cannot_be_read_stops_everything(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/")
    home.put(".local/share/metier/connected.json", "{")
    with pytest.raises(RefusedError, match="does not know what it wrote"):
        home.plan()


def test_the_note_about_python_is_renewed_when_that_python_is_gone(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/")
    before = picture(home.folder)
    home.connect()
    assert not refresh_python_note(home.places)
    home.places.python_note.write_text("/gone/python\n-I\n")
    assert refresh_python_note(home.places)
    assert home.places.python_note.read_bytes() == python_note()
    assert disconnect_agents(home.places).left == ()
    assert picture(home.folder) == before


def test_folders_that_others_use_by_now_stay(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/")
    home.connect()
    home.put(".claude/skills/mine/SKILL.md", "x")
    assert any(isinstance(one.written, WrittenFolder) for one in read_manifest(home.places.manifest).entries)
    disconnect_agents(home.places)
    assert (home.folder / ".claude/skills/mine/SKILL.md").read_text() == "x"


HAND_MADE = {
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "python -m metier.hooks.record", "timeout": 5}]},
            {"hooks": [{"type": "command", "command": "say done"}, {"type": "command", "command": "metier-spool"}]},
        ],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "python -m metier.hooks.select"}]}],
    },
    "model": "opus",
}


def test_hooks_made_by_hand_and_other_copies_of_the_plugin_are_found(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".claude/settings.json", json.dumps(HAND_MADE | {"enabledPlugins": {"metier@metier": True, "x@y": True}}))
    home.put(".codex/config.toml", '[plugins."metier@metier"]\nenabled = true\n')
    project = home.put("proj/.claude/settings.json", json.dumps(HAND_MADE)).parents[1]
    home.put(".codex/hooks.json", json.dumps({"hooks": {"Stop": HAND_MADE["hooks"]["Stop"]}}))  # type: ignore[index]
    home.connect()
    found = find_duplicates(home.places, project)
    assert [one.what.partition(":")[0] for one in found] == [
        *["a hook for Stop", "a hook for Stop", "a hook for UserPromptSubmit"] * 2,
        *["a hook for Stop", "a hook for Stop"],
        *["the plugin metier@metier", "the plugin metier@metier"],
    ]
    assert [one.fix for one in found[-2:]] == [
        "claude plugin uninstall metier@metier",
        "codex plugin remove metier@metier",
    ]


def test_hooks_made_by_hand_go_and_come_back_with_the_undo(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    settings = home.put(".claude/settings.json", json.dumps(HAND_MADE, indent=4))
    hooks = home.put(".codex/hooks.json", json.dumps({"hooks": {"Stop": HAND_MADE["hooks"]["Stop"]}}))  # type: ignore[index]
    before = picture(home.folder)
    remove_duplicates(home.places, removals_of(home.places, find_duplicates(home.places)))
    left = {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}
    assert json.loads(settings.read_text()) == {"hooks": left, "model": "opus"}
    home.connect()
    assert json.loads(hooks.read_text())["hooks"]["Stop"][0] == left["Stop"][0]
    assert find_duplicates(home.places) == []
    assert disconnect_agents(home.places).left == ()
    assert picture(home.folder) == before


@pytest.fixture
def copilot(tmp_path: Path) -> Home:
    """A home with a Copilot CLI that keeps its settings as the real one does."""
    home = home_at(tmp_path / "home")
    program = home.put(
        "bin/copilot",
        f"""#!{sys.executable}
import json, os, sys
file = os.path.expanduser("~/.copilot/settings.json")
known = json.load(open(file)) if os.path.exists(file) else {{"extraKnownMarketplaces": {{}}, "enabledPlugins": {{}}}}
match sys.argv[2:]:
    case ["marketplace", "add", folder]:
        assert os.path.isfile(folder + "/.claude-plugin/marketplace.json")
        known["extraKnownMarketplaces"]["metier"] = {{"source": {{"source": "directory", "path": folder}}}}
    case ["install", name]: known["enabledPlugins"][name] = True
    case ["uninstall", name]: known["enabledPlugins"][name] = False
    case ["marketplace", "remove", name]: del known["extraKnownMarketplaces"][name]
    case _: sys.exit("unknown command")
json.dump(known, open(file, "w"), indent=2)
""",
        0o755,
    )
    home.put(".copilot/")
    home.environ["PATH"] = str(program.parent)
    return home


def test_copilot_installs_the_plugin_by_its_own_commands(copilot: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(copilot.folder))
    before = picture(copilot.folder)
    copilot.connect()
    assert json.loads((copilot.folder / ".copilot/settings.json").read_text())["enabledPlugins"] == {
        "metier@metier": True
    }
    assert copilot.plan().changes == ()
    assert disconnect_agents(copilot.places).left == ()
    assert picture(copilot.folder) == before


def test_settings_of_copilot_that_changed_since_are_left_to_its_own_commands(
    copilot: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(copilot.folder))
    copilot.connect()
    file = copilot.folder / ".copilot/settings.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"theme": "dark"}))
    assert disconnect_agents(copilot.places).left == ()
    assert json.loads(file.read_text()) == {
        "extraKnownMarketplaces": {},
        "enabledPlugins": {"metier@metier": False},
        "theme": "dark",
    }


def test_a_folder_of_copilot_without_its_program_is_in_nobodys_way_and_refused_when_asked_for(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    home.put(".copilot/")
    assert home.plan().agents == ()
    [plan] = plan_connection(home.places, named_agents(["copilot"]), read_manifest(home.places.manifest)).agents
    assert plan.refusal == "its program is not on the path."
