"""Use a state folder that another place had until now: look at it first, then bind the project to it by hand."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from metier.context.context import DATABASE, LOCK
from metier.errors import MetierError, NotFoundError
from metier.hooks import places
from metier.hooks.places import ID_FILE, RECORDS, USER
from metier.store.engines.sqlite import SqliteEngine
from metier.store.tables.library import drafts
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 5
"""State folders that a message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSummary:
    """What a state folder holds."""

    folder: Path
    was: str
    """The project's folder until now."""
    runs: int
    skills: tuple[str, ...]
    """Skills that it has a history of."""
    approvals: int
    """Drafts that were approved."""


def find_state(wanted: str, home: Path) -> Path:
    """A state folder by its name, or by the folder that its project had."""
    named = home / wanted
    if wanted != USER and places.NAME_SIGNS.issuperset(wanted) and (named / RECORDS).is_file():
        return named
    old = os.path.abspath(os.path.expanduser(wanted))  # noqa: PTH100, PTH111 - it need not exist
    found = [state for state in _states(home) if project_of(state) == old]
    if len(found) == 1:
        return found[0]
    lost = [f"{one.name} (was {project_of(one)})" for one in _states(home) if is_stray(one)]
    known = f" Without a project now: {', '.join(lost[:SHOWN])}." if lost else ""
    raise NotFoundError(f"There is no state of {wanted} in {home}.{known} Name one: metier init --adopt NAME")


def look_at_state(state: Path) -> StateSummary:
    """Count what a state folder holds, without using it."""
    count, approvals = 0, 0
    with (
        suppress(MetierError),
        closing(SqliteEngine(state / DATABASE, lock=state / LOCK, wait=5.0)) as engine,
        engine.read() as transaction,
    ):
        count = runs.count_all(transaction)
        approvals = sum(1 for one in drafts.list_everywhere(transaction) if one.approved)
    names = sorted(one.name for one in (state / "versions").iterdir()) if (state / "versions").is_dir() else []
    return StateSummary(folder=state, was=project_of(state), runs=count, skills=tuple(names), approvals=approvals)


def project_of(state: Path) -> str:
    """The folder of the project that a state folder was bound to last."""
    kind, bearer = places.bound_to(str(state))
    return bearer.removesuffix("/.git") if kind == "git" else bearer


def is_stray(state: Path) -> bool:
    """Whether no project names a state folder any more: it was deleted, or it moved without git."""
    kind, bearer = places.bound_to(str(state))
    file = f"{bearer}/{ID_FILE}" if kind == "git" else places.mark_of(bearer, str(state.parent))
    return not Path(bearer).is_dir() or places.read_small(file).strip() != state.name


def _states(home: Path) -> Iterator[Path]:
    return (one for one in sorted(home.glob("*-*")) if (one / RECORDS).is_file())
