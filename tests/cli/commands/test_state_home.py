"""Where state may not lie: each place is refused by commands in one line, exit code 2, and hooks are silent."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from metier.hooks.places import problem_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli_shell import Shell

    Place = Callable[[Path], str]

REFUSED: list[Place] = []


def refused(place: Place) -> Place:
    """A row of the table: it makes the folder `state` below a folder, and returns how it is refused."""
    REFUSED.append(place)
    return place


def tracked(folder: Path, *words: str) -> None:
    """A checkout that has a file below the folder `state`."""
    (folder / "state").mkdir(exist_ok=True)
    (folder / "state/file").write_text("x")
    for command in (("init", "-q"), ("add", "-f", "state/file"), *([words] if words else ())):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True, timeout=60)


@refused
def a_link(folder: Path) -> str:
    (folder / "real").mkdir(mode=0o700)
    (folder / "state").symlink_to(folder / "real")
    return "it is a link"


@refused
def a_link_that_leads_nowhere(folder: Path) -> str:
    (folder / "state").symlink_to(folder / "gone")
    return "it is a link"


@refused
def a_file(folder: Path) -> str:
    (folder / "state").write_text("")
    return "it is not a folder"


@refused
def a_fifo(folder: Path) -> str:
    os.mkfifo(folder / "state")
    return "it is not a folder"


@refused
def a_folder_that_all_can_write(folder: Path) -> str:
    (folder / "state").mkdir()
    (folder / "state").chmod(0o777)
    return "others can write it"


@refused
def a_folder_that_the_group_can_write(folder: Path) -> str:
    (folder / "state").mkdir()
    (folder / "state").chmod(0o770)
    return "others can write it"


@refused
def a_folder_of_another_user(folder: Path) -> str:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    (folder / "state").mkdir(mode=0o700)
    os.chown(folder / "state", 12345, 12345)
    return "it belongs to another user"


@refused
def a_folder_that_a_checkout_tracks(folder: Path) -> str:
    tracked(folder)
    return f"the git checkout {folder} tracks files in it"


@refused
def a_folder_that_a_checkout_with_a_packed_index_may_track(folder: Path) -> str:
    tracked(folder, "update-index", "--index-version", "4")
    return f"the git checkout {folder} tracks files in it"


@refused
def a_folder_that_a_checkout_with_a_split_index_may_track(folder: Path) -> str:
    tracked(folder, "update-index", "--split-index")
    return f"the git checkout {folder} tracks files in it"


@refused
def a_checkout(folder: Path) -> str:
    (folder / "state/.git").mkdir(parents=True)
    return "it is a git checkout"


@pytest.mark.parametrize("place", REFUSED, ids=[one.__name__ for one in REFUSED])
def test_state_is_not_kept_in(place: Place, tmp_path: Path, shell: Shell) -> None:
    below = tmp_path / "below"
    below.mkdir()
    why = place(below)
    (Path(os.environ["HOME"]) / ".claude").mkdir()
    state = below / "state"
    before = sorted(below.rglob("*"))
    shell.monkeypatch.setenv("METIER_HOME", str(state))
    for words in (("init", "--no-connect"), ("runs", "list"), ("where",), ("connect", "--yes")):
        said = shell.run(*words)
        assert (said.code, said.out) == (2, ""), words
        assert said.err == f"metier: State cannot be kept in {state}: {why}. Name another folder: METIER_HOME.\n"
    assert sorted(below.rglob("*")) == before


def test_state_is_not_kept_in_the_checkout_that_it_would_serve(tmp_path: Path, shell: Shell) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    shell.monkeypatch.setenv("METIER_HOME", str(project / "src/state"))
    shell.folder = project
    said = shell.run("init", "--no-connect")
    assert said.code == 2
    assert f"it lies in the project that it would serve, {project}. Name another folder: METIER_HOME." in said.err
    assert [one.name for one in project.iterdir()] == [".git"]


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="nothing can be made in /proc, by root neither")
def test_where_nothing_can_be_written_one_line_says_so_and_nothing_goes_to_tmp(shell: Shell) -> None:
    before = set(Path(tempfile.gettempdir()).iterdir())
    shell.monkeypatch.setenv("METIER_HOME", "/proc/metier-state")
    said = shell.run("init", "--no-connect")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("metier: State cannot be kept in /proc/metier-state: ")
    assert said.err.endswith(". Name another folder: METIER_HOME.\n")
    assert not [one for one in set(Path(tempfile.gettempdir()).iterdir()) - before if "metier" in one.name]


def test_without_a_home_folder_one_line_says_so(shell: Shell) -> None:
    for name in ("HOME", "XDG_STATE_HOME"):
        shell.monkeypatch.delenv(name, raising=False)
    for words in (("init", "--no-connect"), ("runs", "list"), ("where",)):
        said = shell.run(*words)
        assert (said.code, said.out) == (2, ""), words
        line = "There is no home folder to keep state in: HOME is not set. Set it, or METIER_HOME."
        assert said.err == f"metier: {line}\n"


def test_a_home_folder_under_git_may_hold_state_that_git_does_not_track(tmp_path: Path) -> None:
    (tmp_path / "symlinks").mkdir()
    for name in ("link", "symlinks/link", "state.txt"):
        (tmp_path / name).write_text("x")
    for command in (("init", "-q"), ("add", "-A")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    (tmp_path / "state").mkdir(mode=0o700)
    assert problem_of(str(tmp_path / "state")) == ""
    assert problem_of(str(tmp_path / "state/not/there/yet")) == ""
