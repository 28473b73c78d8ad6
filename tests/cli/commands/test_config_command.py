"""`metier config set`: each setting goes to the file where it belongs, and the undo it names works."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from homes import picture
from states import state_of

from metier.config.files import change_file, read_file

if TYPE_CHECKING:
    from cli_shell import Shell


def user_file() -> Path:
    return Path(os.environ["HOME"]) / ".config/metier/metier.toml"


def undo_of(said: str) -> list[str]:
    return said.partition("Undo: metier ")[2].split()


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("mode", "draft", "draft"),
        ("store", "postgresql://me@db.example/x", "postgresql://me@db.example/x"),
        ("budget_usd", "2.5", 2.5),
        ("second_opinions", "scan --all", ["scan --all"]),
        ("model_headers", "X-Team: a,X-B: c", ["X-Team: a", "X-B: c"]),
        ("skill_roots", "~/shared-skills", ["~/shared-skills"]),
    ],
)
def test_a_setting_goes_to_the_workspaces_file_in_its_state_and_to_none_of_the_project(
    shell: Shell, name: str, value: str, kept: object
) -> None:
    default = shell.json("config")[name]
    before = picture(shell.folder)
    said = shell.ok("config", "set", name, value)
    assert read_file(state_of(shell.folder) / "metier.toml") == {name: kept}
    assert picture(shell.folder) == before
    assert not user_file().exists()
    shell.ok(*undo_of(said))
    assert shell.json("config")[name] == default


def test_a_setting_for_one_workspace_is_not_one_for_another(shell: Shell, tmp_path: Path) -> None:
    shell.ok("config", "set", "budget_usd", "7")
    (tmp_path / "other").mkdir()
    shell.folder = tmp_path / "other"
    shell.ok("init", "--no-connect")
    assert shell.json("config")["budget_usd"]["from"] == "default"


def test_comments_and_other_settings_stay_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "metier.toml"
    list_ = 'ignore = [\n  "a",\n  "b",\n]\n'
    file.write_text(f'# mine\nmode = "draft"  # careful\n{list_}\n# why\nmin_runs = 3\n')
    change_file(file, "ignore", ("c",))
    change_file(file, "lock_wait", 3.5)
    change_file(file, "min_runs", 4)
    assert file.read_text().splitlines() == [
        "# mine",
        'mode = "draft"  # careful',
        'ignore = ["c"]',
        "",
        "# why",
        "min_runs = 4",
        "lock_wait = 3.5",
    ]


def test_a_wrong_name_or_value_changes_nothing(shell: Shell) -> None:
    assert shell.run("config", "set", "mod", "draft").code == 2
    assert shell.run("config", "set", "mode", "drift").code == 2
    assert shell.run("config", "unset", "mod").code == 2
    assert not (state_of(shell.folder) / "metier.toml").exists()


def test_a_file_that_becomes_empty_goes_and_one_with_a_comment_stays(tmp_path: Path) -> None:
    file = tmp_path / "metier.toml"
    file.write_text("# why\nmin_runs = 4\n")
    change_file(file, "min_runs", None)
    assert file.read_text() == "# why\n"
    other = tmp_path / "other.toml"
    change_file(other, "mode", "draft")
    change_file(other, "mode", None)
    assert not other.exists()
