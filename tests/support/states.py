"""Where the state of a project lies, for tests that look into it, and projects bound to it by hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from metier.context.adopt import is_stray
from metier.context.state_folder import bind_to, find_place, make_place, state_home

if TYPE_CHECKING:
    from collections.abc import Mapping


def state_of(folder: str | Path, environ: Mapping[str, str] | None = None) -> Path:
    """The state folder of the project that a folder belongs to."""
    found = find_place(folder, state_home(os.environ if environ is None else environ))
    assert found is not None, f"{folder} belongs to no project"
    return found.state


def has_state(folder: str | Path, environ: Mapping[str, str] | None = None) -> bool:
    """Whether a folder belongs to a project."""
    return find_place(folder, state_home(os.environ if environ is None else environ)) is not None


def made_state(folder: str | Path, environ: Mapping[str, str] | None = None) -> Path:
    """The same, of a project that is made now if there is none."""
    given = os.environ if environ is None else environ
    return make_place(folder, state_home(given), given).state


def adopt(folder: str | Path, environ: Mapping[str, str] | None = None) -> Path:
    """Let a project that was moved without git go on with its state: the only one that no project names."""
    home = state_home(os.environ if environ is None else environ)
    (state,) = [one.parent for one in home.glob("*/workspace") if is_stray(one.parent)]
    bind_to(state, Path(folder), home)
    return Path(folder)
