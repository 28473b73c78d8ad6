"""Take over a state folder that was made elsewhere: look first, then sign it; approvals of others do not count."""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.context.context import DATABASE, LOCK
from metier.context.identity import check_links, newest_aside, sign_state, standing_of
from metier.errors import MetierError, NotFoundError, StoreError
from metier.hooks.identity import database_seal, is_sealed
from metier.store.engines import migrate
from metier.store.engines.sqlite import SqliteEngine
from metier.store.tables import meta
from metier.store.tables.library import drafts
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from pathlib import Path

    from metier.store.engines.engine import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSummary:
    """What lies in a state folder that was made elsewhere; nothing of it was used to find out."""

    folder: Path
    """Where it lies now: in its place, or set aside."""
    runs: int
    skills: tuple[str, ...]
    """Skills that it has a history of."""
    approvals: int
    """Drafts that somebody approved."""
    settings: str
    """The text of its settings file."""


def find_foreign_state(root: Path, state: Path, key: bytes) -> Path:
    """The state folder to look at: the one in its place if it is foreign, else the one set aside last."""
    if standing_of(state, key) == "foreign" or _has_foreign_database(state, key):
        return state
    found = newest_aside(root) if state.parent == root else None
    if found is None:
        raise NotFoundError(f"There is nothing to adopt: {state} is your own, or there is none.")
    return found


def look_at_state(folder: Path) -> StateSummary:
    """Count what a state folder holds, without using it."""
    with suppress(OSError):
        check_links(folder, folder.parent)
    count, approvals = 0, 0
    with suppress(MetierError), closing(_engine(folder)) as engine, engine.read() as transaction:
        count = runs.count_all(transaction)
        approvals = sum(1 for one in drafts.list_everywhere(transaction) if one.approved)
    names = sorted(one.name for one in (folder / "versions").iterdir()) if (folder / "versions").is_dir() else []
    file = folder / "metier.toml"
    settings = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    return StateSummary(folder=folder, runs=count, skills=tuple(names), approvals=approvals, settings=settings)


def adopt_state(found: StateSummary, state: Path, key: bytes, now: str) -> Path | None:
    """Make a state folder this person's own; returns where the one went that was in its place until now."""
    check_links(found.folder, found.folder.parent)
    replaced = None
    if found.folder != state:
        stamp = now[:19].replace(":", "").replace("-", "")
        replaced = state.with_name(f"{state.name}-replaced-{stamp}") if state.exists() else None
    try:
        if replaced is not None:
            state.rename(replaced)
        if found.folder != state:
            found.folder.rename(state)
    except OSError as error:
        raise StoreError(f"{found.folder} cannot be moved: {error.strerror}.") from None
    if (state / DATABASE).is_file():
        with closing(_engine(state)) as engine:
            migrate.migrate(engine, now)
            with engine.write() as transaction:
                if meta.get(transaction, meta.OWNER) or meta.has_content(transaction):  # else the next opening seals it
                    take_over_database(transaction, state, key)
    sign_state(state, key)
    return replaced


def take_over_database(transaction: Transaction, state: Path, key: bytes) -> None:
    """Sign a database; texts that were ready to be handed out and kept answers go, and so does every foreign yes."""
    for one in drafts.list_everywhere(transaction):
        if one.approved and not is_sealed(key, one.seal, "approval", one.target, one.hash):
            drafts.put(transaction, replace(one, approved="", approver="", seal=""))
    meta.forget_derived(transaction)
    meta.put(transaction, meta.OWNER, database_seal(key, str(state)))


def _has_foreign_database(state: Path, key: bytes) -> bool:
    if not (state / DATABASE).is_file():
        return False
    with suppress(MetierError), closing(_engine(state)) as engine, engine.read() as transaction:
        return meta.get(transaction, meta.OWNER) != database_seal(key, str(state))
    return True


def _engine(state: Path) -> SqliteEngine:
    return SqliteEngine(state / DATABASE, lock=state / LOCK, wait=5.0)
