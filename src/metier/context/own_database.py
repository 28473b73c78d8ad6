"""Is the database still the one that was here? A mark beside it says that there was one.

The mark is a file outside the database, made once the first one has noted when it began: an empty database without
that note beside a mark is a new one in the place of one that was lost. That is noted in the new one and said until a
backup is restored or a person goes on without.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from metier.context import state_folder as place
from metier.errors import ConfigError
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


def check_database(store: Engine, state: Path, now: Callable[[], str]) -> str:
    """Note in a new database when it began; returns when the one before it was found lost, empty: none was."""
    with store.read() as transaction:
        begun, lost = meta.get(transaction, meta.BEGUN), meta.get(transaction, meta.LOST)
    if not begun:
        lost = _begin(store, state, now)
    _mark(state)
    return lost


def _begin(store: Engine, state: Path, now: Callable[[], str]) -> str:
    """Note in a database when it began; an empty one that comes after another one notes that the other is lost.

    Who notes marks afterwards. So what has no note, seen under the lock, cannot be what the mark is about.
    """
    with store.write() as transaction:
        if meta.get(transaction, meta.BEGUN):  # another process did it meanwhile
            return meta.get(transaction, meta.LOST)
        lost = now() if (state / MARK).exists() and not meta.has_content(transaction) else ""
        meta.put(transaction, meta.BEGUN, now())
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
