"""Whose state is it, when several processes of one person begin at the same moment?"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crash import Counter

from metier.context.identity import set_aside, standing_of, user_key
from metier.context.state_folder import create_file, make_state_folder
from metier.hooks.identity import key_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MINE, THEIRS = b"the key of this person", b"the key of somebody else"


@contextmanager
def meanwhile(then: Callable[[], object], *names: str) -> Iterator[None]:
    """Another process does something just before this one makes its first call of these names."""
    counter = Counter(at=1, names=names, then=lambda: (then(), None)[1])
    sys.setprofile(counter)
    try:
        yield
    finally:
        sys.setprofile(None)
    assert counter.seen


def test_a_state_folder_that_another_process_makes_meanwhile_is_ones_own(tmp_path: Path) -> None:
    state = tmp_path / ".metier"
    with meanwhile(lambda: make_state_folder(state, tmp_path, MINE), "scandir"):
        standing = standing_of(state, MINE)
    assert standing == "own"


def test_a_foreign_state_folder_that_another_process_sets_aside_meanwhile_is_no_error(tmp_path: Path) -> None:
    state = tmp_path / ".metier"
    make_state_folder(state, tmp_path, THEIRS)
    (state / "spool").mkdir(exist_ok=True)
    with meanwhile(lambda: set_aside(state, MINE), "listdir"):
        standing = standing_of(state, MINE)
    assert standing == "foreign"  # what it was when it was looked at; whoever acts on it looks again
    assert set_aside(state, MINE) is None


def test_what_another_process_put_in_its_place_is_not_set_aside(tmp_path: Path) -> None:
    state = tmp_path / ".metier"
    make_state_folder(state, tmp_path, THEIRS)
    assert standing_of(state, MINE) == "foreign"
    assert set_aside(state, MINE) == tmp_path / ".metier-foreign-1"
    make_state_folder(state, tmp_path, MINE)
    assert set_aside(state, MINE) is None  # who looked before it was exchanged
    assert standing_of(state, MINE) == "own"


def test_a_key_that_another_process_makes_meanwhile_is_the_key(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    file = Path(key_path(environ))
    file.parent.mkdir(parents=True)
    with meanwhile(lambda: create_file(file, bytes(32)), "stat", "lstat"):
        found = user_key(environ)
    assert found == bytes(32)
