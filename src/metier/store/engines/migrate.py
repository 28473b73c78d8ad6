"""Numbered migrations: each runs in one transaction with the record that it ran."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from metier.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.dialect import Dialect
    from metier.store.engines.engine import Engine, Transaction

LEDGER = "CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the schema, as portable statements."""

    number: int
    name: str
    statements: tuple[str, ...]


@cache
def known_migrations() -> tuple[Migration, ...]:
    """Every migration of this version, in order: the files `migrations/NNNN_name.sql`."""
    found: list[Migration] = []
    for file in sorted((files("metier.store") / "migrations").iterdir(), key=lambda file: file.name):
        number, _, name = file.name.removesuffix(".sql").partition("_")
        text = "\n".join(line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("--"))
        statements = tuple(part.strip() for part in text.split(";") if part.strip())
        found.append(Migration(number=int(number), name=name, statements=statements))
    return tuple(found)


def migrate(engine: Engine, now: str, migrations: Sequence[Migration] | None = None) -> list[Migration]:
    """Bring the database to this version's schema, one transaction per step; returns the steps taken."""
    migrations = known_migrations() if migrations is None else migrations
    taken: list[Migration] = []
    while True:
        with engine.write() as transaction:
            transaction.all(LEDGER)
            step = _next(_version(transaction), migrations)
            if step is None:
                return taken
            for statement in statements_of(step, transaction.dialect):
                transaction.all(statement)
            transaction.all(
                "INSERT INTO migrations (number, name, applied) VALUES (?, ?, ?)", (step.number, step.name, now)
            )
        taken.append(step)


def version(transaction: Transaction) -> int:
    """The schema's number in an existing database."""
    return _version(transaction)


def check(found: int, migrations: Sequence[Migration] | None = None) -> bool:
    """Whether the schema is this version's; a newer one is an error that says what to do."""
    known = max((step.number for step in (known_migrations() if migrations is None else migrations)), default=0)
    if found > known:
        raise SchemaError(
            f"This store was written by a newer Metier (schema {found}; this version knows {known}). "
            "Upgrade it here too: pip install --upgrade metier."
        )
    return found == known


def _version(transaction: Transaction) -> int:
    return int(transaction.all("SELECT coalesce(max(number), 0) FROM migrations")[0][0] or 0)


def _next(found: int, migrations: Sequence[Migration]) -> Migration | None:
    check(found, migrations)
    return next((step for step in migrations if step.number > found), None)


def statements_of(step: Migration, dialect: Dialect) -> tuple[str, ...]:
    """The statements of a step, with those of its own that an engine has."""
    own = {
        "CREATE FULLTEXT": dialect.create_fulltext,
        "CREATE SKILL WORDS": dialect.create_words,
        "RENEW FULLTEXT": dialect.renew_fulltext,
        "CREATE RUN MOMENTS": dialect.create_moments,
    }
    return tuple(part for statement in step.statements for part in own.get(statement, (statement,)))
