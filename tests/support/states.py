"""Where the state of a project lies, for tests that look into it, and projects bound to it by hand."""

from __future__ import annotations

import os
import secrets
import shutil
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
    """Let a project that was moved or copied go on with the only state, or the only one that no project names."""
    home = state_home(os.environ if environ is None else environ)
    there = [one.parent for one in home.glob("*/workspace")]
    (state,) = there if len(there) == 1 else filter(is_stray, there)
    bind_to(state, Path(folder), home)
    return Path(folder)


def copied(folder: Path, to: Path) -> Path:
    """A copy of a project without git that goes on with a copy of the project's state."""
    state = state_of(folder)
    shutil.copytree(folder, to, symlinks=True)
    own = shutil.copytree(state, state.with_name(f"{to.name}-{secrets.token_hex(8)}"))
    bind_to(own, to, state.parent)
    return to
