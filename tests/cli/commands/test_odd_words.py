"""What is typed wrong is refused with what to do: files for folders, empty words, names like no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from states import state_of

import metier
from metier.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from cli_shell import Shell


@pytest.mark.parametrize("name", ["notes.txt", "notes.txt/x", "nowhere"])
@pytest.mark.parametrize("words", [("runs", "list"), ("doctor",), ("where",), ("init",), ("config", "show")])
def test_what_is_no_folder_is_no_workspace_even_inside_of_one(shell: Shell, name: str, words: tuple[str, ...]) -> None:
    (shell.folder / "notes.txt").write_text("x")
    place = shell.folder / name
    shell.folder = place
    said = shell.run(*words)
    assert (said.code, said.err) == (2, f"metier: {place} is not a folder, so it cannot be a workspace.\n")


def test_a_file_opens_no_workspace(tmp_path: Path) -> None:
    metier.open(tmp_path).close()
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(ConfigError, match=r"notes\.txt is not a folder"):
        metier.open(tmp_path / "notes.txt")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("notes.txt", "is a file. Choose a new or empty folder"),
        ("/proc/x", "cannot be made: No such file or directory. Choose a new or empty folder"),
    ],
)
def test_a_place_where_no_demo_can_be_is_refused_with_advice(shell: Shell, place: str, said: str) -> None:
    (shell.folder / "notes.txt").write_text("x")
    done = shell.run("demo", "--keep", str(shell.folder / place))
    assert (done.code, said in done.err) == (1, True)


def test_settings_that_are_a_folder_are_said_in_words(shell: Shell) -> None:
    (state_of(shell.folder) / "metier.toml").mkdir()
    said = shell.run("runs", "list")
    assert (said.code, "is a folder, and settings are a file" in said.err, "Errno" in said.err) == (2, True, False)


@pytest.mark.parametrize("task", ["", "  "])
def test_an_empty_task_selects_nothing_and_is_wrong_usage(shell: Shell, task: str) -> None:
    said = shell.run("select", task)
    assert (said.code, "The task is empty" in said.err) == (2, True)


@pytest.mark.parametrize("words", [("init",), ("connect",), ("connect", "--dry-run")])
@pytest.mark.parametrize("agents", ["", " , "])
def test_naming_no_agent_is_not_naming_all(shell: Shell, words: tuple[str, ...], agents: str) -> None:
    said = shell.run(*words, "--agents", agents)
    assert (said.code, "--agents names no agent" in said.err) == (2, True)


@pytest.mark.parametrize(("name", "near"), [("foo", ""), ("copilott", "copilot"), ("claude", "claude-code")])
def test_only_a_source_with_a_name_like_it_is_suggested(shell: Shell, name: str, near: str) -> None:
    said = shell.run("import", name)
    assert said.code == 1
    assert (f"did you mean '{near}'?" if near else "known sources: ") in said.err


@pytest.mark.parametrize(("name", "near"), [("nope", ""), ("min_run", "min_runs"), ("retention", "retention_days")])
def test_only_a_setting_with_a_name_like_it_is_suggested(shell: Shell, name: str, near: str) -> None:
    said = shell.run("--set", f"{name}=1", "runs", "list")
    assert (said.code, "`metier config` lists them all" in said.err) == (2, True)
    assert (f"did you mean '{near}'?" in said.err) if near else ("did you mean" not in said.err)


def test_a_file_that_is_no_backup_is_refused_before_anybody_is_asked(shell: Shell) -> None:
    file = shell.folder / "notes.txt"
    file.write_text("x")
    said = shell.run("restore", str(file))
    assert (said.code, "cannot be read as a backup" in said.err, "--yes" in said.err) == (1, True, False)


def test_a_restore_of_nothing_is_wrong_usage(shell: Shell) -> None:
    for words in (("restore",), ("restore", "b.tar.gz", "--without-backup")):
        said = shell.run(*words)
        assert (said.code, "Give the FILE to restore" in said.err) == (2, True)
