"""New databases copied from one that was made by all migrations, which is quicker than making each anew.

Tests of migrations call them directly and get the real thing; so does every process that a test starts.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from metier.store.engines import migrate as engine_migrate
from metier.store.engines.sqlite import SqliteEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from metier.store.engines.engine import Engine
    from metier.store.engines.migrate import Migration

    Migrate = Callable[[Engine, str, Sequence[Migration] | None], list[Migration]]


def quick_migrate(folder: Path) -> Migrate:
    """`migrate` that gives a new SQLite file the schema by a copy; the one that is copied lies in that folder."""
    sample = folder / "sample.db"
    engine = SqliteEngine(sample, lock=folder / "lock")
    real = engine_migrate.migrate
    real(engine, "2026-01-05T12:00:00.000000Z")
    engine.close()
    content = sample.read_bytes()

    def migrate(engine: Engine, now: str, migrations: Sequence[Migration] | None = None) -> list[Migration]:
        if migrations is None and isinstance(engine, SqliteEngine) and _place(content, engine._file):  # pyright: ignore[reportPrivateUsage]
            with engine.write() as transaction:
                transaction.all("UPDATE migrations SET applied = ?", (now,))
        return real(engine, now, migrations)

    return migrate


def _place(content: bytes, file: Path) -> bool:
    """Put the copy there as one step, unless there is a database already."""
    if file.exists():
        return False
    handle, part = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        with suppress(FileExistsError):
            os.link(part, file)
            return True
    finally:
        os.unlink(part)
    return False
