"""A whole store from one engine to the other: every row of every table, however often it is broken off."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice
from typing import TYPE_CHECKING

import pytest

from metier.errors import RefusedError
from metier.store.copying.copy import AT_ONCE, copy_store, sum_of
from metier.store.copying.shape import known_tables
from metier.store.engines.migrate import migrate
from metier.store.engines.postgres import PostgresEngine
from metier.store.engines.sqlite import SqliteEngine
from metier.store.tables import audit, meta
from metier.types.audit import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.store.copying.copy import CopiedStore
    from metier.store.copying.shape import StoredTable
    from metier.store.engines.engine import Engine, Transaction, Value

pytestmark = pytest.mark.xdist_group("postgresql")
NOW = "2026-01-05T12:00:00.000000Z"
TEXTS = ("", "plain", "ä, 日本, 🛠", "two\nlines\t%s ? $1 \\ '", "z" * 3000)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Engine]:
    engine = sqlite(tmp_path / "one.db")
    migrate(engine, NOW)
    fill(engine)
    yield engine
    engine.close()


@pytest.fixture
def server(new_postgres: str) -> Iterator[Engine]:
    engine = PostgresEngine(new_postgres, wait=5)
    migrate(engine, NOW)
    yield engine
    engine.close()


def sqlite(path: Path) -> Engine:
    return SqliteEngine(path, lock=path.with_suffix(".lock"), wait=5)


def fill(engine: Engine, rows: int = 3) -> None:
    """Rows in every table; more than a piece of them in some."""
    with engine.write() as transaction:
        for table in known_tables():
            many = AT_ONCE * 2 + 7 if table.name in ("runs", "memo", "told_lessons", "audit") else rows
            marks = ", ".join("?" * len(table.columns))
            sql = f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({marks})"
            kinds = column_kinds(transaction, table)
            transaction.many(sql, [row_of(table, kinds, number) for number in range(1, many + 1)])


def column_kinds(transaction: Transaction, table: StoredTable) -> dict[str, str]:
    return {str(row[1]): str(row[2]) for row in transaction.all(f"PRAGMA table_info({table.name})")}


def row_of(table: StoredTable, kinds: dict[str, str], number: int) -> tuple[Value, ...]:
    values: dict[str, tuple[Value, ...]] = {
        "TEXT": (f"{number} {TEXTS[number % len(TEXTS)]}",),
        "BIGINT": (number * 2**40,),
        "INTEGER": (number * 3,),
        "DOUBLE PRECISION": (number / 7,),
        "BLOB": (bytes([number % 256, 0, 255]) * number,),
    }
    return tuple(values[kinds[column]][0] for column in table.columns)


def copied(source: Engine, target: Engine, place: str = "here", steps: int | None = None) -> CopiedStore | None:
    """The copy, or nothing when it was broken off after so many steps."""
    events = copy_store(source, target, place)
    for _ in islice(count(), steps):
        try:
            next(events)
        except StopIteration as end:
            return end.value
    events.close()
    return None


def sums(engine: Engine) -> dict[str, object]:
    with engine.read() as transaction:
        return {table.name: sum_of(transaction, table) for table in known_tables()}


def test_every_table_goes_to_the_server_and_back_unchanged(file: Engine, server: Engine, tmp_path: Path) -> None:
    there = copied(file, server)
    again = sqlite(tmp_path / "two.db")
    migrate(again, NOW)
    back = copied(server, again)
    assert there is not None
    assert back is not None
    assert there.hash == back.hash
    assert sums(file) == sums(server) == sums(again)
    assert all(one.rows >= 3 for _, one in there.tables)
    assert not there.resumed
    assert copied(file, server) == replace(there, resumed=True)  # as after a kill at the very end
    again.close()


def test_numbers_go_on_behind_the_highest_ever_given(file: Engine, server: Engine) -> None:
    with file.write() as transaction:
        highest = transaction.all("SELECT max(sequence) FROM audit")[0][0]
        transaction.all("DELETE FROM audit")
    copied(file, server)
    with server.write() as transaction:
        audit.add(transaction, AuditEntry(happened=NOW, actor="a", action="b", subject="c"))
        assert transaction.all("SELECT sequence FROM audit") == [(int(str(highest)) + 1,)]


@pytest.mark.parametrize("way", ["to the server", pytest.param("back", marks=pytest.mark.slow)])
def test_a_copy_that_is_broken_off_anywhere_goes_on(file: Engine, server: Engine, tmp_path: Path, way: str) -> None:
    source, target = file, server
    if way == "back":
        copied(file, server)
        source, target = server, sqlite(tmp_path / "two.db")
        migrate(target, NOW)
    tries = 1
    while (made := copied(source, target, steps=tries * 11)) is None:
        tries += 1
        assert tries < 20
        with target.read() as transaction:
            assert meta.get(transaction, meta.COPIED_FROM) == "here"
    assert tries > 3
    assert made.resumed
    assert sums(target) == sums(source)
    with target.read() as transaction:
        assert not transaction.all("SELECT name FROM meta WHERE name LIKE 'copy.%'")
    target.close()


def test_what_changed_in_the_source_between_two_runs_is_copied_as_it_is_now(file: Engine, server: Engine) -> None:
    assert copied(file, server, steps=40) is None
    with file.write() as transaction:
        transaction.all("UPDATE audit SET reason = 'other' WHERE sequence = 3")
        transaction.all("DELETE FROM calls WHERE sequence = 3")
        transaction.all("DELETE FROM cases")
        fill_one(transaction)
    copied(file, server)
    assert sums(file) == sums(server)


def fill_one(transaction: Transaction) -> None:
    sql = "INSERT INTO cases (workspace, suite, id, body) VALUES ('w', 's', '!', 'first of all keys')"
    transaction.all(sql)


def test_a_target_with_rows_or_of_another_copy_is_refused_and_left_alone(file: Engine, server: Engine) -> None:
    with server.write() as transaction:
        audit.add(transaction, AuditEntry(happened=NOW, actor="a", action="b", subject="c"))
    before = sums(server)
    with pytest.raises(RefusedError, match="not empty: it has rows in audit"):
        copied(file, server)
    assert sums(server) == before
    with server.write() as transaction:
        transaction.all("DELETE FROM audit")
    copied(file, server, place="one", steps=5)
    with pytest.raises(RefusedError, match="a part of another store: one"):
        copied(file, server, place="two")
