"""Is the database this person's, and is it still the one that was here? A mark beside it says that there was one.

The mark is a file outside the database, made once the first one is sealed: a database without a seal beside a mark is
a new one in the place of one that was lost. That is noted in the new one and said until a backup is restored or a
person goes on without.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from metier.context import identity
from metier.context import state_folder as place
from metier.errors import ConfigError
from metier.hooks.identity import database_seal
from metier.store.tables import meta

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from metier.store.engines.engine import Engine

DATABASE = "metier.db"
MARK = "database"
TEXT = f"Metier made its database, {DATABASE}, in this folder. This file stays, so that a lost one is noticed.\n"


def check_copied(store: Engine) -> None:
    """Refuse a store that an unfinished copy goes into."""
    with store.read() as transaction:
        begun = meta.get(transaction, meta.COPIED_FROM)
    if begun:
        raise ConfigError(f"A copy into this store is not finished. Run it again: metier store copy {begun} TO")


def check_database(store: Engine, state: Path, key: bytes, now: Callable[[], str]) -> str:
    """Refuse a database that was exchanged for another one; a new one is sealed. Returns when one was found lost."""
    seal = database_seal(key, str(state))
    with store.read() as transaction:
        found, lost = meta.get(transaction, meta.OWNER), meta.get(transaction, meta.LOST)
        is_new = not found and not meta.has_content(transaction)
    if is_new:
        lost = _seal_new(store, state, seal, now)
    elif found != seal:
        raise ConfigError(identity.foreign_text(state / DATABASE))
    _mark(state)
    return lost


def _seal_new(store: Engine, state: Path, seal: str, now: Callable[[], str]) -> str:
    """Seal a new database; one that comes after another one notes that the other is lost.

    Who seals marks afterwards. So what has no seal, seen under the lock, cannot be what the mark is about.
    """
    with store.write() as transaction:
        if meta.get(transaction, meta.OWNER) == seal:  # another process did it meanwhile
            return meta.get(transaction, meta.LOST)
        lost = now() if (state / MARK).exists() else ""
        meta.put(transaction, meta.OWNER, seal)
        if lost:
            meta.put(transaction, meta.LOST, lost)
    return lost


def _mark(state: Path) -> None:
    """Leave the mark; on a disk that cannot be written the next opening does it."""
    if not (state / MARK).exists():
        with suppress(OSError):
            place.create_file(state / MARK, TEXT.encode())


def is_gone(state: Path) -> bool:
    """Whether a state folder had a database whose file is not there any more or empty; looks at files alone."""
    file = state / DATABASE
    if file.exists() and (file.stat().st_size or not file.is_file()):
        return False
    return (state / MARK).exists() or any(state.glob("versions/*"))


def loss_text(state: Path, lost: str) -> str:
    """The one line about a database that was lost."""
    return (
        f"The database {state / DATABASE} was lost before {lost[:16].replace('T', ' ')} (UTC): this one began empty. "
        "Bring back a backup: metier restore FILE; if there is none: metier restore --without-backup"
    )
