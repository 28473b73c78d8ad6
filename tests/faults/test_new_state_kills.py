"""A process that dies while a project's state is made, or follows it: the same again does it, and nothing is left."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from crash import killed
from states import made_state
from sweep import ENVIRON, environ_of, home_of, leftovers, state_of

from metier.context.state_folder import make_place, state_home
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def opened(folder: Path) -> None:
    """What every command does first."""
    make_place(folder, state_home(environ_of(folder)), environ_of(folder))


def checks_alone(folder: Path) -> Path:
    """The one state folder; nothing else is left of a process that was killed."""
    state = state_of(folder)
    assert leftovers(folder) == []
    assert {one.name for one in home_of(folder).iterdir()} <= {state.name, "user", "at"}
    return state


def a_folder(folder: Path) -> None:
    folder.mkdir(parents=True)


def a_checkout(folder: Path) -> None:
    (folder / ".git").mkdir(parents=True)


@pytest.mark.parametrize("begin", [a_folder, a_checkout])
def test_a_kill_anywhere_in_making_a_state_leaves_one_that_is_whole(
    begin: Callable[[Path], None], tmp_path: Path
) -> None:
    at, going = 0, True
    while going:
        at += 1
        folder = tmp_path / str(at) / "shop"
        begin(folder)
        going = killed(partial(opened, folder), at)
        opened(folder)
        state = checks_alone(folder)
        opened(folder)
        assert state_of(folder) == state
    Workspace.open(folder, environ=environ_of(folder)).close()
    assert at > 30


def a_folder_that_is_a_checkout_now(folder: Path) -> Path:
    kept(folder)
    (folder / ".git").mkdir()
    return folder


def a_checkout_that_moved(folder: Path) -> Path:
    a_checkout(folder)
    kept(folder)
    return folder.rename(folder.with_name("moved"))


def kept(folder: Path) -> None:
    """A project whose state home lies beside it, with something in its state."""
    folder.mkdir(parents=True, exist_ok=True)
    made_state(folder, ENVIRON | {"METIER_HOME": str(folder.parent / ".state")}).joinpath("kept").touch()


@pytest.mark.parametrize("begin", [a_folder_that_is_a_checkout_now, a_checkout_that_moved])
def test_a_kill_anywhere_in_following_a_project_loses_nothing_of_its_state(
    begin: Callable[[Path], Path], tmp_path: Path
) -> None:
    at, going = 0, True
    while going:
        at += 1
        folder = begin(tmp_path / str(at) / "shop")
        going = killed(partial(opened, folder), at)
        opened(folder)
        checks_alone(folder)
        assert not list(home_of(folder).rglob("=metier"))
        assert (state_of(folder) / "kept").exists()
    assert at > 8
